import { forms } from 'virtual:contract-forms';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { replaceView } from '../router/route.js';
import { removed } from '../session/removed.js';
import { useLeaveWarning } from '../session/use-leave-warning.js';
import { ConfirmDelete } from '../ui/confirm-delete.js';
import { Facts } from '../ui/facts.js';
import { time } from '../ui/format.js';
import { View } from '../ui/view.js';
import { ConflictNotice, DeletedNotice } from './conflict.js';
import { changedValues, createDraft, type Faults, fieldNames, isSame, newValues, type Values } from './form/draft.js';
import { ResourceForm } from './form/form.js';
import type { Kind, Resource } from './kind.js';
import { Outcome, setOutcome } from './outcome.js';
import { isGone, isOutdated, type Stored, stored, storedOrNull } from './stored.js';

/** A resource that can be changed and deleted. */
export function Editor<R extends Resource>({
  kind,
  project,
  address,
  latest,
  up,
  failure,
}: {
  kind: Kind<R>;
  project: string;
  /** The name in the address of the view. */
  address: string;
  /** The resource as it was read last. */
  latest: Stored<R>;
  up: { readonly href: string; readonly text: string };
  /** The reason why it could not be read again. */
  failure: ComponentChildren;
}) {
  const form = forms[kind.name];
  const names = fieldNames(form, kind.leftOut);
  const [base, setBase] = useState(latest);
  const [draft, setDraft] = useState(() => createDraft(form, latest.value));
  /** The resource as others changed it meanwhile: null if they deleted it, undefined if they did not. */
  const [theirs, setTheirs] = useState<Stored<R> | null>();
  const [done, setDone] = useState('');
  const tag = useRef(latest.etag);
  /** The tag of what a deletion was refused for. Changes are still compared with what was read. */
  const deletedTag = useRef<string | null>(null);
  /** True if the next sending overwrites what others made of it. */
  const isKeeping = useRef(false);
  const isChanged = !isSame(draft, createDraft(form, base.value));
  const notChangedYet = useRef(true);
  notChangedYet.current = !isChanged && theirs === undefined;
  useLeaveWarning(isChanged);

  const adopt = (now: Stored<R>, message: string) => {
    tag.current = now.etag;
    deletedTag.current = null;
    setBase(now);
    setDraft(createDraft(form, now.value));
    setTheirs(undefined);
    setDone(message);
  };
  // Only a new reading replaces the form: the first one is in it, and somebody may have begun to type.
  useEffect(() => {
    if (latest !== base && notChangedYet.current) adopt(latest, '');
  }, [latest]);

  const saved = (now: Stored<R>, message: string) => {
    adopt(now, message);
    if (now.value.name === address) return;
    setOutcome(message);
    replaceView(['projects', project, kind.plural, now.value.name]);
  };
  /** Sends changes of `known`. If it is not what is stored, compares before anything is lost. */
  const send = async (values: Values, known: R, mayRepeat: boolean): Promise<void> => {
    const id = kind.address(base.value);
    try {
      return saved(await stored(kind.update(project, id, tag.current, values)), 'Saved.');
    } catch (error) {
      if (!isOutdated(error) && !isGone(error)) throw error;
    }
    const now = await storedOrNull(kind.get(project, id));
    if (now && mayRepeat && isSame(createDraft(form, now.value), createDraft(form, known))) {
      // The change is not in the form, such as another agent that uses a skill.
      tag.current = now.etag;
      return send(values, known, false);
    }
    // The answer to a change can be lost, and the change be repeated.
    if (now && isEmpty(changedValues(form, draft, names, now.value).values)) return saved(now, 'Saved.');
    setTheirs(now);
  };
  const submit = async (): Promise<Faults> => {
    setDone('');
    const overwritten = isKeeping.current ? theirs : undefined;
    isKeeping.current = false;
    if (theirs === null) {
      const { values, faults } = newValues(form, draft, names);
      if (!isEmpty(faults)) return faults;
      saved(await stored(kind.create(project, values)), 'Created again.');
      return {};
    }
    const changes = changedValues(form, draft, names, base.value);
    if (!isEmpty(changes.faults)) return changes.faults;
    if (overwritten) {
      // The fields that were changed here become what they are here; theirs stay in the others.
      const mine = Object.keys(changes.values);
      tag.current = overwritten.etag;
      const { values, faults } = changedValues(form, draft, mine, overwritten.value);
      if (!isEmpty(faults)) return faults;
      if (isEmpty(values)) saved(overwritten, 'Saved.');
      else await send(values, overwritten.value, true);
    } else if (isEmpty(changes.values)) setDone('There is nothing to save.');
    else await send(changes.values, base.value, true);
    return {};
  };
  const remove = async () => {
    const id = kind.address(base.value);
    try {
      await removed(kind.remove(project, id, deletedTag.current ?? tag.current));
    } catch (error) {
      if (!isOutdated(error)) throw error;
      const now = await storedOrNull(kind.get(project, id));
      if (now) {
        if (!isChanged) adopt(now, '');
        deletedTag.current = now.etag;
        throw new Error(`Someone else changed the ${kind.name}. Cancel to look at it, or delete it as it is now.`);
      }
    }
    setOutcome(`The ${kind.name} ${base.value.name} is deleted.`);
    replaceView(['projects', project, kind.plural]);
  };

  return (
    <View
      title={base.value.name}
      up={up}
      actions={
        theirs !== null && (
          <>
            {kind.views?.(project, base.value).map((view) => (
              <a key={view.href} class="button" href={view.href}>
                {view.text}
              </a>
            ))}
            <ConfirmDelete
              what={`the ${kind.name} ${base.value.name}`}
              consequences={<kind.Consequences project={project} resource={base.value} />}
              remove={remove}
            />
          </>
        )
      }
    >
      <Outcome />
      {failure}
      <ResourceForm
        name={kind.name}
        project={project}
        draft={draft}
        choices={kind.choices}
        memberControls={kind.memberControls ?? {}}
        leftOut={kind.leftOut}
        submitLabel={theirs === null ? `Create the ${kind.name} again` : 'Save changes'}
        busyLabel="Saving …"
        onDraft={(next) => {
          setDraft(next);
          setDone('');
        }}
        onSubmit={submit}
        notice={
          theirs === null ? (
            <DeletedNotice kind={kind} list={up.href} />
          ) : (
            theirs && (
              <ConflictNotice
                kind={kind}
                base={base.value}
                draft={draft}
                theirs={theirs.value}
                onKeepMine={(element) => {
                  isKeeping.current = true;
                  element?.requestSubmit();
                }}
                onTakeTheirs={() => adopt(theirs, 'Your changes were replaced by theirs.')}
              />
            )
          )
        }
      >
        <p role="status">{done}</p>
      </ResourceForm>
      <ResourceFacts kind={kind} project={project} resource={base.value} />
    </View>
  );
}

const isEmpty = (object: object) => Object.keys(object).length === 0;

/** The facts of a resource that are not fields of its form. */
function ResourceFacts<R extends Resource>({
  kind,
  project,
  resource,
}: {
  kind: Kind<R>;
  project: string;
  resource: R;
}) {
  const { id, created_at, updated_at } = resource;
  const users = kind.Users && <kind.Users project={project} resource={resource} />;
  return (
    <Facts
      facts={[
        ...(users ? [['Used by', users] as const] : []),
        ['Created', time(created_at)],
        ['Changed', time(updated_at)],
        ['Identifier', <code key="id">{id}</code>],
      ]}
    />
  );
}
