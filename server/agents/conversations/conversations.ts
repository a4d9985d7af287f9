import type { components } from '../../../generated/openapi.js';
import type { Handlers, Input } from '../../api/handlers.js';
import { idempotent, REPLAYED } from '../../api/idempotency.js';
import { listPage, streamPage } from '../../api/list-page.js';
import { checkPreconditions, conditionalGet, isConditional } from '../../api/preconditions.js';
import { EventStream, JsonText } from '../../api/reply/send.js';
import type { Caller } from '../../auth/caller.js';
import { problem } from '../../problems/problem.js';
import { findProject, inProject, lockProject, type Project } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import type { AgentRunner } from '../agent-runner.js';
import { agentEvents, waitForAnswer } from '../answer-stream.js';
import {
  createConversation,
  findConversationRow,
  listConversations,
  messageList,
  removeConversation,
  writeConversation,
  writeMessage,
} from './conversation-rows.js';
import {
  type ConversingChatbot,
  findChatbot,
  Replies,
  type TakenQuestion,
  takeNewQuestion,
  takeQuestion,
} from './replies.js';

type ConversationOperations = Pick<
  Handlers,
  | 'listConversations'
  | 'createConversation'
  | 'getConversation'
  | 'deleteConversation'
  | 'listMessages'
  | 'sendMessage'
  | 'replyToMessage'
>;
type Conversation = components['schemas']['Conversation'];
type Message = components['schemas']['Message'];
type Reply = components['schemas']['Reply'];
type ReplyRequest = Input<'sendMessage'> | Input<'replyToMessage'>;

export function conversationOperations(store: Store, agents: AgentRunner): ConversationOperations {
  const replies = new Replies(store, agents);

  /** Replies as the caller wants it: in events while the reply is made, or whole. */
  async function replyTo(
    { caller, params, requestId, signal, answerType }: ReplyRequest,
    take: (tx: Store, conversationId: string) => Promise<TakenQuestion>,
  ) {
    const { taken, asker } = await inProject(store, caller, params.project_name, async (tx, project) => {
      const chatbot = await findChatbot(tx, project, params.chatbot_name);
      const { id } = await findConversation(tx, chatbot, params.conversation_id);
      return { taken: await take(tx, id), asker: { caller, project, chatbot, requestId, signal } };
    });
    const { question } = taken;
    const isReplayed = taken.reply !== undefined;
    const stream = await replies.replyTo(taken, asker);
    if (answerType === 'text/event-stream') {
      const facts = { prompt: question.content, messageId: question.id, traceId: requestId };
      const events = agentEvents(stream, { ...facts, logFailure: agents.logFailure });
      return { status: 200 as const, body: new EventStream(events), isReplayed };
    }
    const { message } = await waitForAnswer(stream);
    const [asked, answered] = [writeMessage(question), writeMessage(message)];
    const chunks = ['{"question":', ...asked, ',"message":', ...answered, '}'];
    return { status: 200 as const, body: new JsonText<Reply>(chunks), isReplayed };
  }

  return {
    listConversations: async ({ caller, params, query, base, reply }) => {
      const { project, chatbot } = await findIn(store, caller, params);
      const page = await listPage(
        address(base, project, chatbot),
        query,
        (part) => listConversations(store, chatbot.id, part),
        (conversation): Conversation => conversation,
      );
      return reply({ status: 200, ...page });
    },

    createConversation: async ({ reply, ...request }) => {
      const { caller, params, body, base } = request;
      const title = body.conversation.title ?? null;
      const answer = await idempotent<Conversation>(store, 'createConversation', request, async (tx) => {
        const project = await lockProject(tx, caller, params.project_name);
        const chatbot = await findChatbot(tx, project, params.chatbot_name);
        const { greeting } = chatbot.settings;
        const row = await createConversation(tx, caller.owner, chatbot, { title, greeting });
        const location = `${address(base, project, chatbot)}/${row.id}`;
        return { chunks: writeConversation(row), location };
      });
      return reply(answer);
    },

    getConversation: async ({ caller, params, headers, reply }) => {
      const { chatbot } = await findIn(store, caller, params);
      const conversation = await findConversation(store, chatbot, params.conversation_id);
      return reply(await conditionalGet<Conversation>(writeConversation(conversation), headers));
    },

    deleteConversation: ({ caller, params, headers, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const chatbot = await findChatbot(tx, project, params.chatbot_name);
        const id = params.conversation_id;
        if (isConditional(headers)) {
          await checkPreconditions(headers, writeConversation(await findConversation(tx, chatbot, id)));
        }
        const isRemoved = await removeConversation(tx, caller.owner, chatbot.id, id);
        if (!isRemoved) throw conversationNotFound(chatbot, id);
        return reply({ status: 204 });
      }),

    listMessages: async ({ caller, params, query, base, reply }) => {
      const { project, chatbot } = await findIn(store, caller, params);
      const { id } = await findConversation(store, chatbot, params.conversation_id);
      const messages = `${address(base, project, chatbot)}/${id}/messages`;
      const page = await streamPage<Message>(messages, query, messageList(store, id));
      return reply({ status: 200, ...page });
    },

    sendMessage: async (request) => {
      const { isReplayed, ...answer } = await replyTo(request, (tx, id) => takeNewQuestion(tx, id, request));
      return request.reply(isReplayed ? { ...answer, headers: REPLAYED } : answer);
    },

    replyToMessage: async (request) => {
      const { message_id } = request.params;
      const { isReplayed: _, ...answer } = await replyTo(request, (tx, id) => takeQuestion(tx, id, message_id));
      return request.reply(answer);
    },
  };
}

async function findIn(
  store: Store,
  caller: Caller,
  params: { readonly project_name: string; readonly chatbot_name: string },
) {
  const project = await findProject(store, caller, params.project_name);
  return { project, chatbot: await findChatbot(store, project, params.chatbot_name) };
}

async function findConversation(store: Store, chatbot: ConversingChatbot, id: string) {
  const found = await findConversationRow(store, chatbot.id, id);
  if (!found) throw conversationNotFound(chatbot, id);
  return found;
}

function conversationNotFound({ name }: ConversingChatbot, id: string) {
  return problem('/problems/conversation-not-found', `There is no conversation "${id}" of the chatbot "${name}".`);
}

/** Returns the address of a chatbot's conversations, as the caller used it. */
function address(base: string, project: Project, chatbot: ConversingChatbot): string {
  return `${base}/projects/${project.name}/chatbots/${chatbot.name}/conversations`;
}
