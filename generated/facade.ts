/** Made by `npm run generate` from openapi.yaml: do not edit. */
import type {
  Bytes,
  Call,
  CallOptions,
  CreationOfType,
  Events,
  FacadeOperation,
  JsonBody,
  List,
  PathValue,
  QueryValue,
  Read,
  UpdateOfType,
} from '../client/src/facade/types.js';
import type { components } from './openapi.js';

type Schemas = components['schemas'];
/** A schema as an interface, which editors show by its name. */
type Shape<Name extends keyof Schemas> = Schemas[Name];

/** The outcome for the true values that were added. */
export interface Actuals extends Shape<'Actuals'> {}
/** An agent. It answers questions with the help of its skills. */
export interface Agent extends Shape<'Agent'> {}
/** The project has no agent with this name or identifier. Names are case-sensitive. */
export interface AgentNotFound extends Shape<'AgentNotFound'> {}
/** An act or a refusal. A request that changes something in several steps, such as the truths of a large table, has one event, with the first step. */
export interface AuditEvent extends Shape<'AuditEvent'> {}
/** The body has more bytes than the service accepts. */
export interface BodyTooLarge extends Shape<'BodyTooLarge'> {}
/** The sender of a request, and its rights. */
export interface Caller extends Shape<'Caller'> {}
/** The answer of an agent, in the form of OpenAI's chat completions. */
export interface ChatCompletion extends Shape<'ChatCompletion'> {}
/** Agents answer with the help of a chat server, and this service has none. */
export interface ChatNotConfigured extends Shape<'ChatNotConfigured'> {}
/** The chat server of the service failed, as `error_type` and the detail say: it cannot be reached, refuses the key or the model, takes no more requests, is silent for too long, or sends an answer that cannot be read. */
export interface ChatServerFailed extends Shape<'ChatServerFailed'> {}
/** A chatbot. It puts an agent in front of people. */
export interface Chatbot extends Shape<'Chatbot'> {}
/** The project has no chatbot of this name. Chatbots are found by name only, and names are case-sensitive. */
export interface ChatbotNotFound extends Shape<'ChatbotNotFound'> {}
/** The answer of an agent. */
export interface Completion extends Shape<'Completion'> {}
/** A conversation with a chatbot, without its messages. */
export interface Conversation extends Shape<'Conversation'> {}
/** A conversation answers one message at a time, and it is answering another one. The message was not stored. */
export interface ConversationBusy extends Shape<'ConversationBusy'> {}
/** The chatbot has no conversation with this identifier. */
export interface ConversationNotFound extends Shape<'ConversationNotFound'> {}
/** A document of a skill, without its text. */
export interface Document extends Shape<'Document'> {}
/** The skill has no document of this name. Names are case-sensitive. */
export interface DocumentNotFound extends Shape<'DocumentNotFound'> {}
/** The `Idempotency-Key` was sent within the last 24 hours with a request that had another address or another body. */
export interface IdempotencyKeyReused extends Shape<'IdempotencyKeyReused'> {}
/** The service failed, and not by a fault of the caller. */
export interface InternalError extends Shape<'InternalError'> {}
/** The request is understood but does not fit the contract: a field is missing, unknown, or not of the shape that the operation requires. Each place is in `errors`, as a pointer and the requirement there. */
export interface InvalidRequest extends Shape<'InvalidRequest'> {}
/** A key, without its secret. */
export type Key = Schemas['Key'];
/** No key with this identifier is among those that the caller manages, or it was revoked. */
export interface KeyNotFound extends Shape<'KeyNotFound'> {}
/** The members of `params` that a skill of the type `knowledge_base` has. */
export interface KnowledgeBaseSkillParams extends Shape<'KnowledgeBaseSkillParams'> {}
/** A project holds as many resources of each kind, and an owner has as many projects, as the operator allows (`MAX_RESOURCES`); the JSON and the prompts that a project keeps have at most 16 MiB together; and its agents use its skills at most 100,000 times. All that an owner stores, models and the tables of trainings among it, has at most `MAX_STORED` bytes, and the answers that are kept for an owner under an `Idempotency-Key` at most `MAX_KEPT_ANSWERS`. */
export interface LimitReached extends Shape<'LimitReached'> {}
/** The process is alive. */
export interface Liveness extends Shape<'Liveness'> {}
/** The body could not be read: it is not valid JSON, its encoding is broken, or it broke off. */
export interface MalformedBody extends Shape<'MalformedBody'> {}
/** The resources of a project, each under its kind. Each kind has one of a name, and each skill one document of a name. */
export type Manifest = Schemas['Manifest'];
/** The difference between a project and a manifest. */
export interface ManifestChanges extends Shape<'ManifestChanges'> {}
/** The answer to a request. */
export type McpAnswer = Schemas['McpAnswer'];
/** The members of `params` that a skill of the type `mcp` has. */
export interface McpSkillParams extends Shape<'McpSkillParams'> {}
/** A message of a conversation. */
export interface Message extends Shape<'Message'> {}
/** The conversation has no message of a person with this identifier. */
export interface MessageNotFound extends Shape<'MessageNotFound'> {}
/** The key is valid, but does not have the scope that the operation requires: `read`, `write`, `predict`, `ask`, `operate` or `keys`; or the key is for one project, and the operation creates another; or the operation would create or revoke a key with more rights than the caller's. */
export interface MissingScope extends Shape<'MissingScope'> {}
/** A model, which predicts a number or a class, or forecasts a number, as its `task` says. */
export type Model = Schemas['Model'];
/** The largest errors of a version of a model on rows that it was not trained on, and where it errs most. */
export interface ModelErrors extends Shape<'ModelErrors'> {}
/** The project has no model of this name, or the model has no such version. Models are found by name only, and names are case-sensitive. If the body of the request names the version, `errors` has the field. */
export interface ModelNotFound extends Shape<'ModelNotFound'> {}
/** The model has no version that can answer: its first is still training, or failed; or the requested version is. */
export interface ModelNotReady extends Shape<'ModelNotReady'> {}
/** The record of a version of a model, with the share of its promises that were kept. */
export interface ModelRecord extends Shape<'ModelRecord'> {}
/** The members of `params` that a skill of the type `model` has. */
export interface ModelSkillParams extends Shape<'ModelSkillParams'> {}
/** A resource of the same kind in the same project already has this name. */
export interface NameTaken extends Shape<'NameTaken'> {}
/** A key that was just created, with its secret. */
export type NewKey = Schemas['NewKey'];
/** The newest version of the model was trained from a sent table, so there is no query to run again. */
export interface NoSource extends Shape<'NoSource'> {}
/** The header `Accept` leaves out the media type that this operation answers with. */
export interface NotAcceptable extends Shape<'NotAcceptable'> {}
/** The model cannot be exported as ONNX: it forecasts series, or it learnt from no column. */
export interface NotExportable extends Shape<'NotExportable'> {}
/** An agent, as a model of OpenAI's API. */
export interface OpenaiModel extends Shape<'OpenaiModel'> {}
/** Agents, as models of OpenAI's API. */
export interface OpenaiModels extends Shape<'OpenaiModels'> {}
/** The answer of an agent, in the form of Open Responses. Members about its creation repeat the values in effect. */
export interface OpenaiResponse extends Shape<'OpenaiResponse'> {}
/** The service has no keys, so it trusts every program on its machine, browsers included. This request would change something, and comes from a page of another origin, which may be any page that the browser has open. MCP refuses such pages with a key, too. */
export interface OtherOrigin extends Shape<'OtherOrigin'> {}
/** The request has a condition that does not hold: the resource is not the one that `If-Match` names, or is one that `If-None-Match` excludes. */
export interface PreconditionFailed extends Shape<'PreconditionFailed'> {}
/** A row of the answer. First every input column of the model, echoed as it was sent, or null where it was not; then, for a target `t`: */
export interface PredictionRow extends Shape<'PredictionRow'> {}
/** The response that `previous_response_id` names, or one that it continues, is not stored: it was created with `store: false`, was deleted, was not continued for 30 days, is of another project, or never existed. */
export interface PreviousResponseNotFound extends Shape<'PreviousResponseNotFound'> {}
/** A project. It holds skills, agents, chatbots and models. */
export interface Project extends Shape<'Project'> {}
/** Only an empty project can be deleted, and this one is not empty. */
export interface ProjectNotEmpty extends Shape<'ProjectNotEmpty'> {}
/** There is no project of this name among yours. If the body of the request names it, `errors` has the field. */
export interface ProjectNotFound extends Shape<'ProjectNotFound'> {}
/** The query of a training cannot be run: the database is not open to trainings, the query reads other tables or is not a single SELECT, the database refuses it, or it takes too long or too much memory. Nothing was kept. */
export interface QueryFailed extends Shape<'QueryFailed'> {}
/** The service accepts requests. */
export interface Readiness extends Shape<'Readiness'> {}
/** A message of a person, and the chatbot's reply. */
export interface Reply extends Shape<'Reply'> {}
/** An earlier request with the same `Idempotency-Key` is not answered yet. */
export interface RequestInProgress extends Shape<'RequestInProgress'> {}
/** No response with this identifier is stored. */
export interface ResponseNotFound extends Shape<'ResponseNotFound'> {}
/** The members of `params` that a skill of the type `retrieval` has. */
export interface RetrievalSkillParams extends Shape<'RetrievalSkillParams'> {}
/** The last values of a series. */
export interface SeriesValues extends Shape<'SeriesValues'> {}
/** The service cannot take the request at the moment: it is starting or stopping, it has as many requests or bodies as it can process at once, its store does not answer or is locked, too many writes to one project wait, or too many trainings. A request waits for the store for fifteen seconds at most. */
export interface ServiceUnavailable extends Shape<'ServiceUnavailable'> {}
/** A skill, something that agents can do. */
export interface Skill extends Shape<'Skill'> {}
/** The project has no skill with this name or identifier. Names are case-sensitive. */
export interface SkillNotFound extends Shape<'SkillNotFound'> {}
/** The members of `params` that a skill of the type `sql` has. */
export interface SqlSkillParams extends Shape<'SqlSkillParams'> {}
/** The version of the service. */
export interface Status extends Shape<'Status'> {}
/** The beginning of a table, as `trainModel` would read it with this `header_line` and `sheet`. */
export interface TablePreview extends Shape<'TablePreview'> {}
/** The key or the identity has sent as many requests, predicted as many rows, or used as many tokens of agents as it may for now. `detail` names the limit; the headers `RateLimit` and `RateLimit-Policy` have its size. */
export interface TooManyRequests extends Shape<'TooManyRequests'> {}
/** The version is ready: its training ended before it could be cancelled. */
export interface TrainingEnded extends Shape<'TrainingEnded'> {}
/** A version of this model is training, and a model trains one version at a time. */
export interface TrainingInProgress extends Shape<'TrainingInProgress'> {}
/** The request has no key, or one that the service does not know, that was revoked or that has expired. The problem does not distinguish these. A service without keys refuses any key, and says so. */
export interface Unauthorized extends Shape<'Unauthorized'> {}
/** The body names an agent that does not exist in the project. */
export interface UnknownAgent extends Shape<'UnknownAgent'> {}
/** The agent or chatbot has a `model_name` that is not among the chat models of the service (`CHAT_MODELS`). */
export interface UnknownChatModel extends Shape<'UnknownChatModel'> {}
/** Rows to predict have names that the model does not know, and `unknown=refuse` of the request refuses such rows. */
export interface UnknownNames extends Shape<'UnknownNames'> {}
/** The body names a skill that does not exist in the project. */
export interface UnknownSkill extends Shape<'UnknownSkill'> {}
/** The header `Content-Type` is missing or names a media type, a charset or an encoding that this operation does not accept. */
export interface UnsupportedMediaType extends Shape<'UnsupportedMediaType'> {}
/** Skills of the types `model`, `sql`, `retrieval` and `knowledge_base` are tools of agents. This one has `params` that no agent could use, or a type that does not fit the request. */
export interface UnusableSkill extends Shape<'UnusableSkill'> {}
/** The table was read, but no model can be trained from it: the target is missing, or cannot be predicted as numbers or as classes, there are too few rows, a line is broken, or no column could be used. */
export interface UnusableTable extends Shape<'UnusableTable'> {}
/** The version of the model cannot be deleted: it answers the model's predictions, or is its only version. */
export interface VersionInUse extends Shape<'VersionInUse'> {}

/** The problems that any request with a key may get. */
export type CommonProblem =
  | Unauthorized
  | TooManyRequests
  | InternalError
  | ServiceUnavailable;

/** The problems of `getCaller`. */
export type GetCallerProblem = CommonProblem | InvalidRequest | NotAcceptable;

/** The problems of `listKeys`. */
export type ListKeysProblem = CommonProblem | InvalidRequest | MissingScope | NotAcceptable;

/** The problems of `createKey`. */
export type CreateKeyProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | LimitReached | RequestInProgress | BodyTooLarge | UnsupportedMediaType | IdempotencyKeyReused;

/** The problems of `getKey`. */
export type GetKeyProblem = CommonProblem | InvalidRequest | MissingScope | KeyNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `deleteKey`. */
export type DeleteKeyProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | KeyNotFound | PreconditionFailed;

/** The problems of `listProjects`. */
export type ListProjectsProblem = CommonProblem | InvalidRequest | MissingScope | NotAcceptable;

/** The problems of `createProject`. */
export type CreateProjectProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | NotAcceptable | NameTaken | LimitReached | RequestInProgress | BodyTooLarge | UnsupportedMediaType | IdempotencyKeyReused;

/** The problems of `getProject`. */
export type GetProjectProblem = CommonProblem | InvalidRequest | MissingScope | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `deleteProject`. */
export type DeleteProjectProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ProjectNotFound | ProjectNotEmpty | PreconditionFailed;

/** The problems of `getManifest`. */
export type GetManifestProblem = CommonProblem | InvalidRequest | MissingScope | ProjectNotFound | NotAcceptable | LimitReached | PreconditionFailed;

