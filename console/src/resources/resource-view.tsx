import { forms } from 'virtual:contract-forms';
import { useRef, useState } from 'preact/hooks';
import { href, replaceView } from '../router/route.js';
import { useLeaveWarning } from '../session/use-leave-warning.js';
import { useLoaded } from '../session/use-loaded.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { capitalized } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { View } from '../ui/view.js';
import { Editor } from './editor.js';
import { createDraft, fieldNames, isSame, newValues } from './form/draft.js';
import { ResourceForm } from './form/form.js';
import type { Kind, Resource } from './kind.js';
import { setOutcome } from './outcome.js';
import { type Stored, stored } from './stored.js';

interface Props<R extends Resource> {
  readonly kind: Kind<R>;
  readonly project: string;
  readonly name: string;
}

/** A resource, or the form for a new one. */
export function ResourceView<R extends Resource>(props: Props<R>) {
  return props.name === '~new' ? <NewView {...props} /> : <ExistingView {...props} />;
}

/** The view above: the list of the kind. */
const linkList = <R extends Resource>({ kind, project }: Props<R>) => ({
  href: href(['projects', project, kind.plural]),
  text: capitalized(kind.plural),
});

function NewView<R extends Resource>(props: Props<R>) {
  const { kind, project } = props;
  const form = forms[kind.name];
  const blank = createDraft(form, null);
  const [draft, setDraft] = useState(blank);
  useLeaveWarning(!isSame(draft, blank));
  return (
    <View title={`New ${kind.name}`} up={linkList(props)}>
      <p class="faint lead">{kind.purpose}</p>
      <ResourceForm
        name={kind.name}
        project={project}
        draft={draft}
        choices={kind.choices}
        memberControls={kind.memberControls ?? {}}
        leftOut={kind.leftOut}
        submitLabel={`Create the ${kind.name}`}
        busyLabel="Creating …"
        onDraft={setDraft}
        onSubmit={async () => {
          const { values, faults } = newValues(form, draft, fieldNames(form, kind.leftOut));
          if (Object.keys(faults).length > 0) return faults;
          const { value } = await stored(kind.create(project, values));
          setOutcome(`The ${kind.name} is created.`);
          replaceView(['projects', project, kind.plural, value.name]);
          return {};
        }}
      >
        <a href={linkList(props).href}>Cancel</a>
      </ResourceForm>
    </View>
  );
}

function ExistingView<R extends Resource>(props: Props<R>) {
  const { kind, project, name } = props;
  const { loaded, reload } = useLoaded(
    (signal) => stored(kind.get(project, name, signal)),
    [project, kind.plural, name],
  );
  // Typed text must survive that a later reading fails, as with a revoked key.
  const last = useRef<Stored<R> | null>(null);
  if (loaded.state === 'ready') last.current = loaded.value;
  if (last.current === null)
    return (
      <View title={name} up={linkList(props)}>
        <Loading loaded={loaded} what={`the ${kind.name}`} retry={reload}>
          {() => null}
        </Loading>
      </View>
    );
  return (
    <Editor
      kind={kind}
      project={project}
      address={name}
      latest={last.current}
      up={linkList(props)}
      failure={loaded.state === 'failed' && <ErrorNotice error={loaded.error} retry={reload} />}
    />
  );
}
