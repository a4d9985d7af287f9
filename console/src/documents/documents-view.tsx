import { useMemo, useState } from 'preact/hooks';
import type { Document } from 'roster-client';
import { CHANGED, type Column } from '../resources/kind.js';
import { List } from '../resources/list.js';
import { Outcome } from '../resources/outcome.js';
import { href } from '../router/route.js';
import { useList } from '../session/read-list.js';
import { removed } from '../session/removed.js';
import { roster } from '../session/roster.js';
import { ConfirmDelete } from '../ui/confirm-delete.js';
import { DropZone } from '../ui/drop-zone.js';
import { bytes, count, whole } from '../ui/format.js';
import { View } from '../ui/view.js';
import { PasteForm } from './paste-form.js';
import { DOCUMENT, DOCUMENT_TYPES, type Sending, useSendings } from './send-documents.js';

/** The documents of a skill, and two ways to add some. */
export function DocumentsView({ project, skill }: { project: string; skill: string }) {
  const path = { project_name: project, skill_name: skill };
  const [done, setDone] = useState('');
  const list = useList(
    (signal) => (query) =>
      roster.GET('/projects/{project_name}/skills/{skill_name}/documents', { params: { path, query }, signal }),
    [project, skill],
  );
  const { sendings, add } = useSendings(path, list.reload);
  const columns = useMemo(() => listColumns(project, skill), [project, skill]);
  const remove = async ({ name }: Document) => {
    await removed(roster.DELETE(DOCUMENT, { params: { path: { ...path, document_name: name } } }));
    setDone(`The document ${name} is deleted.`);
    list.reload();
  };
  return (
    <View title={`Documents of ${skill}`} up={{ href: href(['projects', project, 'skills', skill]), text: skill }}>
      <p class="faint lead">Agents that have the skill find passages in these texts.</p>
      <Outcome done={done} />
      <DropZone label="Drop text or Markdown files here, or" accept={DOCUMENT_TYPES} isMany onFile={add} />
      <SendingList sendings={sendings} />
      <List
        list={list}
        one="document"
        many="documents"
        columns={columns}
        empty={<p>There is no document yet. Drop a file above, or paste a text below.</p>}
        action={(document) => (
          <ConfirmDelete
            what={`the document ${document.name}`}
            consequences="Agents no longer find it."
            remove={() => remove(document)}
          />
        )}
      />
      <h2>Paste a text</h2>
      <PasteForm
        path={path}
        onKept={(name) => {
          setDone(`The document ${name} is kept.`);
          list.reload();
        }}
      />
    </View>
  );
}

const listColumns = (project: string, skill: string): readonly Column<Document>[] => [
  {
    head: 'Name',
    text: ({ name }) => name,
    href: ({ name }) => href(['projects', project, 'skills', skill, 'documents', name]),
  },
  { head: 'Size', text: (document) => bytes(document.bytes) },
  { head: 'Passages', text: ({ passages }) => whole(passages), isMinor: true },
  CHANGED,
];

const WORDS: Readonly<Record<Sending['state'], string>> = {
  waiting: 'waits',
  sending: 'is being sent …',
  created: 'is kept',
  replaced: 'replaced the text that had this name',
  refused: 'was not kept:',
};

/** The most files to name; refused ones come first. */
const MAX_NAMED = 20;

/** Shows the progress of the files that are sent, and the reason of each refusal. */
function SendingList({ sendings }: { sendings: readonly Sending[] }) {
  if (sendings.length === 0) return null;
  const isOver = ({ state }: Sending) => state !== 'waiting' && state !== 'sending';
  const over = sendings.filter(isOver).length;
  const refused = sendings.filter(({ state }) => state === 'refused');
  const others = sendings.filter((sending) => !refused.includes(sending)).reverse();
  const named = [...refused, ...others].slice(0, MAX_NAMED);
  return (
    <section class={refused.length > 0 ? 'notice warning' : 'notice'} aria-label="Files">
      <p role="status">
        {over} of {count(sendings.length, 'file')} sent
        {refused.length > 0 && `, ${whole(refused.length)} of them not kept`}
      </p>
      {over < sendings.length && <progress value={over} max={sendings.length} aria-label="Files sent" />}
      <ul>
        {named.map(({ fileName, name, state, reason }, index) => (
          <li key={`${index}${fileName}`}>
            <strong>{fileName}</strong> {WORDS[state]} {reason ?? (name !== fileName && `as ${name}`)}
          </li>
        ))}
      </ul>
      {sendings.length > named.length && <p class="faint">and {count(sendings.length - named.length, 'more')}</p>}
    </section>
  );
}