/** The problems of `applyManifest`. */
export type ApplyManifestProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | TrainingInProgress | LimitReached | PreconditionFailed | BodyTooLarge | UnsupportedMediaType | UnusableSkill | UnknownSkill | UnknownAgent | QueryFailed | UnusableTable;

/** The problems of `listSkills`. */
export type ListSkillsProblem = CommonProblem | InvalidRequest | MissingScope | ProjectNotFound | NotAcceptable;

/** The problems of `createSkill`. */
export type CreateSkillProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | NameTaken | LimitReached | RequestInProgress | BodyTooLarge | UnsupportedMediaType | UnusableSkill | IdempotencyKeyReused;

/** The `params` of each type of skill that the service knows. */
export interface SkillParams {
  model: ModelSkillParams;
  sql: SqlSkillParams;
  retrieval: RetrievalSkillParams;
  knowledge_base: KnowledgeBaseSkillParams;
  mcp: McpSkillParams;
}

/** The problems of `getSkill`. */
export type GetSkillProblem = CommonProblem | InvalidRequest | MissingScope | SkillNotFound | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `updateSkill`. */
export type UpdateSkillProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | SkillNotFound | ProjectNotFound | NotAcceptable | NameTaken | LimitReached | PreconditionFailed | BodyTooLarge | UnsupportedMediaType | UnusableSkill;

/** The problems of `deleteSkill`. */
export type DeleteSkillProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | SkillNotFound | ProjectNotFound | PreconditionFailed;

/** The problems of `listDocuments`. */
export type ListDocumentsProblem = CommonProblem | InvalidRequest | MissingScope | SkillNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `getDocument`. */
export type GetDocumentProblem = CommonProblem | InvalidRequest | MissingScope | DocumentNotFound | SkillNotFound | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `putDocument`. */
export type PutDocumentProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | SkillNotFound | ProjectNotFound | NotAcceptable | LimitReached | PreconditionFailed | BodyTooLarge | UnsupportedMediaType | UnusableSkill;

/** The problems of `deleteDocument`. */
export type DeleteDocumentProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | DocumentNotFound | SkillNotFound | ProjectNotFound | PreconditionFailed;

/** The problems of `listAgents`. */
export type ListAgentsProblem = CommonProblem | InvalidRequest | MissingScope | ProjectNotFound | NotAcceptable;

/** The problems of `createAgent`. */
export type CreateAgentProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | NameTaken | LimitReached | RequestInProgress | BodyTooLarge | UnsupportedMediaType | UnknownSkill | IdempotencyKeyReused;

/** The problems of `getAgent`. */
export type GetAgentProblem = CommonProblem | InvalidRequest | MissingScope | AgentNotFound | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `updateAgent`. */
export type UpdateAgentProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | AgentNotFound | ProjectNotFound | NotAcceptable | NameTaken | LimitReached | PreconditionFailed | BodyTooLarge | UnsupportedMediaType | UnknownSkill;

/** The problems of `deleteAgentByPlural`. */
export type DeleteAgentByPluralProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | AgentNotFound | ProjectNotFound | PreconditionFailed;

/** The problems of `completeAgent`. */
export type CompleteAgentProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | AgentNotFound | ProjectNotFound | NotAcceptable | UnknownChatModel | BodyTooLarge | UnsupportedMediaType | ChatNotConfigured | ChatServerFailed;

/** The problems of `streamAgent`. */
export type StreamAgentProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | AgentNotFound | ProjectNotFound | NotAcceptable | UnknownChatModel | BodyTooLarge | UnsupportedMediaType | ChatNotConfigured;

/** The problems of `deleteAgent`. */
export type DeleteAgentProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | AgentNotFound | ProjectNotFound | PreconditionFailed;

/** The problems of `listChatbots`. */
export type ListChatbotsProblem = CommonProblem | InvalidRequest | MissingScope | ProjectNotFound | NotAcceptable;

/** The problems of `createChatbot`. */
export type CreateChatbotProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | NameTaken | LimitReached | RequestInProgress | BodyTooLarge | UnsupportedMediaType | UnknownAgent | IdempotencyKeyReused;

/** The problems of `getChatbot`. */
export type GetChatbotProblem = CommonProblem | InvalidRequest | MissingScope | ChatbotNotFound | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `updateChatbot`. */
export type UpdateChatbotProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | NameTaken | LimitReached | PreconditionFailed | BodyTooLarge | UnsupportedMediaType | UnknownAgent;

/** The problems of `deleteChatbot`. */
export type DeleteChatbotProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ChatbotNotFound | ProjectNotFound | PreconditionFailed;

/** The problems of `listConversations`. */
export type ListConversationsProblem = CommonProblem | InvalidRequest | MissingScope | ChatbotNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `createConversation`. */
export type CreateConversationProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ChatbotNotFound | ProjectNotFound | NotAcceptable | LimitReached | RequestInProgress | BodyTooLarge | UnsupportedMediaType | IdempotencyKeyReused;

/** The problems of `getConversation`. */
export type GetConversationProblem = CommonProblem | InvalidRequest | MissingScope | ConversationNotFound | ChatbotNotFound | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `deleteConversation`. */
export type DeleteConversationProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ConversationNotFound | ChatbotNotFound | ProjectNotFound | PreconditionFailed;

/** The problems of `listMessages`. */
export type ListMessagesProblem = CommonProblem | InvalidRequest | MissingScope | ConversationNotFound | ChatbotNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `sendMessage`. */
export type SendMessageProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ConversationNotFound | ChatbotNotFound | ProjectNotFound | NotAcceptable | ConversationBusy | UnknownChatModel | LimitReached | RequestInProgress | BodyTooLarge | UnsupportedMediaType | IdempotencyKeyReused | ChatNotConfigured | ChatServerFailed;

/** The problems of `replyToMessage`. */
export type ReplyToMessageProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | MessageNotFound | ConversationNotFound | ChatbotNotFound | ProjectNotFound | NotAcceptable | ConversationBusy | UnknownChatModel | LimitReached | RequestInProgress | ChatNotConfigured | ChatServerFailed;

/** The problems of `listModels`. */
export type ListModelsProblem = CommonProblem | InvalidRequest | MissingScope | ProjectNotFound | NotAcceptable;

/** The problems of `getModel`. */
export type GetModelProblem = CommonProblem | InvalidRequest | MissingScope | ModelNotFound | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `trainModel`. */
export type TrainModelProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | TrainingInProgress | LimitReached | PreconditionFailed | BodyTooLarge | UnsupportedMediaType | UnusableTable | QueryFailed;

/** The problems of `deleteModel`. */
export type DeleteModelProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | PreconditionFailed;

/** The problems of `predict`. */
export type PredictProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | NotAcceptable | ModelNotReady | LimitReached | BodyTooLarge | UnsupportedMediaType | UnknownNames;

/** The problems of `getOnnx`. */
export type GetOnnxProblem = CommonProblem | InvalidRequest | MissingScope | ModelNotFound | ProjectNotFound | NotAcceptable | NotExportable | ModelNotReady | PreconditionFailed;

/** The problems of `getErrors`. */
export type GetErrorsProblem = CommonProblem | InvalidRequest | MissingScope | ModelNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `getSeries`. */
export type GetSeriesProblem = CommonProblem | InvalidRequest | MissingScope | ModelNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `cancelTraining`. */
export type CancelTrainingProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | NotAcceptable | TrainingEnded | PreconditionFailed;

/** The problems of `updateModel`. */
export type UpdateModelProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | NotAcceptable | NameTaken | LimitReached | PreconditionFailed | BodyTooLarge | UnsupportedMediaType;

/** The problems of `retrainModel`. */
export type RetrainModelProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | NotAcceptable | NoSource | TrainingInProgress | LimitReached | PreconditionFailed | QueryFailed | UnusableTable;

/** The problems of `addActuals`. */
export type AddActualsProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | NotAcceptable | BodyTooLarge | UnsupportedMediaType;

/** The problems of `getRecord`. */
export type GetRecordProblem = CommonProblem | InvalidRequest | MissingScope | ModelNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `previewTable`. */
export type PreviewTableProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | BodyTooLarge | UnsupportedMediaType | UnusableTable;

/** The problems of `listVersions`. */
export type ListVersionsProblem = CommonProblem | InvalidRequest | MissingScope | ModelNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `getVersion`. */
export type GetVersionProblem = CommonProblem | InvalidRequest | MissingScope | ModelNotFound | ProjectNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `deleteVersion`. */
export type DeleteVersionProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | VersionInUse | TrainingInProgress | PreconditionFailed;

/** The problems of `serveVersion`. */
export type ServeVersionProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | ModelNotFound | ProjectNotFound | NotAcceptable | ModelNotReady | PreconditionFailed | BodyTooLarge | UnsupportedMediaType;

/** The problems of `callMcp`. */
export type CallMcpProblem = CommonProblem | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | BodyTooLarge | UnsupportedMediaType;

/** The problems of `callMcpOfProject`. */
export type CallMcpOfProjectProblem = CommonProblem | MissingScope | OtherOrigin | ProjectNotFound | NotAcceptable | BodyTooLarge | UnsupportedMediaType;

/** The problems of `getOpenaiModels`. */
export type GetOpenaiModelsProblem = CommonProblem | InvalidRequest | MissingScope | NotAcceptable;

/** The problems of `getOpenaiModel`. */
export type GetOpenaiModelProblem = CommonProblem | InvalidRequest | MissingScope | AgentNotFound | ProjectNotFound | NotAcceptable;

/** The problems of `completeChat`. */
export type CompleteChatProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | AgentNotFound | ProjectNotFound | NotAcceptable | UnknownChatModel | BodyTooLarge | UnsupportedMediaType | ChatNotConfigured | ChatServerFailed;

/** The problems of `completeResponse`. */
export type CompleteResponseProblem = CommonProblem | InvalidRequest | MalformedBody | MissingScope | OtherOrigin | PreviousResponseNotFound | AgentNotFound | ProjectNotFound | NotAcceptable | UnknownChatModel | BodyTooLarge | UnsupportedMediaType | ChatNotConfigured | ChatServerFailed;

/** The problems of `getResponse`. */
export type GetResponseProblem = CommonProblem | InvalidRequest | MissingScope | ResponseNotFound | NotAcceptable | PreconditionFailed;

/** The problems of `deleteResponse`. */
export type DeleteResponseProblem = CommonProblem | InvalidRequest | MissingScope | OtherOrigin | ResponseNotFound | PreconditionFailed;

/** The problems of `getLiveness`. */
export type GetLivenessProblem = InvalidRequest | NotAcceptable | InternalError;

/** The problems of `getReadiness`. */
export type GetReadinessProblem = InvalidRequest | NotAcceptable | InternalError | ServiceUnavailable;

/** The problems of `getStatus`. */
export type GetStatusProblem = InvalidRequest | NotAcceptable | InternalError;

/** The problems of `getMetrics`. */
export type GetMetricsProblem = CommonProblem | InvalidRequest | MissingScope | NotAcceptable;

/** The problems of `listAudit`. */
export type ListAuditProblem = CommonProblem | InvalidRequest | MissingScope | NotAcceptable;

/** The sender of a request, the rights of its key, and the limits of its requests. */
export interface CallerOperations {
  /**
   * Returns the caller: the owner, the key or the identity, its scopes, and the limits of its requests. Any valid key may call it, with any scopes. A service without keys answers with its local owner, who has all scopes.
   *
   * @throws ProblemError with a `GetCallerProblem`
   */
  get(options?: CallOptions): Read<Caller, GetCallerProblem>;
}

/** The options of `keys.list`. */
export interface ListKeysOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listKeys', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listKeys', 'query', 'cursor'> | undefined;
}

/** The options of `keys.create`. */
export interface CreateKeyOptions extends CallOptions {
  /** A key of the caller's choice for this creation, such as a UUID. Sent again with the same key within 24 hours, the request gets the first answer again and creates nothing: repeat a request whose answer was lost. A failed request is not remembered. Another request under the same key gets 422; a repetition that arrives while the first is in progress waits for its answer, or gets 409. */
  idempotencyKey?: QueryValue<'createKey', 'header', 'Idempotency-Key'> | undefined;
}

/** The options of `keys.get`. */
export interface GetKeyOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getKey', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getKey', 'header', 'If-None-Match'> | undefined;
}

/** The options of `keys.delete`. */
export interface DeleteKeyOptions extends CallOptions {
  /** Whether the keys stay that were made with this one, as for one that takes its place. They then count as made by the key that made this one. */
  keepMade?: QueryValue<'deleteKey', 'query', 'keep_made'> | undefined;
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteKey', 'header', 'If-Match'> | undefined;
}

/** The keys of an owner, managed by those of its keys that have the scope `keys`. The first key of a service is made with `roster keys create`. */
export interface KeysOperations {
  /**
   * Returns the keys of the owner that are not revoked, in order of creation. A key for one project sees those of that project.
   *
   * @throws ProblemError with a `ListKeysProblem`
   */
  list(options?: ListKeysOptions): List<Key[][number], ListKeysProblem>;

  /**
   * Creates a key of the caller's owner, and returns it only this once: the store keeps a hash of its secret.
   *
   * @param key The key to create.
   * @throws ProblemError with a `CreateKeyProblem`
   */
  create(key: JsonBody<'createKey'>['key'], options?: CreateKeyOptions): Call<NewKey, CreateKeyProblem>;

  /**
   * Returns one key, found by its identifier, without its secret.
   *
   * @param id The identifier of the key, its part between the two `_`.
   * @throws ProblemError with a `GetKeyProblem`
   */
  get(id: PathValue<'getKey', 'key_id'>, options?: GetKeyOptions): Read<Key, GetKeyProblem>;

