import { answered } from 'roster-client';
import { setOutcome } from '../resources/outcome.js';
import { href, replaceView } from '../router/route.js';
import { removed } from '../session/removed.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { ConfirmDelete } from '../ui/confirm-delete.js';
import { Loading } from '../ui/loading.js';
import { View } from '../ui/view.js';
import { DOCUMENT } from './send-documents.js';

export function DocumentView({ project, skill, name }: { project: string; skill: string; name: string }) {
  const path = { project_name: project, skill_name: skill, document_name: name };
  const { loaded, reload } = useLoaded(
    (signal) =>
      answered(
        roster.GET(DOCUMENT, {
          params: { path },
          headers: { Accept: 'text/plain, text/markdown' },
          parseAs: 'text',
          signal,
        }),
      ),
    [project, skill, name],
  );
  const list = ['projects', project, 'skills', skill, 'documents'];
  const remove = async () => {
    await removed(roster.DELETE(DOCUMENT, { params: { path } }));
    setOutcome(`The document ${name} is deleted.`);
    replaceView(list);
  };
  return (
    <View
      title={name}
      up={{ href: href(list), text: `Documents of ${skill}` }}
      actions={<ConfirmDelete what={`the document ${name}`} consequences="Agents no longer find it." remove={remove} />}
    >
      <Loading loaded={loaded} what="the document" retry={reload}>
        {(text) => <div class="content card">{text}</div>}
      </Loading>
    </View>
  );
}
