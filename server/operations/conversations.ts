import type { Agents } from '../agents/agents.js';
import type { Handlers } from '../pipeline/handlers.js';
import type { Store } from '../store/index.js';

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

export function conversationOperations(_store: Store, _agents: Agents): ConversationOperations {
  const later = async () => {
    throw new Error('in progress');
  };
  return {
    listConversations: later,
    createConversation: later,
    getConversation: later,
    deleteConversation: later,
    listMessages: later,
    sendMessage: later,
    replyToMessage: later,
  };
}