  /**
   * Revokes a key permanently, with the keys that it created, and the keys of those. All instances refuse them within a second, and end their streams. A key with more rights than the caller's is not revoked. A key may revoke itself; a service whose last key was revoked still requires a key.
   *
   * @param id The identifier of the key, its part between the two `_`.
   * @throws ProblemError with a `DeleteKeyProblem`
   */
  delete(id: PathValue<'deleteKey', 'key_id'>, options?: DeleteKeyOptions): Call<undefined, DeleteKeyProblem>;
}

/** The options of `projects.list`. */
export interface ListProjectsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listProjects', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listProjects', 'query', 'cursor'> | undefined;
}

/** The options of `projects.create`. */
export interface CreateProjectOptions extends CallOptions {
  /** A key of the caller's choice for this creation, such as a UUID. Sent again with the same key within 24 hours, the request gets the first answer again and creates nothing: repeat a request whose answer was lost. A failed request is not remembered. Another request under the same key gets 422; a repetition that arrives while the first is in progress waits for its answer, or gets 409. */
  idempotencyKey?: QueryValue<'createProject', 'header', 'Idempotency-Key'> | undefined;
}

/** The options of `projects.get`. */
export interface GetProjectOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getProject', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getProject', 'header', 'If-None-Match'> | undefined;
}

/** The options of `projects.delete`. */
export interface DeleteProjectOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteProject', 'header', 'If-Match'> | undefined;
}

/** The options of `projects.getManifest`. */
export interface GetManifestOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getManifest', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getManifest', 'header', 'If-None-Match'> | undefined;
}

/** The options of `projects.applyManifest`. */
export interface ApplyManifestOptions extends CallOptions {
  /** Whether the changes are only listed. They are checked as if they were to be made, but for rows of trainings. */
  dryRun?: QueryValue<'applyManifest', 'query', 'dry_run'> | undefined;
  /** Whether resources that the manifest does not name are deleted. */
  prune?: QueryValue<'applyManifest', 'query', 'prune'> | undefined;
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'applyManifest', 'header', 'If-Match'> | undefined;
}

/** A project holds skills, agents, chatbots and models. It belongs to the owner of the key that created it. Each owner begins with one empty project, `default`. Projects are found by name. */
export interface ProjectsOperations {
  /**
   * Returns all projects of the owner, in order of creation.
   *
   * @throws ProblemError with a `ListProjectsProblem`
   */
  list(options?: ListProjectsOptions): List<Project[][number], ListProjectsProblem>;

  /**
   * Creates an empty project.
   *
   * @param project The project to create.
   * @throws ProblemError with a `CreateProjectProblem`
   */
  create(project: JsonBody<'createProject'>['project'], options?: CreateProjectOptions): Call<Project, CreateProjectProblem>;

  /**
   * Returns one project, found by name.
   *
   * @param name The name of the project.
   * @throws ProblemError with a `GetProjectProblem`
   */
  get(name: PathValue<'getProject', 'project_name'>, options?: GetProjectOptions): Read<Project, GetProjectProblem>;

  /**
   * Deletes a project by name. A project that is not empty is not deleted.
   *
   * @param name The name of the project.
   * @throws ProblemError with a `DeleteProjectProblem`
   */
  delete(name: PathValue<'deleteProject', 'project_name'>, options?: DeleteProjectOptions): Call<undefined, DeleteProjectProblem>;

  /**
   * Returns the input of `applyManifest`: the skills with their documents, the agents, the chatbots, and the models with the query that each was trained from, sorted by kind and name. It has only names, no identifiers and times, so a project that it is applied to has the same manifest.
   *
   * @param name The name of the project.
   * @throws ProblemError with a `GetManifestProblem`
   */
  getManifest(name: PathValue<'getManifest', 'project_name'>, options?: GetManifestOptions): Read<Manifest, GetManifestProblem>;

  /**
   * Changes a project to match the manifest, in one transaction: all changes are made, or none. The answer lists the changes. With `dry_run=true`, it lists the changes without making them.
   *
   * @param name The name of the project.
   * @param body The resources of the project, in any order.
   * @throws ProblemError with a `ApplyManifestProblem`
   */
  applyManifest(name: PathValue<'applyManifest', 'project_name'>, body: JsonBody<'applyManifest'>, options?: ApplyManifestOptions): Call<ManifestChanges, ApplyManifestProblem>;
}

/** The options of `skills.list`. */
export interface ListSkillsOptions extends CallOptions {
  /** The name or identifier of an agent whose skills are wanted. May be repeated. */
  agent?: QueryValue<'listSkills', 'query', 'agent'> | undefined;
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listSkills', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listSkills', 'query', 'cursor'> | undefined;
}

/** The options of `skills.create`. */
export interface CreateSkillOptions extends CallOptions {
  /** A key of the caller's choice for this creation, such as a UUID. Sent again with the same key within 24 hours, the request gets the first answer again and creates nothing: repeat a request whose answer was lost. A failed request is not remembered. Another request under the same key gets 422; a repetition that arrives while the first is in progress waits for its answer, or gets 409. */
  idempotencyKey?: QueryValue<'createSkill', 'header', 'Idempotency-Key'> | undefined;
}

/** The options of `skills.get`. */
export interface GetSkillOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getSkill', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getSkill', 'header', 'If-None-Match'> | undefined;
}

/** The options of `skills.update`. */
export interface UpdateSkillOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'updateSkill', 'header', 'If-Match'> | undefined;
  /** With `*`, the request only creates. If the resource exists, the answer is 412 and nothing is written. */
  ifNoneMatch?: QueryValue<'updateSkill', 'header', 'If-None-Match'> | undefined;
}

/** The options of `skills.delete`. */
export interface DeleteSkillOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteSkill', 'header', 'If-Match'> | undefined;
}

/** A skill is something that an agent can do, such as querying a database. Skills are found by name or identifier. Skills of five types are tools of agents; their `params` are checked when they are written: */
export interface SkillsOperations {
  /**
   * Returns all skills of the project, in order of creation. With `agent`, those that the agent uses; with `agent` sent several times, those that any of the agents uses. An agent that does not exist matches nothing.
   *
   * @throws ProblemError with a `ListSkillsProblem`
   */
  list(options?: ListSkillsOptions): List<Skill[][number], ListSkillsProblem>;

  /**
   * Creates a new skill.
   *
   * @param skill The skill to create.
   * @throws ProblemError with a `CreateSkillProblem`
   */
  create<const Type extends string>(skill: CreationOfType<JsonBody<'createSkill'>['skill'], 'params', Type, SkillParams>, options?: CreateSkillOptions): Call<Skill, CreateSkillProblem>;

  /**
   * Returns one skill, found by name or identifier.
   *
   * @param name The name or the identifier of the skill.
   * @throws ProblemError with a `GetSkillProblem`
   */
  get(name: PathValue<'getSkill', 'skill_name'>, options?: GetSkillOptions): Read<Skill, GetSkillProblem>;

  /**
   * Updates the fields that are sent. `params` merges one level deep; `name` renames the skill.
   *
   * @param name The name or the identifier of the skill.
   * @param skill The changes.
   * @throws ProblemError with a `UpdateSkillProblem`
   */
  update<const Type extends string>(name: PathValue<'updateSkill', 'skill_name'>, skill: UpdateOfType<JsonBody<'updateSkill'>['skill'], 'params', Type, SkillParams>, options?: UpdateSkillOptions): Call<Skill, UpdateSkillProblem>;

  /**
   * Deletes a skill by name or identifier, and takes it off the agents that use it.
   *
   * @param name The name or the identifier of the skill.
   * @throws ProblemError with a `DeleteSkillProblem`
   */
  delete(name: PathValue<'deleteSkill', 'skill_name'>, options?: DeleteSkillOptions): Call<undefined, DeleteSkillProblem>;
}

/** The options of `documents.list`. */
export interface ListDocumentsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listDocuments', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listDocuments', 'query', 'cursor'> | undefined;
}

/** The options of `documents.get`. */
export interface GetDocumentOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getDocument', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getDocument', 'header', 'If-None-Match'> | undefined;
}

/** The options of `documents.put`. */
export interface PutDocumentOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'putDocument', 'header', 'If-Match'> | undefined;
  /** With `*`, the request only creates. If the resource exists, the answer is 412 and nothing is written. */
  ifNoneMatch?: QueryValue<'putDocument', 'header', 'If-None-Match'> | undefined;
  /** The format of a body that is text, a Blob or a stream. Without it, that of the Blob, or text as `text/…`. */
  contentType?: 'text/markdown' | 'text/plain' | undefined;
}

/** The options of `documents.delete`. */
export interface DeleteDocumentOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteDocument', 'header', 'If-Match'> | undefined;
}

/** The documents of the project. */
export interface DocumentsOperations {
  /**
   * Returns the documents of the skill without their text, in order of creation.
   *
   * @param skill The name or the identifier of the skill, which must be of the type `retrieval` or `knowledge_base`.
   * @throws ProblemError with a `ListDocumentsProblem`
   */
  list(skill: PathValue<'listDocuments', 'skill_name'>, options?: ListDocumentsOptions): List<Document[][number], ListDocumentsProblem>;

  /**
   * Returns the text of the document as it was sent, with its media type.
   *
   * @param skill The name or the identifier of the skill, which must be of the type `retrieval` or `knowledge_base`.
   * @param name The name of the document, such as that of its file.
   * @throws ProblemError with a `GetDocumentProblem`
   */
  get(skill: PathValue<'getDocument', 'skill_name'>, name: PathValue<'getDocument', 'document_name'>, options?: GetDocumentOptions): Read<string, GetDocumentProblem>;

  /**
   * Stores a document for the agents that have the skill, which must be of the type `retrieval` or `knowledge_base`. The text is UTF-8, plain or Markdown, of at most 4 MiB. It is split into passages at its headings and paragraphs, and found by the full-text search of the service's database.
   *
   * @param skill The name or the identifier of the skill, which must be of the type `retrieval` or `knowledge_base`.
   * @param name The name of the document, such as that of its file.
   * @param body The text of the document.
   * @throws ProblemError with a `PutDocumentProblem`
   */
  put(skill: PathValue<'putDocument', 'skill_name'>, name: PathValue<'putDocument', 'document_name'>, body: Bytes, options?: PutDocumentOptions): Call<Document, PutDocumentProblem>;

  /**
   * Deletes the document. Agents no longer find it. `If-Match` takes the `ETag` of `getDocument`.
   *
   * @param skill The name or the identifier of the skill, which must be of the type `retrieval` or `knowledge_base`.
   * @param name The name of the document, such as that of its file.
   * @throws ProblemError with a `DeleteDocumentProblem`
   */
  delete(skill: PathValue<'deleteDocument', 'skill_name'>, name: PathValue<'deleteDocument', 'document_name'>, options?: DeleteDocumentOptions): Call<undefined, DeleteDocumentProblem>;
}

/** The options of `agents.list`. */
export interface ListAgentsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listAgents', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listAgents', 'query', 'cursor'> | undefined;
}

/** The options of `agents.create`. */
export interface CreateAgentOptions extends CallOptions {
  /** A key of the caller's choice for this creation, such as a UUID. Sent again with the same key within 24 hours, the request gets the first answer again and creates nothing: repeat a request whose answer was lost. A failed request is not remembered. Another request under the same key gets 422; a repetition that arrives while the first is in progress waits for its answer, or gets 409. */
  idempotencyKey?: QueryValue<'createAgent', 'header', 'Idempotency-Key'> | undefined;
}

/** The options of `agents.get`. */
export interface GetAgentOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getAgent', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getAgent', 'header', 'If-None-Match'> | undefined;
}

/** The options of `agents.update`. */
export interface UpdateAgentOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'updateAgent', 'header', 'If-Match'> | undefined;
  /** With `*`, the request only creates. If the resource exists, the answer is 412 and nothing is written. */
  ifNoneMatch?: QueryValue<'updateAgent', 'header', 'If-None-Match'> | undefined;
}

/** The options of `agents.deleteByPlural`. */
export interface DeleteAgentByPluralOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteAgentByPlural', 'header', 'If-Match'> | undefined;
}

/** The options of `agents.delete`. */
export interface DeleteAgentOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteAgent', 'header', 'If-Match'> | undefined;
}

/** An agent answers questions with the help of its skills. Agents are found by name or identifier. */
export interface AgentsOperations {
  /**
   * Returns all agents of the project, in order of creation.
   *
   * @throws ProblemError with a `ListAgentsProblem`
   */
  list(options?: ListAgentsOptions): List<Agent[][number], ListAgentsProblem>;

  /**
   * Creates a new agent. Each of its skills must exist in the project; one that does not is a 422, and no agent is created.
   *
   * @param agent The agent to create.
   * @throws ProblemError with a `CreateAgentProblem`
   */
  create(agent: JsonBody<'createAgent'>['agent'], options?: CreateAgentOptions): Call<Agent, CreateAgentProblem>;

  /**
   * Returns one agent, found by name or identifier.
   *
   * @param name The name or the identifier of the agent.
   * @throws ProblemError with a `GetAgentProblem`
   */
  get(name: PathValue<'getAgent', 'agent_name'>, options?: GetAgentOptions): Read<Agent, GetAgentProblem>;

  /**
   * Updates the fields that are sent. `name` renames the agent, and `model` and `data` are replaced as a whole.
   *
   * @param name The name or the identifier of the agent.
   * @param agent The changes.
   * @throws ProblemError with a `UpdateAgentProblem`
   */
  update(name: PathValue<'updateAgent', 'agent_name'>, agent: JsonBody<'updateAgent'>['agent'], options?: UpdateAgentOptions): Call<Agent, UpdateAgentProblem>;

  /**
   * Deletes an agent as `deleteAgent` does. Use that operation instead: clients of this interface have always deleted agents at the singular address, so that one stays.
   *
   * @param name The name or the identifier of the agent.
   * @throws ProblemError with a `DeleteAgentByPluralProblem`
   */
  deleteByPlural(name: PathValue<'deleteAgentByPlural', 'agent_name'>, options?: DeleteAgentByPluralOptions): Call<undefined, DeleteAgentByPluralProblem>;

