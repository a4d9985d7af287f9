/**
 * The views that are loaded when one of them is opened, by `Later`. They are a separate file, in which views that
 * share words are near each other: gzip looks back 32 KiB, and this order saves a hundredth of all scripts.
 */
// biome-ignore-start assist/source/organizeImports: the order decides the size
export { TrainView } from './models/train-view.js';
export { VersionsView } from './models/versions-view.js';
export { ReportView } from './models/report/report-view.js';
export { ModelView, Quality } from './models/model-view.js';
export { RecordView } from './models/record/record-view.js';
export { TryRowView } from './models/try-row-view.js';
export { PredictFileView } from './models/predict-file-view.js';
export { DocumentView } from './documents/document-view.js';
export { DocumentsView } from './documents/documents-view.js';
export { AgentView } from './answers/agent-view.js';
export { ConversationView } from './answers/conversation-view.js';
export { ConversationsView } from './answers/conversations-view.js';
// biome-ignore-end assist/source/organizeImports: the order decides the size
