/** The views of agents that answer and of their documents, which are a file of their own. */
export { AgentView } from './answers/agent-view.js';
export { ConversationView } from './answers/conversation-view.js';
export { ConversationsView } from './answers/conversations-view.js';
export { DocumentView } from './documents/document-view.js';
export { DocumentsView } from './documents/documents-view.js';