  /**
   * Asks the agent the last of the messages, and returns its answer. The earlier messages are the history. The agent may use its skills before it answers; `steps` shows each use, with its result or its failure.
   *
   * @param name The name or the identifier of the agent.
   * @param body The conversation so far. Its last message is the question.
   * @throws ProblemError with a `CompleteAgentProblem`
   */
  complete(name: PathValue<'completeAgent', 'agent_name'>, body: JsonBody<'completeAgent'>, options?: CallOptions): Call<Completion, CompleteAgentProblem>;

  /**
   * Does the same as `completeAgent`, and sends each step and each piece of text as it happens, as server-sent events. Every `data` is JSON. Comments (`: ping`) keep the connection alive while nothing happens. The last event is always `{"type": "end"}`; an `error` event before it names the failure.
   *
   * @param name The name or the identifier of the agent.
   * @param body The conversation so far. Its last message is the question.
   * @throws ProblemError with a `StreamAgentProblem`
   */
  stream(name: PathValue<'streamAgent', 'agent_name'>, body: JsonBody<'streamAgent'>, options?: CallOptions): Events;

  /**
   * Deletes an agent by name or identifier. The segment `agent` is singular here, as the clients of this interface have always sent it. Its skills stay; chatbots that used it are left without an agent.
   *
   * @param name The name or the identifier of the agent.
   * @throws ProblemError with a `DeleteAgentProblem`
   */
  delete(name: PathValue<'deleteAgent', 'agent_name'>, options?: DeleteAgentOptions): Call<undefined, DeleteAgentProblem>;
}

/** The options of `chatbots.list`. */
export interface ListChatbotsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listChatbots', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listChatbots', 'query', 'cursor'> | undefined;
}

/** The options of `chatbots.create`. */
export interface CreateChatbotOptions extends CallOptions {
  /** A key of the caller's choice for this creation, such as a UUID. Sent again with the same key within 24 hours, the request gets the first answer again and creates nothing: repeat a request whose answer was lost. A failed request is not remembered. Another request under the same key gets 422; a repetition that arrives while the first is in progress waits for its answer, or gets 409. */
  idempotencyKey?: QueryValue<'createChatbot', 'header', 'Idempotency-Key'> | undefined;
}

/** The options of `chatbots.get`. */
export interface GetChatbotOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getChatbot', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getChatbot', 'header', 'If-None-Match'> | undefined;
}

/** The options of `chatbots.update`. */
export interface UpdateChatbotOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'updateChatbot', 'header', 'If-Match'> | undefined;
  /** With `*`, the request only creates. If the resource exists, the answer is 412 and nothing is written. */
  ifNoneMatch?: QueryValue<'updateChatbot', 'header', 'If-None-Match'> | undefined;
}

/** The options of `chatbots.delete`. */
export interface DeleteChatbotOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteChatbot', 'header', 'If-Match'> | undefined;
}

/** A chatbot puts one agent in front of people. Chatbots are found by name. */
export interface ChatbotsOperations {
  /**
   * Returns all chatbots of the project, in order of creation.
   *
   * @throws ProblemError with a `ListChatbotsProblem`
   */
  list(options?: ListChatbotsOptions): List<Chatbot[][number], ListChatbotsProblem>;

  /**
   * Creates a new chatbot. An agent that is named must exist in the project.
   *
   * @param chatbot The chatbot to create.
   * @throws ProblemError with a `CreateChatbotProblem`
   */
  create(chatbot: JsonBody<'createChatbot'>['chatbot'], options?: CreateChatbotOptions): Call<Chatbot, CreateChatbotProblem>;

  /**
   * Returns one chatbot, found by name.
   *
   * @param name The name of the chatbot.
   * @throws ProblemError with a `GetChatbotProblem`
   */
  get(name: PathValue<'getChatbot', 'chatbot_name'>, options?: GetChatbotOptions): Read<Chatbot, GetChatbotProblem>;

  /**
   * Updates the fields that are sent. `settings` merges one level deep; any other field that is sent replaces the stored one, and `name` renames the chatbot. If the chatbot does not exist, it is created under the name of the address; a `name` in the body must then be the same.
   *
   * @param name The name of the chatbot. A chatbot that does not exist is created.
   * @param chatbot The changes, or the chatbot to create.
   * @throws ProblemError with a `UpdateChatbotProblem`
   */
  update(name: PathValue<'updateChatbot', 'chatbot_name'>, chatbot: JsonBody<'updateChatbot'>['chatbot'], options?: UpdateChatbotOptions): Call<Chatbot, UpdateChatbotProblem>;

  /**
   * Deletes a chatbot by name.
   *
   * @param name The name of the chatbot.
   * @throws ProblemError with a `DeleteChatbotProblem`
   */
  delete(name: PathValue<'deleteChatbot', 'chatbot_name'>, options?: DeleteChatbotOptions): Call<undefined, DeleteChatbotProblem>;
}

/** The options of `conversations.list`. */
export interface ListConversationsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listConversations', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listConversations', 'query', 'cursor'> | undefined;
}

/** The options of `conversations.create`. */
export interface CreateConversationOptions extends CallOptions {
  /** A key of the caller's choice for this creation, such as a UUID. Sent again with the same key within 24 hours, the request gets the first answer again and creates nothing: repeat a request whose answer was lost. A failed request is not remembered. Another request under the same key gets 422; a repetition that arrives while the first is in progress waits for its answer, or gets 409. */
  idempotencyKey?: QueryValue<'createConversation', 'header', 'Idempotency-Key'> | undefined;
}

/** The options of `conversations.get`. */
export interface GetConversationOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getConversation', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getConversation', 'header', 'If-None-Match'> | undefined;
}

/** The options of `conversations.delete`. */
export interface DeleteConversationOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteConversation', 'header', 'If-Match'> | undefined;
}

/** A conversation holds the messages between a person and a chatbot, and the replies of its agent. */
export interface ConversationsOperations {
  /**
   * Returns the conversations of the chatbot, in order of creation.
   *
   * @param chatbot The name of the chatbot.
   * @throws ProblemError with a `ListConversationsProblem`
   */
  list(chatbot: PathValue<'listConversations', 'chatbot_name'>, options?: ListConversationsOptions): List<Conversation[][number], ListConversationsProblem>;

  /**
   * Begins a conversation with the chatbot. The chatbot's setting `greeting` becomes its first message.
   *
   * @param chatbot The name of the chatbot.
   * @param conversation The conversation to create.
   * @throws ProblemError with a `CreateConversationProblem`
   */
  create(chatbot: PathValue<'createConversation', 'chatbot_name'>, conversation: JsonBody<'createConversation'>['conversation'], options?: CreateConversationOptions): Call<Conversation, CreateConversationProblem>;

  /**
   * Returns one conversation without its messages.
   *
   * @param chatbot The name of the chatbot.
   * @param id The identifier of the conversation.
   * @throws ProblemError with a `GetConversationProblem`
   */
  get(chatbot: PathValue<'getConversation', 'chatbot_name'>, id: PathValue<'getConversation', 'conversation_id'>, options?: GetConversationOptions): Read<Conversation, GetConversationProblem>;

  /**
   * Deletes the conversation and its messages. `If-Match` takes the `ETag` of `getConversation`, which changes with each message.
   *
   * @param chatbot The name of the chatbot.
   * @param id The identifier of the conversation.
   * @throws ProblemError with a `DeleteConversationProblem`
   */
  delete(chatbot: PathValue<'deleteConversation', 'chatbot_name'>, id: PathValue<'deleteConversation', 'conversation_id'>, options?: DeleteConversationOptions): Call<undefined, DeleteConversationProblem>;
}

/** The options of `messages.list`. */
export interface ListMessagesOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listMessages', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listMessages', 'query', 'cursor'> | undefined;
}

/** The options of `messages.send`. */
export interface SendMessageOptions extends CallOptions {
  /** A key of the caller's choice for this creation, such as a UUID. Sent again with the same key within 24 hours, the request gets the first answer again and creates nothing: repeat a request whose answer was lost. A failed request is not remembered. Another request under the same key gets 422; a repetition that arrives while the first is in progress waits for its answer, or gets 409. */
  idempotencyKey?: QueryValue<'sendMessage', 'header', 'Idempotency-Key'> | undefined;
}

/** The messages of the project. */
export interface MessagesOperations {
  /**
   * Returns the messages of the conversation, the oldest first.
   *
   * @param chatbot The name of the chatbot.
   * @param conversation The identifier of the conversation.
   * @throws ProblemError with a `ListMessagesProblem`
   */
  list(chatbot: PathValue<'listMessages', 'chatbot_name'>, conversation: PathValue<'listMessages', 'conversation_id'>, options?: ListMessagesOptions): List<Message[][number], ListMessagesProblem>;

  /**
   * Stores the message of a person, then asks the chatbot's agent with the last messages of the conversation (the chatbot's setting `history`, 20 by default), and stores its reply. A chatbot without an agent asks the language model alone.
   *
   * @param chatbot The name of the chatbot.
   * @param conversation The identifier of the conversation.
   * @param message The message of a person.
   * @throws ProblemError with a `SendMessageProblem`
   */
  send(chatbot: PathValue<'sendMessage', 'chatbot_name'>, conversation: PathValue<'sendMessage', 'conversation_id'>, message: JsonBody<'sendMessage'>['message'], options?: SendMessageOptions): Call<Reply, SendMessageProblem>;

  /**
   * Stores the message of a person, then asks the chatbot's agent with the last messages of the conversation (the chatbot's setting `history`, 20 by default), and stores its reply. A chatbot without an agent asks the language model alone.
   *
   * @param chatbot The name of the chatbot.
   * @param conversation The identifier of the conversation.
   * @param message The message of a person.
   * @throws ProblemError with a `SendMessageProblem`
   */
  sendEvents(chatbot: PathValue<'sendMessage', 'chatbot_name'>, conversation: PathValue<'sendMessage', 'conversation_id'>, message: JsonBody<'sendMessage'>['message'], options?: SendMessageOptions): Events;

  /**
   * Returns the reply to a message of a person. If there is none, because it failed, the agent is asked again. `Accept: text/event-stream` works as for `sendMessage`.
   *
   * @param chatbot The name of the chatbot.
   * @param conversation The identifier of the conversation.
   * @param id The identifier of the message of a person.
   * @throws ProblemError with a `ReplyToMessageProblem`
   */
  replyTo(chatbot: PathValue<'replyToMessage', 'chatbot_name'>, conversation: PathValue<'replyToMessage', 'conversation_id'>, id: PathValue<'replyToMessage', 'message_id'>, options?: CallOptions): Call<Reply, ReplyToMessageProblem>;

  /**
   * Returns the reply to a message of a person. If there is none, because it failed, the agent is asked again. `Accept: text/event-stream` works as for `sendMessage`.
   *
   * @param chatbot The name of the chatbot.
   * @param conversation The identifier of the conversation.
   * @param id The identifier of the message of a person.
   * @throws ProblemError with a `ReplyToMessageProblem`
   */
  replyToEvents(chatbot: PathValue<'replyToMessage', 'chatbot_name'>, conversation: PathValue<'replyToMessage', 'conversation_id'>, id: PathValue<'replyToMessage', 'message_id'>, options?: CallOptions): Events;
}

/** The options of `models.list`. */
export interface ListModelsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listModels', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listModels', 'query', 'cursor'> | undefined;
}

/** The options of `models.get`. */
export interface GetModelOptions extends CallOptions {
  /** The version to show, in place of the newest. */
  version?: QueryValue<'getModel', 'query', 'version'> | undefined;
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getModel', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getModel', 'header', 'If-None-Match'> | undefined;
}

