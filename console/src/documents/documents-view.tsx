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
import { bytes, whole } from '../ui/format.js';
import { View } from '../ui/view.js';
import { PasteForm } from './paste-form.js';
import { DOCUMENT, DOCUMENT_TYPES, useSendings } from './send-documents.js';
import { SendingList } from './sending-list.js';

/** The documents of a skill, and two ways to add some. */
export function DocumentsView({ project, skill }: { project: string; skill: string }) {
  const path = { project_name: project, skill_name: skill };
  const [done, setDone] = useState('');
  const list = useList(
    (signal) => (query) =>
      roster.GET('/projects/{project_name}/skills/{skill_name}/documents', {
        params: { path, query },
        signal,
      }),
    [project, skill],
  );
  const { sendings, add } = useSendings(path, list.reload);
  const columns = useMemo(() => columnsOf(project, skill), [project, skill]);
  const remove = async ({ name }: Document) => {
    await removed(roster.DELETE(DOCUMENT, { params: { path: { ...path, document_name: name } } }));
    setDone(`The document ${name} is deleted.`);
    list.reload();
  };
  return (
    <View
      title={`Documents of ${skill}`}
      up={{ href: href(['projects', project, 'skills', skill]), text: skill }}
    >
      <p class="faint lead">Agents that have the skill find passages in these texts.</p>
      <Outcome done={done} />
      <DropZone
        label="Drop text or Markdown files here, or"
        accept={DOCUMENT_TYPES}
        isMany
        onFile={add}
      />
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

const columnsOf = (project: string, skill: string): readonly Column<Document>[] => [
  {
    head: 'Name',
    text: ({ name }) => name,
    href: ({ name }) => href(['projects', project, 'skills', skill, 'documents', name]),
  },
  { head: 'Size', text: (document) => bytes(document.bytes) },
  { head: 'Passages', text: ({ passages }) => whole(passages), isMinor: true },
  CHANGED,
];
