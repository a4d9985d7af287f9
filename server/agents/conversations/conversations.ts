import type { components } from '../../../generated/openapi.js';
import type { Handlers } from '../../api/handlers.js';
import { idempotent } from '../../api/idempotency.js';
import { streamPage } from '../../api/list-page.js';
import { conditionalGet } from '../../api/preconditions.js';
import { inProject, lockProject } from '../../projects/projects.js';
import type { Store } from '../../store/index.js';
import type { Agents } from '../agents.js';
import { addressOf, conversationNotFound, findChatbot, findIn } from './access.js';
import { messageOperations } from './messages.js';

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

export function conversationOperations(store: Store, agents: Agents): ConversationOperations {
  return {
    listConversations: async ({ caller, params, query, base, reply }) => {
      const { project, chatbot } = await findIn(store, caller, params);
      const address = addressOf(base, project, chatbot);
      const page = await streamPage<Conversation>(address, query, {
        listIds: (part) => store.conversations.entries(chatbot.id, part),
        readJson: (entries) => store.conversations.written(entries),
      });
      return reply({ status: 200, ...page });
    },

    createConversation: async ({ reply, ...request }) => {
      const { caller, params, body, base } = request;
      const title = body.conversation.title ?? null;
      const answer = await idempotent<Conversation>(
        store,
        'createConversation',
        request,
        async (tx) => {
          const project = await lockProject(tx, caller, params.project_name);
          const chatbot = await findChatbot(tx, project, params.chatbot_name);
          const { greeting } = chatbot.settings;
          const conversation = { title, greeting };
          const { id, pieces } = await tx.conversations.create(
            caller.owner,
            chatbot.id,
            conversation,
          );
          return { chunks: pieces, location: `${addressOf(base, project, chatbot)}/${id}` };
        },
      );
      return reply(answer);
    },

    getConversation: async ({ caller, params, headers, reply }) => {
      const { chatbot } = await findIn(store, caller, params);
      const conversation = await store.conversations.show(chatbot.id, params.conversation_id);
      if (!conversation) throw conversationNotFound(chatbot, params.conversation_id);
      return reply(await conditionalGet<Conversation>(conversation, headers));
    },

    deleteConversation: ({ caller, params, reply }) =>
      inProject(store, caller, params.project_name, async (tx, project) => {
        const chatbot = await findChatbot(tx, project, params.chatbot_name);
        const id = params.conversation_id;
        const isRemoved = await tx.conversations.remove(caller.owner, chatbot.id, id);
        if (!isRemoved) throw conversationNotFound(chatbot, id);
        return reply({ status: 204 });
      }),

    ...messageOperations(store, agents),
  };
}