/** The options of `models.train`. */
export interface TrainModelOptions extends CallOptions {
  /** The column to predict. It holds numbers, or classes such as text and booleans. A space in its name is written `%20` or `+`, as in any query: `?target=sale%20price`. */
  target: QueryValue<'trainModel', 'query', 'target'>;
  /** The task, in place of the one that the values of the target suggest. */
  task?: QueryValue<'trainModel', 'query', 'task'> | undefined;
  /** The column that orders rows in time. With it, the model forecasts the next values of the target. It holds numbers, dates, times, months, quarters (`2000-Q1`) or weeks (`2018-W01`). Times whose offset from UTC changes are converted to UTC, but for days, which are those of the clock. `202601` and `20260131` are a month and a day if all values are. Dates in forms other than ISO 8601 are answered as `2026-01-31`. */
  orderBy?: QueryValue<'trainModel', 'query', 'order_by'> | undefined;
  /** A column that distinguishes series, once for each such column. Without it, all rows are one series. */
  groupBy?: QueryValue<'trainModel', 'query', 'group_by'> | undefined;
  /** The number of steps to forecast. Required with `order_by`. */
  horizon?: QueryValue<'trainModel', 'query', 'horizon'> | undefined;
  /** The most values before a forecast that are looked at. Chosen where it is left out. */
  window?: QueryValue<'trainModel', 'query', 'window'> | undefined;
  /** A column that is known ahead, as a price or a holiday is, once for each such column. The other columns are known up to the last value of the target. In steps of at most a day, whole numbers or categories of which all but one are rare, in at most a tenth of the steps, are events as holidays are. */
  known?: QueryValue<'trainModel', 'query', 'known'> | undefined;
  /** A country or region whose public holidays differ from usual days, by its code, once for each: `DE`, `DE-BY` or `US-LA-NO`. Letter case does not count. The steps of the table are at most a day long. A holiday is a day as the clock shows it where the column of `order_by` was written: in the offset of its times, else as they stand; in UTC where the offset changes. The model keeps the holidays of the table's last 30 years and of ten years after it, so that forecasts need nothing further. Days of no region can be named by a column of `known`. A code that is not known gets 400, as does every code if the service lacks the package `date-holidays`. */
  holidays?: QueryValue<'trainModel', 'query', 'holidays'> | undefined;
  /** Makes one row of the rows of a query that have equal values of `order_by` and `group_by`: the target becomes the sum or the mean of their values that are not missing. The database does so before rows are read; they may be any number. The target must be numbers there, not texts. Other columns of the query are not read, so that a request with `known` gets 400, as does one without `order_by` or with a table in place of a query. `retrainModel` aggregates again. */
  aggregate?: QueryValue<'trainModel', 'query', 'aggregate'> | undefined;
  /** A column that is not learnt from, once for each such column. It is known to the model: rows to predict may have it. */
  exclude?: QueryValue<'trainModel', 'query', 'exclude'> | undefined;
  /** A column whose values are categories in any case, once for each such column. A postal code keeps its leading zero: `05914` is not `5914`. */
  asCategory?: QueryValue<'trainModel', 'query', 'as_category'> | undefined;
  /** A column that is read as numbers, once for each such column. Values that are not numbers count as missing, however many. It may be the target, whose other rows are left out then. */
  asNumber?: QueryValue<'trainModel', 'query', 'as_number'> | undefined;
  /** A column that is read as dates, once for each such column. Values that are not dates count as missing, however many. */
  asDate?: QueryValue<'trainModel', 'query', 'as_date'> | undefined;
  /** The decimal mark in the texts of the table, if its values do not show it: `1,234` may be 1234 or 1.234. A column whose values contradict it is not read as numbers; its `reading` has the reason. */
  decimal?: QueryValue<'trainModel', 'query', 'decimal'> | undefined;
  /** The thousands separator in the texts of the table, if its values do not show it. A comma implies that the point is the decimal mark, and a point that the comma is. */
  group?: QueryValue<'trainModel', 'query', 'group'> | undefined;
  /** A column of numbers with a decimal point, once for each such column. Overrides `decimal` and `group`. */
  decimalPoint?: QueryValue<'trainModel', 'query', 'decimal_point'> | undefined;
  /** A column of numbers with a decimal comma, once for each such column. Overrides `decimal` and `group`. */
  decimalComma?: QueryValue<'trainModel', 'query', 'decimal_comma'> | undefined;
  /** The order of the numbers in dates such as `05/06/2025`, if no value above 12 shows it. `year-first` is for years of two digits, as in `25-06-05`. */
  dateOrder?: QueryValue<'trainModel', 'query', 'date_order'> | undefined;
  /** Rows to leave out before anything else is read of them, such as a row of totals, once for each row or range of rows, as `101` or `101-105`. Findings name the rows: in CSV, NDJSON and workbooks by line, from 1, and in JSON, Arrow and Parquet by index, from 0. A number without a row, such as the line of the header, gets 422. The `reading` of the model counts the rows. The rows of a query have no order to name them by: leave them out in the query. */
  dropLines?: QueryValue<'trainModel', 'query', 'drop_lines'> | undefined;
  /** Which rows measure the model and calibrate its intervals, without being learnt from. `random`, the default, draws them. `last` takes the last rows, of the order of `validate_by` or of the table: use it where the model will predict later rows than those of the table. `group` keeps rows with the same value of `validate_by` together: use it where it will predict rows of new groups, such as patients or shops. Not for forecasts, which are measured by the ends of their series. */
  validate?: QueryValue<'trainModel', 'query', 'validate'> | undefined;
  /** The column that orders the rows (`validate=last`) or names the groups (`validate=group`). It may be one that `exclude` leaves out. Rows of the same moment stay together. Words of `missing` and `missing_in` are no value in it. If it is left out, `last` takes the order of the rows in the table. */
  validateBy?: QueryValue<'trainModel', 'query', 'validate_by'> | undefined;
  /** The time that the training may take. The default is `standard`, which tries four other settings of the trees on tables of 300 to 20,000 rows. `fast` tries none and takes a third to two thirds of the time, for somewhat larger errors. `best` searches all settings and averages more trees: it takes up to ten times as long, and the model is larger. A training with `best` ends in the time that the service allows (`MAX_TRAINING_SECONDS`), with the best model by then. Forecasts refuse the parameter: they compare several methods in any case. */
  effort?: QueryValue<'trainModel', 'query', 'effort'> | undefined;
  /** A word that counts as missing in all columns, the target among them, once for each such word. It is added to `NA`, `N/A`, `#N/A`, `<NA>`, `NaN`, `-NaN` and `null`. Letter case and blanks at the ends do not count. A number counts by its value: `-999` is also `-999.0`. The columns of `order_by` and `group_by` keep all words. */
  missing?: QueryValue<'trainModel', 'query', 'missing'> | undefined;
  /** A word that counts as missing in one column, as `column=word`, once for each such word. It is added to those of the table; see `missing`. The name of the column is what the table has before one of the `=`. */
  missingIn?: QueryValue<'trainModel', 'query', 'missing_in'> | undefined;
  /** Whether the first line of CSV has the column names, as it has by default. With `false`, the columns of a table are named `column_1`, `column_2` and so on, and rows have the model's input columns, in its order. */
  header?: QueryValue<'trainModel', 'query', 'header'> | undefined;
  /** The line of CSV, or the row of a sheet, that has the column names, counted from 1. The lines above it, such as a title, are passed over. Lines in messages are counted from the beginning of the file. With `header=false` there is no such line. Without it, it is the first line of CSV, and the first row of a sheet that has a value. */
  headerLine?: QueryValue<'trainModel', 'query', 'header_line'> | undefined;
  /** The character that separates the fields of CSV. Without the parameter, the first lines show whether it is commas, semicolons or tabs. */
  delimiter?: QueryValue<'trainModel', 'query', 'delimiter'> | undefined;
  /** The sheet of a workbook that has the table. Without it, the first one that is not hidden. */
  sheet?: QueryValue<'trainModel', 'query', 'sheet'> | undefined;
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'trainModel', 'header', 'If-Match'> | undefined;
  /** With `*`, the request only creates. If the resource exists, the answer is 412 and nothing is written. */
  ifNoneMatch?: QueryValue<'trainModel', 'header', 'If-None-Match'> | undefined;
  /** The format of a body that is text, a Blob or a stream. Without it, that of the Blob, or text as `text/…`. */
  contentType?: 'text/csv' | 'application/json' | 'application/x-ndjson' | 'application/vnd.apache.arrow.stream' | 'application/vnd.apache.arrow.file' | 'application/vnd.apache.parquet' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' | undefined;
}

/** The options of `models.delete`. */
export interface DeleteModelOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteModel', 'header', 'If-Match'> | undefined;
}

/** The options of `models.predict`. */
export interface PredictOptions extends CallOptions {
  /** The confidence wanted for every interval, in place of the automatic one that is chosen row by row, or for every set of classes, in place of 0.9. */
  confidence?: QueryValue<'predict', 'query', 'confidence'> | undefined;
  /** The number of steps of each series to forecast, in place of the horizon. For forecasts only. */
  steps?: QueryValue<'predict', 'query', 'steps'> | undefined;
  /** The number of steps before the end of each series at which the forecasts begin. The true values are `t_original`; CSV and Arrow have it with `explain=true`. For forecasts only. */
  backtest?: QueryValue<'predict', 'query', 'backtest'> | undefined;
  /** The treatment of rows with names that the model does not know. `ignore` answers them without these values, and reports them in `Row-Warnings`; `refuse` answers with 422. */
  unknown?: QueryValue<'predict', 'query', 'unknown'> | undefined;
  /** Whether the first line of CSV has the column names, as it has by default. With `false`, the columns of a table are named `column_1`, `column_2` and so on, and rows have the model's input columns, in its order. */
  header?: QueryValue<'predict', 'query', 'header'> | undefined;
  /** The line of CSV, or the row of a sheet, that has the column names, counted from 1. The lines above it, such as a title, are passed over. Lines in messages are counted from the beginning of the file. With `header=false` there is no such line. Without it, it is the first line of CSV, and the first row of a sheet that has a value. */
  headerLine?: QueryValue<'predict', 'query', 'header_line'> | undefined;
  /** The character that separates the fields of CSV. Without the parameter, the first lines show whether it is commas, semicolons or tabs. */
  delimiter?: QueryValue<'predict', 'query', 'delimiter'> | undefined;
  /** The sheet of a workbook that has the table. Without it, the first one that is not hidden. */
  sheet?: QueryValue<'predict', 'query', 'sheet'> | undefined;
  /** The columns of the rows of JSON and NDJSON. `full` has those that `PredictionRow` lists, as older clients expect them; `lean` has only the lean columns. CSV and Arrow always have the lean ones. */
  rows?: QueryValue<'predict', 'query', 'rows'> | undefined;
  /** Adds the original value, the anomaly and the explanation to lean rows. The explanation is an object in JSON and NDJSON, and its text in CSV and Arrow. Full rows always have them, the explanation as text. */
  explain?: QueryValue<'predict', 'query', 'explain'> | undefined;
  /** Adds the probability of each class to every row, as columns `t_probability_X` for each class `X`, in the order of `classes`, in every format. For models of classes only. A model with an input column of such a name gets 400; its explanations have the probabilities. */
  probabilities?: QueryValue<'predict', 'query', 'probabilities'> | undefined;
  /** Adds to every row how it differs from the table, as a column `t_warnings` in every format: text such as `carat: missing; cut: new-category`, or null. `missing` is a column in which every row of the table had a value and this one has none that can be read; the other kinds are those of `Row-Warnings`. At most 20 are listed. `trained-on` comes first in a row whose values equal those of a row that the model was trained on, in all columns that it uses: such predictions look better than others. For a table of more than 32,768 rows, the service knows a random sample of so many, and marks no other rows; a model of an earlier release than 0.2.0 marks none. Not for forecasts. A model with an input column of that name gets 400. */
  warnings?: QueryValue<'predict', 'query', 'warnings'> | undefined;
  /** Adds the parts of the prediction to every row, as numbers in every format: `t_base` is the prediction before any value of the row is known, and `t_contribution_X`, for each column `X` that the model uses, is the contribution of the row's value of `X`. These are Shapley values of the trees, with columns as the players; an unknown part is averaged over the rows of the table. They explain how the model came to its answer, and not what would happen if a value were changed. */
  contributions?: QueryValue<'predict', 'query', 'contributions'> | undefined;
  /** Remembers the promise of each row: the interval or the probabilities of the classes and their set, with the confidence. Each row of the answer then has its id in `__service_row_id`, in every format, the last of the lean columns. Send the true values later to `addActuals` with these ids. Promises are kept for 90 days (`PROMISE_DAYS`), and count towards the owner's stored bytes. A row is sent only after its promise is stored. A value that the row itself sent as `__service_row_id` is not repeated. Answers to bodies of JSON with few rows that come within a second share the part of their ids before the hyphen. */
  remember?: QueryValue<'predict', 'query', 'remember'> | undefined;
  /** The column with your own id of each row, such as an order number. With `remember=true`, true values may then have this id in place of `__service_row_id`. The column need not be one of the model's, and is not answered. If several rows have one id, a true value meets the latest. A row without an id is remembered by `__service_row_id` alone. A column that none of the first rows has is refused. */
  id?: QueryValue<'predict', 'query', 'id'> | undefined;
  /** The format of a body that is text, a Blob or a stream. Without it, that of the Blob, or text as `text/…`. */
  contentType?: 'application/json' | 'application/x-ndjson' | 'text/csv' | 'application/vnd.apache.arrow.stream' | 'application/vnd.apache.arrow.file' | 'application/vnd.apache.parquet' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' | undefined;
}

/** The options of `models.getOnnx`. */
export interface GetOnnxOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getOnnx', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getOnnx', 'header', 'If-None-Match'> | undefined;
}

/** The options of `models.getErrors`. */
export interface GetErrorsOptions extends CallOptions {
  /** The version to get the errors of, in place of the serving one. */
  version?: QueryValue<'getErrors', 'query', 'version'> | undefined;
}

/** The options of `models.getSeries`. */
export interface GetSeriesOptions extends CallOptions {
  /** The values of the columns of `group_by`, in their order; an empty one is a missing value. */
  group?: QueryValue<'getSeries', 'query', 'group'> | undefined;
}

/** The options of `models.cancelTraining`. */
export interface CancelTrainingOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'cancelTraining', 'header', 'If-Match'> | undefined;
}

/** The options of `models.update`. */
export interface UpdateModelOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'updateModel', 'header', 'If-Match'> | undefined;
}

/** The options of `models.retrain`. */
export interface RetrainModelOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'retrainModel', 'header', 'If-Match'> | undefined;
}

/** The options of `models.addActuals`. */
export interface AddActualsOptions extends CallOptions {
  /** The column with your own id of each row, as it was named to `predict`. Without it, rows have `__service_row_id`, or are of a forecast. A column that no row has is refused. */
  id?: QueryValue<'addActuals', 'query', 'id'> | undefined;
  /** The line of CSV, or the row of a sheet, that has the column names, counted from 1. The lines above it, such as a title, are passed over. Lines in messages are counted from the beginning of the file. With `header=false` there is no such line. Without it, it is the first line of CSV, and the first row of a sheet that has a value. */
  headerLine?: QueryValue<'addActuals', 'query', 'header_line'> | undefined;
  /** The character that separates the fields of CSV. Without the parameter, the first lines show whether it is commas, semicolons or tabs. */
  delimiter?: QueryValue<'addActuals', 'query', 'delimiter'> | undefined;
  /** The sheet of a workbook that has the table. Without it, the first one that is not hidden. */
  sheet?: QueryValue<'addActuals', 'query', 'sheet'> | undefined;
  /** The format of a body that is text, a Blob or a stream. Without it, that of the Blob, or text as `text/…`. */
  contentType?: 'text/csv' | 'application/json' | 'application/x-ndjson' | 'application/vnd.apache.arrow.stream' | 'application/vnd.apache.arrow.file' | 'application/vnd.apache.parquet' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' | undefined;
}

