import { useMemo, useState } from 'preact/hooks';
import { answered, type Conversation } from 'roster-client';
import { CHANGED, type Column } from '../resources/kind.js';
import { List } from '../resources/list.js';
import { Outcome } from '../resources/outcome.js';
import { href, navigate } from '../router/route.js';
import { useList } from '../session/read-list.js';
import { removed } from '../session/removed.js';
import { roster } from '../session/roster.js';
import { useAttempt } from '../session/use-attempt.js';
import { ConfirmDelete } from '../ui/confirm-delete.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { TextField } from '../ui/field.js';
import { whole } from '../ui/format.js';
import { View } from '../ui/view.js';
import { writeTitle } from './title.js';

const LIST = '/projects/{project_name}/chatbots/{chatbot_name}/conversations';

type Listed = Conversation & { readonly name: string };

/** The conversations with a chatbot, the newest first, and a form that begins one. */
export function ConversationsView({ project, chatbot }: { project: string; chatbot: string }) {
  const path = { project_name: project, chatbot_name: chatbot };
  const [done, setDone] = useState('');
  const kept = useList(
    (signal) => (query) => roster.GET(LIST, { params: { path, query }, signal }),
    [project, chatbot],
  );
  const list = useMemo(
    () => ({ ...kept, items: kept.items.map(listed).reverse() }),
    [kept.items, kept.isComplete, kept.error],
  );
  const columns = useMemo(() => listColumns(project, chatbot), [project, chatbot]);
  const remove = async ({ id, name }: Listed) => {
    const one = { ...path, conversation_id: id };
    await removed(roster.DELETE(`${LIST}/{conversation_id}`, { params: { path: one } }));
    setDone(`The conversation “${name}” is deleted.`);
    kept.reload();
  };
  return (
    <View
      title={`Conversations with ${chatbot}`}
      up={{ href: href(['projects', project, 'chatbots', chatbot]), text: chatbot }}
    >
      <Outcome done={done} />
      <Begin project={project} chatbot={chatbot} />
      <List
        list={list}
        one="conversation"
        many="conversations"
        columns={columns}
        empty={<p>There is no conversation yet. Begin the first one above.</p>}
        action={(conversation) => (
          <ConfirmDelete
            what={`the conversation ${conversation.name}`}
            consequences="Its messages are deleted, too."
            remove={() => remove(conversation)}
          />
        )}
      />
    </View>
  );
}

const listed = (conversation: Conversation): Listed => ({ ...conversation, name: writeTitle(conversation) });

const listColumns = (project: string, chatbot: string): readonly Column<Listed>[] => [
  {
    head: 'Title',
    text: ({ name }) => name,
    href: ({ id }) => href(['projects', project, 'chatbots', chatbot, 'conversations', id]),
  },
  { head: 'Messages', text: ({ messages }) => whole(messages), isMinor: true },
  CHANGED,
];

/** A form that begins a conversation, and opens it. */
function Begin({ project, chatbot }: { project: string; chatbot: string }) {
  const [title, setTitle] = useState('');
  const { isBusy, error, attempt } = useAttempt();
  const begin = async () => {
    const { id } = await answered(
      roster.POST(LIST, {
        params: { path: { project_name: project, chatbot_name: chatbot } },
        body: { conversation: title.trim() ? { title: title.trim() } : {} },
      }),
    );
    navigate(['projects', project, 'chatbots', chatbot, 'conversations', id]);
  };
  return (
    <form class="resource begin" onSubmit={() => !isBusy && void attempt(begin)}>
      {error !== null && <ErrorNotice error={error} />}
      <TextField label="Title" isOptional spellcheck value={title} onValue={setTitle} />
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {isBusy ? 'Beginning …' : 'Begin a conversation'}
      </button>
    </form>
  );
}
