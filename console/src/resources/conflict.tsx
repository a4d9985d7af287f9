import { forms } from 'virtual:contract-forms';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Scrolling, Table } from '../plots/table.js';
import { Dialog } from '../ui/dialog.js';
import { Facts } from '../ui/facts.js';
import { time } from '../ui/format.js';
import { changedValues, createDraft, type Draft, fieldNames, writeLabel } from './form/draft.js';
import type { Kind, Resource } from './kind.js';

/** Says that someone else changed a resource since it was read, and lets one choose. */
export function ConflictNotice<R extends Resource>({
  kind,
  base,
  draft,
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  kind: Kind<R>;
  base: R;
  draft: Draft;
  theirs: R;
  onKeepMine: (form: HTMLFormElement | null) => void;
  onTakeTheirs: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const form = forms[kind.name];
  const names = fieldNames(form, kind.leftOut);
  const shown = createDraft(form, theirs);
  const mine = changedValues(form, draft, names, base).values;
  const different = Object.keys(changedValues(form, draft, names, theirs).values);
  const label = (name: string) => kind.choices[name]?.label ?? writeLabel(name, forms[kind.name].fields[name] ?? {});
  return (
    <Notice title="Changed by someone else.">
      <p>
        Someone saved this {kind.name} ({time(theirs.updated_at)}) after you had opened it. Your changes are not saved
        yet.
      </p>
      <Scrolling label="What differs">
        <Table
          hasNames
          head={['Field', 'Mine', 'Theirs']}
          rows={different.map((name) => [
            label(name),
            <>
              <Content content={draft[name]} />
              {!(name in mine) && <p class="hint">You did not change this field. Theirs stays.</p>}
            </>,
            <Content content={shown[name]} />,
          ])}
        />
      </Scrolling>
      <div class="actions">
        <button type="button" onClick={() => setOpen(true)}>
          Show theirs
        </button>
        <button type="button" onClick={(event) => onKeepMine(event.currentTarget.form)}>
          Keep mine
        </button>
        <button type="button" onClick={onTakeTheirs}>
          Use theirs
        </button>
      </div>
      {isOpen && (
        <Dialog title={theirs.name} onClose={() => setOpen(false)}>
          <Facts facts={names.map((name) => [label(name), <Content key={name} content={shown[name]} />])} />
          <button type="button" onClick={() => setOpen(false)}>
            Close
          </button>
        </Dialog>
      )}
    </Notice>
  );
}

/** Says that someone else deleted a resource since it was read. */
export function DeletedNotice<R extends Resource>({ kind, list }: { kind: Kind<R>; list: string }) {
  return (
    <Notice title="Deleted by someone else.">
      <p>
        Someone deleted or renamed this {kind.name} after you had opened it. Your text is below: create the {kind.name}{' '}
        again with it, or <a href={list}>go to the {kind.plural}</a>.
      </p>
    </Notice>
  );
}

/** A notice that gets the focus when it appears. */
function Notice({ title, children }: { title: string; children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.focus(), []);
  return (
    <div class="notice warning conflict" role="alert" tabIndex={-1} ref={element}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

function Content({ content = '' }: { content: Draft[string] | undefined }) {
  const text = typeof content === 'string' ? content : content.join(', ');
  return text === '' ? <span class="faint">(empty)</span> : <span class="content">{text}</span>;
}