/** The options of `models.getRecord`. */
export interface GetRecordOptions extends CallOptions {
  /** The version whose record it is, in place of the serving one. The record of a version that was deleted stays. */
  version?: QueryValue<'getRecord', 'query', 'version'> | undefined;
  /** The groups of promises; none if it is left out. */
  by?: QueryValue<'getRecord', 'query', 'by'> | undefined;
  /** The column whose values group, with `by=column`, which may be left out. `columns` of the record names those that can. */
  column?: QueryValue<'getRecord', 'query', 'column'> | undefined;
  /** Compares the rows of the latest promises with those of the training, at most 4,000 of each, and names the columns that moved. It takes some seconds. */
  drift?: QueryValue<'getRecord', 'query', 'drift'> | undefined;
}

/** The options of `models.previewTable`. */
export interface PreviewTableOptions extends CallOptions {
  /** The column that a training is to predict. With it, `findings` include those about the target, and about other columns beside it, as far as the first rows show. */
  target?: QueryValue<'previewTable', 'query', 'target'> | undefined;
  /** The decimal mark in the texts of the table, if its values do not show it: `1,234` may be 1234 or 1.234. A column whose values contradict it is not read as numbers; its `reading` has the reason. */
  decimal?: QueryValue<'previewTable', 'query', 'decimal'> | undefined;
  /** The thousands separator in the texts of the table, if its values do not show it. A comma implies that the point is the decimal mark, and a point that the comma is. */
  group?: QueryValue<'previewTable', 'query', 'group'> | undefined;
  /** A column of numbers with a decimal point, once for each such column. Overrides `decimal` and `group`. */
  decimalPoint?: QueryValue<'previewTable', 'query', 'decimal_point'> | undefined;
  /** A column of numbers with a decimal comma, once for each such column. Overrides `decimal` and `group`. */
  decimalComma?: QueryValue<'previewTable', 'query', 'decimal_comma'> | undefined;
  /** The order of the numbers in dates such as `05/06/2025`, if no value above 12 shows it. `year-first` is for years of two digits, as in `25-06-05`. */
  dateOrder?: QueryValue<'previewTable', 'query', 'date_order'> | undefined;
  /** Rows to leave out before anything else is read of them, such as a row of totals, once for each row or range of rows, as `101` or `101-105`. Findings name the rows: in CSV, NDJSON and workbooks by line, from 1, and in JSON, Arrow and Parquet by index, from 0. A number without a row, such as the line of the header, gets 422. The `reading` of the model counts the rows. The rows of a query have no order to name them by: leave them out in the query. */
  dropLines?: QueryValue<'previewTable', 'query', 'drop_lines'> | undefined;
  /** A word that counts as missing in all columns, the target among them, once for each such word. It is added to `NA`, `N/A`, `#N/A`, `<NA>`, `NaN`, `-NaN` and `null`. Letter case and blanks at the ends do not count. A number counts by its value: `-999` is also `-999.0`. The columns of `order_by` and `group_by` keep all words. */
  missing?: QueryValue<'previewTable', 'query', 'missing'> | undefined;
  /** A word that counts as missing in one column, as `column=word`, once for each such word. It is added to those of the table; see `missing`. The name of the column is what the table has before one of the `=`. */
  missingIn?: QueryValue<'previewTable', 'query', 'missing_in'> | undefined;
  /** Whether the first line of CSV has the column names, as it has by default. With `false`, the columns of a table are named `column_1`, `column_2` and so on, and rows have the model's input columns, in its order. */
  header?: QueryValue<'previewTable', 'query', 'header'> | undefined;
  /** The line of CSV, or the row of a sheet, that has the column names, counted from 1. The lines above it, such as a title, are passed over. Lines in messages are counted from the beginning of the file. With `header=false` there is no such line. Without it, it is the first line of CSV, and the first row of a sheet that has a value. */
  headerLine?: QueryValue<'previewTable', 'query', 'header_line'> | undefined;
  /** The character that separates the fields of CSV. Without the parameter, the first lines show whether it is commas, semicolons or tabs. */
  delimiter?: QueryValue<'previewTable', 'query', 'delimiter'> | undefined;
  /** The sheet of a workbook that has the table. Without it, the first one that is not hidden. */
  sheet?: QueryValue<'previewTable', 'query', 'sheet'> | undefined;
  /** The format of a body that is text, a Blob or a stream. Without it, that of the Blob, or text as `text/…`. */
  contentType?: 'text/csv' | 'application/json' | 'application/x-ndjson' | 'application/vnd.apache.arrow.stream' | 'application/vnd.apache.arrow.file' | 'application/vnd.apache.parquet' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' | undefined;
}

/** A model is trained on a table in the background, and predicts one of its columns for new rows: a number with a calibrated interval, or a class with calibrated probabilities. Models are found by name. */
export interface ModelsOperations {
  /**
   * Returns all models of the project, in order of creation.
   *
   * @throws ProblemError with a `ListModelsProblem`
   */
  list(options?: ListModelsOptions): List<Model[][number], ListModelsProblem>;

  /**
   * Returns one model, found by name, as its newest version. Once `status` is `ready`, it has the columns of the model, and metrics on rows that it was not trained on. With `version`, it shows another version, such as the one in `serving_version`, which answers predictions while a newer one is in training or has failed. Each version has its own address, too.
   *
   * @param name The name of the model.
   * @throws ProblemError with a `GetModelProblem`
   */
  get(name: PathValue<'getModel', 'modelName'>, options?: GetModelOptions): Read<Model, GetModelProblem>;

  /**
   * Trains the next version of a model to predict the column `target` of the table in the body. A model that does not exist is created. The table is read before the answer, so an unusable one is refused at once. Training runs in the background: `GET` the address in `Location` to see when the version is ready.
   *
   * @param name The name of the model. A model that does not exist is created.
   * @param rows The table to learn from.
   * @throws ProblemError with a `TrainModelProblem`
   */
  train(name: PathValue<'trainModel', 'modelName'>, rows: JsonBody<'trainModel'> | Bytes, options: TrainModelOptions): Call<Model, TrainModelProblem>;

  /**
   * Deletes a model by name, with all its versions. A training that runs is cancelled.
   *
   * @param name The name of the model.
   * @throws ProblemError with a `DeleteModelProblem`
   */
  delete(name: PathValue<'deleteModel', 'modelName'>, options?: DeleteModelOptions): Call<undefined, DeleteModelProblem>;

  /**
   * Returns one answer row for each element of the body's array, in the same order. The serving version of the model answers. A number after the name (`diamond_prices.3`) selects another version, unless a model has that very name.
   *
   * @param name The name of the model.
   * @param rows The rows to predict.
   * @throws ProblemError with a `PredictProblem`
   */
  predict(name: PathValue<'predict', 'modelName'>, rows: JsonBody<'predict'> | Bytes, options?: PredictOptions): Call<PredictionRow[], PredictProblem>;

  /**
   * Returns the model as one ONNX file, which gives the predictions of `predict` without the service: the serving version, or another by its number after the name (`diamond_prices.3`), unless a model has that very name. It takes `ai.onnx` 21 and `ai.onnx.ml` 5, such as ONNX Runtime 1.30, and computes in float64.
   *
   * @param name The name of the model.
   * @throws ProblemError with a `GetOnnxProblem`
   */
  getOnnx(name: PathValue<'getOnnx', 'modelName'>, options?: GetOnnxOptions): Read<Blob, GetOnnxProblem>;

  /**
   * Returns where a version of a model is weak, by rows that it was not trained on: the 50 rows with the largest errors, the largest first, and up to three slices of the rows, each given by a value of one column, in which the error is larger than in all rows, the worst first.
   *
   * @param name The name of the model.
   * @throws ProblemError with a `GetErrorsProblem`
   */
  getErrors(name: PathValue<'getErrors', 'modelName'>, options?: GetErrorsOptions): Read<ModelErrors, GetErrorsProblem>;

  /**
   * Returns the last values of one series that the serving version of a forecast keeps, oldest first: of a series that is so long, those of twelve seasons or more and at least 120, but at most 1,000. `predict` continues them. It needs the scope `predict`, as a backtest does, which answers values of the table, too.
   *
   * @param name The name of the model.
   * @throws ProblemError with a `GetSeriesProblem`
   */
  getSeries(name: PathValue<'getSeries', 'modelName'>, options?: GetSeriesOptions): Read<SeriesValues, GetSeriesProblem>;

  /**
   * Ends the training of a version, whether it runs or waits for its turn. The version is `failed`, and its `failure` says that it was cancelled; the model can be trained again at once. The serving version goes on. A version that has failed already stays as it is, so that the request can be repeated. One that is ready gets 409: its training ended before.
   *
   * @param name The name of the model.
   * @param version The number of the version, in decimal digits.
   * @throws ProblemError with a `CancelTrainingProblem`
   */
  cancelTraining(name: PathValue<'cancelTraining', 'modelName'>, version: PathValue<'cancelTraining', 'version'>, options?: CancelTrainingOptions): Call<Model, CancelTrainingProblem>;

  /**
   * Updates the fields that are sent: `name` renames the model, `description` describes it. The model keeps its `id`, its versions, its record and a training that runs; only its address changes. Skills of the project whose `params` name the model follow at once. Programs, manifests and links that have the former name do not: it is unknown from then on (to other instances on PostgreSQL within a second), and may be given to another model. `If-Match` takes the `ETag` of `getModel`.
   *
   * @param name The name of the model.
   * @param model The changes.
   * @throws ProblemError with a `UpdateModelProblem`
   */
  update(name: PathValue<'updateModel', 'modelName'>, model: JsonBody<'updateModel'>['model'], options?: UpdateModelOptions): Call<Model, UpdateModelProblem>;

  /**
   * Trains the next version of a model from the query in the `source` of its newest version, with the same target, task and effort. The query runs again, so the version learns from the rows that the database has now. The rules of `trainModel` apply. A model that was trained from a table has no source (409).
   *
   * @param name The name of the model.
   * @throws ProblemError with a `RetrainModelProblem`
   */
  retrain(name: PathValue<'retrainModel', 'modelName'>, options?: RetrainModelOptions): Call<Model, RetrainModelProblem>;

  /**
   * Adds the true values of rows that `predict` remembered (`remember=true`), each to its promise. Rows may arrive late, in any order and repeatedly.
   *
   * @param name The name of the model.
   * @param rows The rows with their true values.
   * @throws ProblemError with a `AddActualsProblem`
   */
  addActuals(name: PathValue<'addActuals', 'modelName'>, rows: JsonBody<'addActuals'> | Bytes, options?: AddActualsOptions): Call<Actuals, AddActualsProblem>;

  /**
   * Returns the record of a version of a model: the number of rows that `predict` remembered (`remember=true`), of those with a true value by now (`addActuals`), and of those whose value is within the interval or the set of classes, and the comparison with the promised confidence.
   *
   * @param name The name of the model.
   * @throws ProblemError with a `GetRecordProblem`
   */
  getRecord(name: PathValue<'getRecord', 'modelName'>, options?: GetRecordOptions): Read<ModelRecord, GetRecordProblem>;

  /**
   * Reads the beginning of a table as `trainModel` reads it, and returns its columns and its first rows, so that a caller can choose the target, the header line and the use of columns. Nothing is kept. The scope `write` or `predict` is enough.
   *
   * @param rows The table, or its beginning.
   * @throws ProblemError with a `PreviewTableProblem`
   */
  previewTable(rows: JsonBody<'previewTable'> | Bytes, options?: PreviewTableOptions): Call<TablePreview, PreviewTableProblem>;
}

/** The options of `versions.list`. */
export interface ListVersionsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listVersions', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listVersions', 'query', 'cursor'> | undefined;
}

/** The options of `versions.get`. */
export interface GetVersionOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getVersion', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getVersion', 'header', 'If-None-Match'> | undefined;
}

/** The options of `versions.delete`. */
export interface DeleteVersionOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteVersion', 'header', 'If-Match'> | undefined;
}

/** The options of `versions.serve`. */
export interface ServeVersionOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'serveVersion', 'header', 'If-Match'> | undefined;
}

/** The versions of the project. */
export interface VersionsOperations {
  /**
   * Returns the versions of a model that are kept, oldest first, each with its own columns and metrics. The one in `serving_version` answers predictions.
   *
   * @param model The name of the model.
   * @throws ProblemError with a `ListVersionsProblem`
   */
  list(model: PathValue<'listVersions', 'modelName'>, options?: ListVersionsOptions): List<Model[][number], ListVersionsProblem>;

  /**
   * Returns one version of a model.
   *
   * @param model The name of the model.
   * @param version The number of the version, in decimal digits.
   * @throws ProblemError with a `GetVersionProblem`
   */
  get(model: PathValue<'getVersion', 'modelName'>, version: PathValue<'getVersion', 'version'>, options?: GetVersionOptions): Read<Model, GetVersionProblem>;

  /**
   * Deletes a version that is no longer needed. The version that answers predictions, one that is training, and the only version of a model are not deleted (409). `If-Match` takes the `ETag` of `getVersion`.
   *
   * @param model The name of the model.
   * @param version The number of the version, in decimal digits.
   * @throws ProblemError with a `DeleteVersionProblem`
   */
  delete(model: PathValue<'deleteVersion', 'modelName'>, version: PathValue<'deleteVersion', 'version'>, options?: DeleteVersionOptions): Call<undefined, DeleteVersionProblem>;

  /**
   * Makes a version that is ready answer the model's predictions from now on, such as an earlier one when a newer one predicts worse. Streams that have begun go on with the version that they began with.
   *
   * @param model The name of the model.
   * @param serving The version that is to serve, or which later ones are.
   * @throws ProblemError with a `ServeVersionProblem`
   */
  serve(model: PathValue<'serveVersion', 'modelName'>, serving: JsonBody<'serveVersion'>['serving'], options?: ServeVersionOptions): Call<Model, ServeVersionProblem>;
}

