export type { components, operations, paths } from '../../generated/openapi.js';
export { agentEvents, type StreamCall, type StreamRequest } from './agents/agent-events.js';
export { createRosterClient, type RosterClientOptions } from './client.js';
export type { RosterClient } from './contract/calls.js';
export type { CsvTable, RosterPaths, RowLines } from './contract/paths.js';
export type { Problem, ProblemOf, ProblemType } from './contract/problems.js';
export type {
  Agent,
  AgentEvent,
  AuditEvent,
  Caller,
  Chatbot,
  ClassificationMetrics,
  ClassificationModel,
  Column,
  Conversation,
  Document,
  Effort,
  ForecastModel,
  Message,
  Model,
  ModelStatus,
  Passage,
  PredictionLine,
  PredictionRow,
  Project,
  RegressionMetrics,
  RegressionModel,
  RowWarning,
  Scope,
  Skill,
  Step,
  Usage,
} from './contract/resources.js';
export { type ConditionalRead, revalidate, type Tagged, tagged } from './etag.js';
export type { AnyModels, ModelsOf, ModelTypes, PredictionOf } from './facade/models.js';
export { createRoster, type Roster, type RosterOptions } from './facade/roster.js';
export { isSkillOf, type SkillOf } from './facade/skills.js';
export type { Bytes, Call, CallOptions, Events, List, Read, Result } from './facade/types.js';
export { type FileFormat, MEDIA_TYPES, type PredictionFormat } from './files/file-format.js';
export { type PredictedFile, type PredictFileOptions, predictFile } from './files/predict-file.js';
export { type TrainFileOptions, trainFile } from './files/train-file.js';
export type { FileSource, UploadOptions } from './files/upload.js';
export type { UploadProgress } from './files/upload-progress.js';
export { type ApiKey, apiKey } from './middleware/api-key.js';
export type { DeprecatedCall } from './middleware/deprecation.js';
export { idempotencyKeys } from './middleware/idempotency-keys.js';
export { type RetryOptions, retry } from './middleware/retry.js';
export { TimeoutError, timeout } from './middleware/timeout.js';
export { rosterTypes } from './models/roster-types.js';
export { type RowWarnings, rowWarnings } from './models/row-warnings.js';
export { TrainingFailedError, type UntilReadyOptions, untilReady } from './models/until-ready.js';
export {
  items,
  type ListCall,
  type Page,
  type PageQuery,
  type PagingOptions,
  pages,
  readPage,
} from './paging.js';
export {
  type Answer,
  answered,
  isProblem,
  ProblemError,
  type ProblemErrorOf,
} from './problem-error.js';
export { UnexpectedAnswerError } from './request/unexpected-answer.js';
