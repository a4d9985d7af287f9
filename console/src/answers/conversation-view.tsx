import { useEffect } from 'preact/hooks';
import { answered } from 'roster-client';
import { setOutcome } from '../resources/outcome.js';
import { href, replaceView } from '../router/route.js';
import { readList } from '../session/read-list.js';
import { removed } from '../session/removed.js';
import { roster } from '../session/roster.js';
import { useLoaded } from '../session/use-loaded.js';
import { ConfirmDelete } from '../ui/confirm-delete.js';
import { Loading } from '../ui/loading.js';
import { View } from '../ui/view.js';
import { Conversing } from './conversing.js';
import { groupExchanges } from './exchange.js';
import { type Ask, threadAt } from './thread.js';
import { writeTitle } from './title.js';

const ONE = '/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}';

interface ConversationPath {
  readonly project_name: string;
  readonly chatbot_name: string;
  readonly conversation_id: string;
}

/** A conversation with a chatbot. The service keeps its messages. */
export function ConversationView({ project, chatbot, id }: { project: string; chatbot: string; id: string }) {
  const path = { project_name: project, chatbot_name: chatbot, conversation_id: id };
  const thread = threadAt(JSON.stringify(path), askChatbot(path));
  const { loaded, reload } = useLoaded(
    async (signal) => {
      const [conversation, messages] = await Promise.all([
        answered(roster.GET(ONE, { params: { path }, signal })),
        readList((query) => roster.GET(`${ONE}/messages`, { params: { path, query }, signal })),
      ]);
      return { conversation, messages };
    },
    [project, chatbot, id],
  );
  useEffect(() => {
    if (loaded.state === 'ready') thread.adopt(groupExchanges(loaded.value.messages));
  }, [loaded]);
  const list = ['projects', project, 'chatbots', chatbot, 'conversations'];
  const title = loaded.state === 'ready' ? writeTitle(loaded.value.conversation) : 'Conversation';
  const remove = async () => {
    thread.stop();
    await removed(roster.DELETE(ONE, { params: { path } }));
    setOutcome('The conversation is deleted.');
    replaceView(list);
  };
  return (
    <View
      title={title}
      up={{ href: href(list), text: `Conversations with ${chatbot}` }}
      actions={<ConfirmDelete what="the conversation" consequences="Its messages are deleted, too." remove={remove} />}
    >
      <Loading loaded={loaded} what="the messages" retry={reload}>
        {() => <Conversing thread={thread} project={project} />}
      </Loading>
    </View>
  );
}

/** Sends a message, or asks for the reply to one that the conversation has. */
function askChatbot(path: ConversationPath): Ask {
  return ({ id, question, messageId }, _before, signal) =>
    (streamed) =>
      messageId === undefined
        ? roster.POST(`${ONE}/messages`, {
            ...streamed,
            params: { path, header: { 'Idempotency-Key': id } },
            body: { message: { content: question ?? '' } },
            signal,
          })
        : roster.POST(`${ONE}/messages/{message_id}/reply`, {
            ...streamed,
            params: { path: { ...path, message_id: messageId } },
            signal,
          });
}