/** The options of `mcp.call`. */
export interface CallMcpOptions extends CallOptions {
  /** The names of the tools to offer, separated by commas. All others are unknown then. Without it, all tools that the key allows. */
  tools?: QueryValue<'callMcp', 'query', 'tools'> | undefined;
  /** The revision of the message. Revision 2026-07-28 requires it; it must be that of `_meta`. */
  mcpProtocolVersion?: QueryValue<'callMcp', 'header', 'MCP-Protocol-Version'> | undefined;
  /** The `method` of the message. Revision 2026-07-28 requires it. */
  mcpMethod?: QueryValue<'callMcp', 'header', 'Mcp-Method'> | undefined;
  /** The `name` of the tool or the `uri` of the resource that the message names, as it is or as `=?base64?…?=`. Revision 2026-07-28 requires it for `tools/call` and `resources/read`. */
  mcpName?: QueryValue<'callMcp', 'header', 'Mcp-Name'> | undefined;
  /** The session that `initialize` has answered with. The service stores nothing of it: with the key, it identifies the client whose request `notifications/cancelled` names. */
  mcpSessionId?: QueryValue<'callMcp', 'header', 'Mcp-Session-Id'> | undefined;
  /** The number of agents that have asked one another up to this message. Skills of the type `mcp` send it with each call. At 3, the tools `ask_NAME` answer with `isError`: an agent that asks itself comes to an end. */
  rosterDepth?: QueryValue<'callMcp', 'header', 'Roster-Depth'> | undefined;
}

/** The options of `mcp.callOfProject`. */
export interface CallMcpOfProjectOptions extends CallOptions {
  /** The names of the tools to offer, separated by commas. All others are unknown then. Without it, all tools that the key allows. */
  tools?: QueryValue<'callMcpOfProject', 'query', 'tools'> | undefined;
  /** The revision of the message. Revision 2026-07-28 requires it; it must be that of `_meta`. */
  mcpProtocolVersion?: QueryValue<'callMcpOfProject', 'header', 'MCP-Protocol-Version'> | undefined;
  /** The `method` of the message. Revision 2026-07-28 requires it. */
  mcpMethod?: QueryValue<'callMcpOfProject', 'header', 'Mcp-Method'> | undefined;
  /** The `name` of the tool or the `uri` of the resource that the message names, as it is or as `=?base64?…?=`. Revision 2026-07-28 requires it for `tools/call` and `resources/read`. */
  mcpName?: QueryValue<'callMcpOfProject', 'header', 'Mcp-Name'> | undefined;
  /** The session that `initialize` has answered with. The service stores nothing of it: with the key, it identifies the client whose request `notifications/cancelled` names. */
  mcpSessionId?: QueryValue<'callMcpOfProject', 'header', 'Mcp-Session-Id'> | undefined;
  /** The number of agents that have asked one another up to this message. Skills of the type `mcp` send it with each call. At 3, the tools `ask_NAME` answer with `isError`: an agent that asks itself comes to an end. */
  rosterDepth?: QueryValue<'callMcpOfProject', 'header', 'Roster-Depth'> | undefined;
}

/** The endpoint for hosts of the Model Context Protocol, such as Claude Code, Cursor and VS Code: the models, agents, documents and tables of a project as tools. `docs/agents/mcp.md` in the source repository has the configuration of each host. */
export interface McpOperations {
  /**
   * Answers one message of the Model Context Protocol for the owner's project `default`, or for their only project if that has another name. It supports the revisions 2026-07-28, 2025-11-25 and 2025-06-18. The service keeps no session: GET and DELETE are answered with 405. A client that closes its connection cancels its request.
   *
   * @param body One message, a request or a notification of JSON-RPC 2.0.
   * @throws ProblemError with a `CallMcpProblem`
   */
  call(body: JsonBody<'callMcp'>, options?: CallMcpOptions): Call<McpAnswer, CallMcpProblem>;

  /**
   * The same as `callMcp`, for a project by its name.
   *
   * @param body One message, a request or a notification of JSON-RPC 2.0.
   * @throws ProblemError with a `CallMcpOfProjectProblem`
   */
  callOfProject(body: JsonBody<'callMcpOfProject'>, options?: CallMcpOfProjectOptions): Call<McpAnswer, CallMcpOfProjectProblem>;
}

/** The options of `openai.getModels`. */
export interface GetOpenaiModelsOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'getOpenaiModels', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'getOpenaiModels', 'query', 'cursor'> | undefined;
}

/** The options of `openai.getResponse`. */
export interface GetResponseOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource is another, the answer is 412 (RFC 9110, section 13.1.1); it is compared before `If-None-Match`. */
  ifMatch?: QueryValue<'getResponse', 'header', 'If-Match'> | undefined;
  /** The `ETag` of the resource as the caller has it, or several. If the resource has not changed, the answer is 304 without a body (RFC 9110, section 13.1.2). */
  ifNoneMatch?: QueryValue<'getResponse', 'header', 'If-None-Match'> | undefined;
}

/** The options of `openai.deleteResponse`. */
export interface DeleteResponseOptions extends CallOptions {
  /** The `ETag` of the resource as the caller knows it, several of them, or `*` for any. If the resource has changed since, the answer is 412 and nothing is written (RFC 9110, section 13.1.1). */
  ifMatch?: QueryValue<'deleteResponse', 'header', 'If-Match'> | undefined;
}

/** The agents for clients of OpenAI's API, such as its SDKs and Open WebUI: the base URL is that of the service with `/v1`, the key one of Roster, and a model is an agent. Problems below `/v1` have an `error` that these clients read. A service without keys takes any key there, since these clients always send one. `docs/agents/openai.md` in the source repository has examples. */
export interface OpenaiOperations {
  /**
   * Returns the agents of all projects of the owner, as clients of OpenAI's API list models. The `id` is `project/agent`. Without `limit` and `cursor`, at most 1,000 are listed, by project and name. With one of them, all agents are listed, page by page and in order of creation.
   *
   * @throws ProblemError with a `GetOpenaiModelsProblem`
   */
  getModels(options?: GetOpenaiModelsOptions): Read<OpenaiModels, GetOpenaiModelsProblem>;

  /**
   * Returns an agent as clients of OpenAI's API read one model. Their packages write the slash of `project/agent` as `%2F`. The `id` is the requested one.
   *
   * @param openaiModel An agent, as `project/agent` with its slash written as `%2F`, or by its name alone in the project `default` or the owner's only project.
   * @throws ProblemError with a `GetOpenaiModelProblem`
   */
  getModel(openaiModel: PathValue<'getOpenaiModel', 'openai_model'>, options?: CallOptions): Read<OpenaiModel, GetOpenaiModelProblem>;

  /**
   * Asks the agent that `model` names, as `completeAgent` does, for clients of OpenAI's chat completions. The history is all in `messages`; nothing is kept. With `stream`, the answer is server-sent events, each a chunk, and the last one is `[DONE]`.
   *
   * @param body The conversation so far. Its last message is a question, or the result of a tool of the client.
   * @throws ProblemError with a `CompleteChatProblem`
   */
  completeChat(body: JsonBody<'completeChat'>, options?: CallOptions): Call<ChatCompletion, CompleteChatProblem>;

  /**
   * Asks the agent that `model` names, as `completeChat` does, for clients of OpenAI's Responses API. The form is that of [Open Responses](https://www.openresponses.org/), version 2026-04-24, as far as the schemas here go. With `stream`, the answer is server-sent events, each with a line `event:` that repeats its `type`, and the last one is `[DONE]`.
   *
   * @param body The question, or the results of tools of the client.
   * @throws ProblemError with a `CompleteResponseProblem`
   */
  completeResponse(body: JsonBody<'completeResponse'>, options?: CallOptions): Call<OpenaiResponse, CompleteResponseProblem>;

  /**
   * Returns a stored response, without its input.
   *
   * @param response The identifier of the response.
   * @throws ProblemError with a `GetResponseProblem`
   */
  getResponse(response: PathValue<'getResponse', 'response_id'>, options?: GetResponseOptions): Read<OpenaiResponse, GetResponseProblem>;

  /**
   * Deletes a stored response and its input. Responses that continue it can no longer be continued. `If-Match` takes the `ETag` of `getResponse`.
   *
   * @param response The identifier of the response.
   * @throws ProblemError with a `DeleteResponseProblem`
   */
  deleteResponse(response: PathValue<'deleteResponse', 'response_id'>, options?: DeleteResponseOptions): Call<undefined, DeleteResponseProblem>;
}

/** Liveness, readiness and metrics, for load balancers and monitoring. */
export interface HealthOperations {
  /**
   * Answers as long as the process can answer at all. It does not query the store.
   *
   * @throws ProblemError with a `GetLivenessProblem`
   */
  getLiveness(options?: CallOptions): Read<Liveness, GetLivenessProblem>;

  /**
   * Answers 200 while the store answers queries and the service is not stopping, otherwise 503 with the reason in `detail`. The store is queried once a second at most. The answer changes after two equal results in a row.
   *
   * @throws ProblemError with a `GetReadinessProblem`
   */
  getReadiness(options?: CallOptions): Read<Readiness, GetReadinessProblem>;

  /**
   * Returns the version of the service, under the name that existing clients read.
   *
   * @throws ProblemError with a `GetStatusProblem`
   */
  getStatus(options?: CallOptions): Read<Status, GetStatusProblem>;

  /**
   * Returns the metrics of this instance in the text format of Prometheus: requests by operation and status, latencies, trainings, predicted rows, and the process. They cover all owners, so they need the scope `operate`, which a key has only if it was created with it.
   *
   * @throws ProblemError with a `GetMetricsProblem`
   */
  getMetrics(options?: CallOptions): Read<string, GetMetricsProblem>;
}

/** The options of `audit.list`. */
export interface ListAuditOptions extends CallOptions {
  /** The number of resources in a page. The header `Link: <…>; rel="next"` gives the address of the next page; the last page has none. Without `limit`, the list is whole. */
  limit?: QueryValue<'listAudit', 'query', 'limit'> | undefined;
  /** The start of the page, taken from the `Link` header of the page before. */
  cursor?: QueryValue<'listAudit', 'query', 'cursor'> | undefined;
  /** The time of the first event that is listed. */
  since?: QueryValue<'listAudit', 'query', 'since'> | undefined;
  /** The time of the first event that is not listed any more. */
  until?: QueryValue<'listAudit', 'query', 'until'> | undefined;
  /** The owner of the events. */
  owner?: QueryValue<'listAudit', 'query', 'owner'> | undefined;
  /** The operation of the events, by its `operationId`. */
  operation?: QueryValue<'listAudit', 'query', 'operation'> | undefined;
  /** The id of the key that the events came from. */
  key?: QueryValue<'listAudit', 'query', 'key'> | undefined;
  /** The address of a resource. Events of resources below it are listed, too. */
  resource?: QueryValue<'listAudit', 'query', 'resource'> | undefined;
  /** Only events with this result. */
  result?: QueryValue<'listAudit', 'query', 'result'> | undefined;
}

/** The audit log says who changed what in the whole service, and who was refused for lack of rights. An event is stored in the transaction of its write, so that neither exists without the other. */
export interface AuditOperations {
  /**
   * Returns the events of the audit log, in the order of their times: one for each request that changed something, and those that were refused with 401 or 403. They cover all owners, so they need the scope `operate`. No event has a body, a query or a secret. Rows that `predict` remembers for one caller, in bodies of JSON with few rows that come within a second, have one event together, that of the first.
   *
   * @throws ProblemError with a `ListAuditProblem`
   */
  list(options?: ListAuditOptions): List<AuditEvent[][number], ListAuditProblem>;
}

/** The operations of the contract, by resource. */
export interface Resources {
  /** The sender of a request, the rights of its key, and the limits of its requests. */
  readonly caller: CallerOperations;
  /** The keys of an owner, managed by those of its keys that have the scope `keys`. The first key of a service is made with `roster keys create`. */
  readonly keys: KeysOperations;
  /** A project holds skills, agents, chatbots and models. It belongs to the owner of the key that created it. Each owner begins with one empty project, `default`. Projects are found by name. */
  readonly projects: ProjectsOperations;
  /** A skill is something that an agent can do, such as querying a database. Skills are found by name or identifier. Skills of five types are tools of agents; their `params` are checked when they are written: */
  readonly skills: SkillsOperations;
  /** The documents of the project. */
  readonly documents: DocumentsOperations;
  /** An agent answers questions with the help of its skills. Agents are found by name or identifier. */
  readonly agents: AgentsOperations;
  /** A chatbot puts one agent in front of people. Chatbots are found by name. */
  readonly chatbots: ChatbotsOperations;
  /** A conversation holds the messages between a person and a chatbot, and the replies of its agent. */
  readonly conversations: ConversationsOperations;
  /** The messages of the project. */
  readonly messages: MessagesOperations;
  /** A model is trained on a table in the background, and predicts one of its columns for new rows: a number with a calibrated interval, or a class with calibrated probabilities. Models are found by name. */
  readonly models: ModelsOperations;
  /** The versions of the project. */
  readonly versions: VersionsOperations;
  /** The endpoint for hosts of the Model Context Protocol, such as Claude Code, Cursor and VS Code: the models, agents, documents and tables of a project as tools. `docs/agents/mcp.md` in the source repository has the configuration of each host. */
  readonly mcp: McpOperations;
  /** The agents for clients of OpenAI's API, such as its SDKs and Open WebUI: the base URL is that of the service with `/v1`, the key one of Roster, and a model is an agent. Problems below `/v1` have an `error` that these clients read. A service without keys takes any key there, since these clients always send one. `docs/agents/openai.md` in the source repository has examples. */
  readonly openai: OpenaiOperations;
  /** Liveness, readiness and metrics, for load balancers and monitoring. */
  readonly health: HealthOperations;
  /** The audit log says who changed what in the whole service, and who was refused for lack of rights. An event is stored in the transaction of its write, so that neither exists without the other. */
  readonly audit: AuditOperations;
}

