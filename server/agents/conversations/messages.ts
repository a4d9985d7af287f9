import type { components } from '../../../generated/openapi.js';
import { EventStream, type Handlers, type Input, JsonText } from '../../api/handlers.js';
import { streamPage } from '../../api/list-page.js';
import { inProject } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import { agentEvents, waitForAnswer } from '../agent-events.js';
import type { Agents } from '../agents.js';
import { addressOf, findChatbot, findConversation, findIn } from './access.js';
import { writeMessage } from './conversation-json.js';
import { type ComingReply, Replies, type TakenQuestion } from './replies.js';
import { takeNewQuestion, takeQuestion } from './take-question.js';

type MessageOperations = Pick<Handlers, 'listMessages' | 'sendMessage' | 'replyToMessage'>;
type Message = components['schemas']['Message'];
type Reply = components['schemas']['Reply'];
type ReplyRequest = Input<'sendMessage'> | Input<'replyToMessage'>;

export function messageOperations(store: Store, agents: Agents): MessageOperations {
  const replies = new Replies(store, agents);

  /** Takes a question in one transaction, then replies to it. */
  async function replyTo(
    request: ReplyRequest,
    take: (tx: Store, conversationId: string) => Promise<TakenQuestion>,
  ): Promise<ComingReply> {
    const { caller, params, requestId, signal } = request;
    const { taken, asker } = await inProject(
      store,
      caller,
      params.project_name,
      async (tx, project) => {
        const chatbot = await findChatbot(tx, project, params.chatbot_name);
        const conversationId = await findConversation(tx, chatbot, params.conversation_id);
        const taken = await take(tx, conversationId);
        return { taken, asker: { caller, project, chatbot, requestId, signal } };
      },
    );
    return replies.replyTo(taken, asker);
  }

  return {
    listMessages: async ({ caller, params, query, base, reply }) => {
      const { project, chatbot } = await findIn(store, caller, params);
      const id = await findConversation(store, chatbot, params.conversation_id);
      const address = `${addressOf(base, project, chatbot)}/${id}/messages`;
      const page = await streamPage<Message>(address, query, {
        listIds: (part) => store.messages.entries(id, part),
        readJson: (entries) => store.messages.written(entries),
      });
      return reply({ status: 200, ...page });
    },

    sendMessage: async (request) => {
      const coming = await replyTo(request, (tx, id) => takeNewQuestion(tx, id, request));
      return request.reply({ status: 200, body: await bodyOf(coming, request, agents) });
    },

    replyToMessage: async (request) => {
      const { message_id } = request.params;
      const coming = await replyTo(request, (tx, id) => takeQuestion(tx, id, message_id));
      return request.reply({ status: 200, body: await bodyOf(coming, request, agents) });
    },
  };
}

/** Returns the reply as the caller wants it: in events while it is made, or whole. */
async function bodyOf(
  { question, answering, keep }: ComingReply,
  { answerType, requestId: traceId }: ReplyRequest,
  agents: Agents,
): Promise<EventStream | JsonText<Reply>> {
  if (answerType === 'text/event-stream') {
    const events = agentEvents(answering, {
      ...{ prompt: question.content, traceId, messageId: question.id },
      keep: async (answer) => (await keep(answer)).id,
      noteFailure: (cause) => agents.noteFailure(cause, traceId),
    });
    return new EventStream(events);
  }
  const reply = await keep(await waitForAnswer(answering));
  const pieces = [
    '{"question":',
    ...writeMessage(question),
    ',"message":',
    ...writeMessage(reply),
    '}',
  ];
  return new JsonText<Reply>(pieces);
}