/** The request of each method of the façade. */
export const FACADE = {
  caller: {
    get: {"id":"getCaller","method":"GET","path":"/me","names":[],"reads":"json"},
  },
  keys: {
    list: {"id":"listKeys","method":"GET","path":"/keys","names":[],"reads":"list","query":["limit","cursor"]},
    create: {"id":"createKey","method":"POST","path":"/keys","names":[],"reads":"json","consumes":["application/json"],"wraps":"key","headers":["idempotencyKey"]},
    get: {"id":"getKey","method":"GET","path":"/keys/{key_id}","names":["key_id"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteKey","method":"DELETE","path":"/keys/{key_id}","names":["key_id"],"reads":"nothing","query":["keep_made"],"headers":["ifMatch"]},
  },
  projects: {
    list: {"id":"listProjects","method":"GET","path":"/projects","names":[],"reads":"list","query":["limit","cursor"]},
    create: {"id":"createProject","method":"POST","path":"/projects","names":[],"reads":"json","consumes":["application/json"],"wraps":"project","headers":["idempotencyKey"]},
    get: {"id":"getProject","method":"GET","path":"/projects/{project_name}","names":["project_name"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteProject","method":"DELETE","path":"/projects/{project_name}","names":["project_name"],"reads":"nothing","headers":["ifMatch"]},
    getManifest: {"id":"getManifest","method":"GET","path":"/projects/{project_name}/manifest","names":["project_name"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    applyManifest: {"id":"applyManifest","method":"PUT","path":"/projects/{project_name}/manifest","names":["project_name"],"reads":"json","consumes":["application/json"],"query":["dry_run","prune"],"headers":["ifMatch"]},
  },
  skills: {
    list: {"id":"listSkills","method":"GET","path":"/projects/{project_name}/skills","names":[],"reads":"list","query":["agent","limit","cursor"]},
    create: {"id":"createSkill","method":"POST","path":"/projects/{project_name}/skills","names":[],"reads":"json","consumes":["application/json"],"wraps":"skill","headers":["idempotencyKey"]},
    get: {"id":"getSkill","method":"GET","path":"/projects/{project_name}/skills/{skill_name}","names":["skill_name"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    update: {"id":"updateSkill","method":"PUT","path":"/projects/{project_name}/skills/{skill_name}","names":["skill_name"],"reads":"json","consumes":["application/json"],"wraps":"skill","headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteSkill","method":"DELETE","path":"/projects/{project_name}/skills/{skill_name}","names":["skill_name"],"reads":"nothing","headers":["ifMatch"]},
  },
  documents: {
    list: {"id":"listDocuments","method":"GET","path":"/projects/{project_name}/skills/{skill_name}/documents","names":["skill_name"],"reads":"list","query":["limit","cursor"]},
    get: {"id":"getDocument","method":"GET","path":"/projects/{project_name}/skills/{skill_name}/documents/{document_name}","names":["skill_name","document_name"],"reads":"text","headers":["ifMatch","ifNoneMatch"]},
    put: {"id":"putDocument","method":"PUT","path":"/projects/{project_name}/skills/{skill_name}/documents/{document_name}","names":["skill_name","document_name"],"reads":"json","consumes":["text/markdown","text/plain"],"headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteDocument","method":"DELETE","path":"/projects/{project_name}/skills/{skill_name}/documents/{document_name}","names":["skill_name","document_name"],"reads":"nothing","headers":["ifMatch"]},
  },
  agents: {
    list: {"id":"listAgents","method":"GET","path":"/projects/{project_name}/agents","names":[],"reads":"list","query":["limit","cursor"]},
    create: {"id":"createAgent","method":"POST","path":"/projects/{project_name}/agents","names":[],"reads":"json","consumes":["application/json"],"wraps":"agent","headers":["idempotencyKey"]},
    get: {"id":"getAgent","method":"GET","path":"/projects/{project_name}/agents/{agent_name}","names":["agent_name"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    update: {"id":"updateAgent","method":"PUT","path":"/projects/{project_name}/agents/{agent_name}","names":["agent_name"],"reads":"json","consumes":["application/json"],"wraps":"agent","headers":["ifMatch","ifNoneMatch"]},
    deleteByPlural: {"id":"deleteAgentByPlural","method":"DELETE","path":"/projects/{project_name}/agents/{agent_name}","names":["agent_name"],"reads":"nothing","headers":["ifMatch"]},
    complete: {"id":"completeAgent","method":"POST","path":"/projects/{project_name}/agents/{agent_name}/completions","names":["agent_name"],"reads":"json","consumes":["application/json"]},
    stream: {"id":"streamAgent","method":"POST","path":"/projects/{project_name}/agents/{agent_name}/completions/stream","names":["agent_name"],"reads":"events","consumes":["application/json"]},
    delete: {"id":"deleteAgent","method":"DELETE","path":"/projects/{project_name}/agent/{agent_name}","names":["agent_name"],"reads":"nothing","headers":["ifMatch"]},
  },
  chatbots: {
    list: {"id":"listChatbots","method":"GET","path":"/projects/{project_name}/chatbots","names":[],"reads":"list","query":["limit","cursor"]},
    create: {"id":"createChatbot","method":"POST","path":"/projects/{project_name}/chatbots","names":[],"reads":"json","consumes":["application/json"],"wraps":"chatbot","headers":["idempotencyKey"]},
    get: {"id":"getChatbot","method":"GET","path":"/projects/{project_name}/chatbots/{chatbot_name}","names":["chatbot_name"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    update: {"id":"updateChatbot","method":"PUT","path":"/projects/{project_name}/chatbots/{chatbot_name}","names":["chatbot_name"],"reads":"json","consumes":["application/json"],"wraps":"chatbot","headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteChatbot","method":"DELETE","path":"/projects/{project_name}/chatbots/{chatbot_name}","names":["chatbot_name"],"reads":"nothing","headers":["ifMatch"]},
  },
  conversations: {
    list: {"id":"listConversations","method":"GET","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations","names":["chatbot_name"],"reads":"list","query":["limit","cursor"]},
    create: {"id":"createConversation","method":"POST","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations","names":["chatbot_name"],"reads":"json","consumes":["application/json"],"wraps":"conversation","headers":["idempotencyKey"]},
    get: {"id":"getConversation","method":"GET","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}","names":["chatbot_name","conversation_id"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteConversation","method":"DELETE","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}","names":["chatbot_name","conversation_id"],"reads":"nothing","headers":["ifMatch"]},
  },
  messages: {
    list: {"id":"listMessages","method":"GET","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages","names":["chatbot_name","conversation_id"],"reads":"list","query":["limit","cursor"]},
    send: {"id":"sendMessage","method":"POST","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages","names":["chatbot_name","conversation_id"],"reads":"json","consumes":["application/json"],"wraps":"message","headers":["idempotencyKey"]},
    sendEvents: {"id":"sendMessage","method":"POST","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages","names":["chatbot_name","conversation_id"],"reads":"events","consumes":["application/json"],"wraps":"message","headers":["idempotencyKey"]},
    replyTo: {"id":"replyToMessage","method":"POST","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages/{message_id}/reply","names":["chatbot_name","conversation_id","message_id"],"reads":"json"},
    replyToEvents: {"id":"replyToMessage","method":"POST","path":"/projects/{project_name}/chatbots/{chatbot_name}/conversations/{conversation_id}/messages/{message_id}/reply","names":["chatbot_name","conversation_id","message_id"],"reads":"events"},
  },
  models: {
    list: {"id":"listModels","method":"GET","path":"/api/projects/{projectName}/models","names":[],"reads":"list","query":["limit","cursor"]},
    get: {"id":"getModel","method":"GET","path":"/api/projects/{projectName}/models/{modelName}","names":["modelName"],"reads":"json","query":["version"],"headers":["ifMatch","ifNoneMatch"]},
    train: {"id":"trainModel","method":"PUT","path":"/api/projects/{projectName}/models/{modelName}","names":["modelName"],"reads":"json","consumes":["text/csv","application/json","application/x-ndjson","application/vnd.apache.arrow.stream","application/vnd.apache.arrow.file","application/vnd.apache.parquet","application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],"query":["target","task","order_by","group_by","horizon","window","known","holidays","aggregate","exclude","as_category","as_number","as_date","decimal","group","decimal_point","decimal_comma","date_order","drop_lines","validate","validate_by","effort","missing","missing_in","header","header_line","delimiter","sheet"],"headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteModel","method":"DELETE","path":"/api/projects/{projectName}/models/{modelName}","names":["modelName"],"reads":"nothing","headers":["ifMatch"]},
    predict: {"id":"predict","method":"POST","path":"/api/projects/{projectName}/models/{modelName}/predict","names":["modelName"],"reads":"json","consumes":["application/json","application/x-ndjson","text/csv","application/vnd.apache.arrow.stream","application/vnd.apache.arrow.file","application/vnd.apache.parquet","application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],"query":["confidence","steps","backtest","unknown","header","header_line","delimiter","sheet","rows","explain","probabilities","warnings","contributions","remember","id"]},
    getOnnx: {"id":"getOnnx","method":"GET","path":"/api/projects/{projectName}/models/{modelName}/onnx","names":["modelName"],"reads":"blob","headers":["ifMatch","ifNoneMatch"]},
    getErrors: {"id":"getErrors","method":"GET","path":"/api/projects/{projectName}/models/{modelName}/errors","names":["modelName"],"reads":"json","query":["version"]},
    getSeries: {"id":"getSeries","method":"GET","path":"/api/projects/{projectName}/models/{modelName}/series","names":["modelName"],"reads":"json","query":["group"]},
    cancelTraining: {"id":"cancelTraining","method":"DELETE","path":"/api/projects/{projectName}/models/{modelName}/versions/{version}/training","names":["modelName","version"],"reads":"json","headers":["ifMatch"]},
    update: {"id":"updateModel","method":"PUT","path":"/api/projects/{projectName}/models/{modelName}/details","names":["modelName"],"reads":"json","consumes":["application/json"],"wraps":"model","headers":["ifMatch"]},
    retrain: {"id":"retrainModel","method":"POST","path":"/api/projects/{projectName}/models/{modelName}/retrain","names":["modelName"],"reads":"json","headers":["ifMatch"]},
    addActuals: {"id":"addActuals","method":"POST","path":"/api/projects/{projectName}/models/{modelName}/actuals","names":["modelName"],"reads":"json","consumes":["text/csv","application/json","application/x-ndjson","application/vnd.apache.arrow.stream","application/vnd.apache.arrow.file","application/vnd.apache.parquet","application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],"query":["id","header_line","delimiter","sheet"]},
    getRecord: {"id":"getRecord","method":"GET","path":"/api/projects/{projectName}/models/{modelName}/record","names":["modelName"],"reads":"json","query":["version","by","column","drift"]},
    previewTable: {"id":"previewTable","method":"POST","path":"/api/projects/{projectName}/tables/preview","names":[],"reads":"json","consumes":["text/csv","application/json","application/x-ndjson","application/vnd.apache.arrow.stream","application/vnd.apache.arrow.file","application/vnd.apache.parquet","application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],"query":["target","decimal","group","decimal_point","decimal_comma","date_order","drop_lines","missing","missing_in","header","header_line","delimiter","sheet"]},
  },
  versions: {
    list: {"id":"listVersions","method":"GET","path":"/api/projects/{projectName}/models/{modelName}/versions","names":["modelName"],"reads":"list","query":["limit","cursor"]},
    get: {"id":"getVersion","method":"GET","path":"/api/projects/{projectName}/models/{modelName}/versions/{version}","names":["modelName","version"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    delete: {"id":"deleteVersion","method":"DELETE","path":"/api/projects/{projectName}/models/{modelName}/versions/{version}","names":["modelName","version"],"reads":"nothing","headers":["ifMatch"]},
    serve: {"id":"serveVersion","method":"PUT","path":"/api/projects/{projectName}/models/{modelName}/serving","names":["modelName"],"reads":"json","consumes":["application/json"],"wraps":"serving","headers":["ifMatch"]},
  },
  mcp: {
    call: {"id":"callMcp","method":"POST","path":"/mcp","names":[],"reads":"json","consumes":["application/json"],"query":["tools"],"headers":["mcpProtocolVersion","mcpMethod","mcpName","mcpSessionId","rosterDepth"]},
    callOfProject: {"id":"callMcpOfProject","method":"POST","path":"/mcp/{project_name}","names":[],"reads":"json","consumes":["application/json"],"query":["tools"],"headers":["mcpProtocolVersion","mcpMethod","mcpName","mcpSessionId","rosterDepth"]},
  },
  openai: {
    getModels: {"id":"getOpenaiModels","method":"GET","path":"/v1/models","names":[],"reads":"json","query":["limit","cursor"]},
    getModel: {"id":"getOpenaiModel","method":"GET","path":"/v1/models/{openai_model}","names":["openai_model"],"reads":"json"},
    completeChat: {"id":"completeChat","method":"POST","path":"/v1/chat/completions","names":[],"reads":"json","consumes":["application/json"]},
    completeResponse: {"id":"completeResponse","method":"POST","path":"/v1/responses","names":[],"reads":"json","consumes":["application/json"]},
    getResponse: {"id":"getResponse","method":"GET","path":"/v1/responses/{response_id}","names":["response_id"],"reads":"json","headers":["ifMatch","ifNoneMatch"]},
    deleteResponse: {"id":"deleteResponse","method":"DELETE","path":"/v1/responses/{response_id}","names":["response_id"],"reads":"nothing","headers":["ifMatch"]},
  },
  health: {
    getLiveness: {"id":"getLiveness","method":"GET","path":"/health/live","names":[],"reads":"json"},
    getReadiness: {"id":"getReadiness","method":"GET","path":"/health/ready","names":[],"reads":"json"},
    getStatus: {"id":"getStatus","method":"GET","path":"/api/status","names":[],"reads":"json"},
    getMetrics: {"id":"getMetrics","method":"GET","path":"/metrics","names":[],"reads":"text"},
  },
  audit: {
    list: {"id":"listAudit","method":"GET","path":"/audit","names":[],"reads":"list","query":["limit","cursor","since","until","owner","operation","key","resource","result"]},
  },
} as const satisfies {
  readonly [Resource in keyof Resources]: { readonly [Name in keyof Resources[Resource]]: FacadeOperation };
};
