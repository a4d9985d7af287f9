import type { components } from '../../../generated/openapi.js';

type Schemas = components['schemas'];

/** The sender of a request: its owner, its key, what it may do, and the limits of its requests. */
export type Caller = Schemas['Caller'];

/** A permission of a key: each operation asks for one of them. */
export type Scope = Schemas['Scope'];

/** The effort of a training: `fast`, `standard` or `best`. */
export type Effort = Schemas['Effort'];

/** A project, which holds skills, agents, chatbots and models. */
export type Project = Schemas['Project'];
export type AuditEvent = Schemas['AuditEvent'];

/** An ability that agents can use. Its `type` decides which `params` it has, and whether it is a tool. */
export type Skill = Schemas['Skill'];

/** An agent, with the skills that it uses. */
export type Agent = Schemas['Agent'];

/** A chatbot, which offers an agent to people. */
export type Chatbot = Schemas['Chatbot'];

/** An event of a streamed answer. An event without a `type` has one of `actions`, `steps` and `output`. */
export type AgentEvent = Schemas['AgentEvent'];

/** A document of a skill, without its text. */
export type Document = Schemas['Document'];

/** A conversation between a person and a chatbot, without its messages. */
export type Conversation = Schemas['Conversation'];

/** A question or an answer in a conversation, the latter with its steps and its usage. */
export type Message = Schemas['Message'];

/** The use of a tool by an agent: what it asked, and what it got. */
export type Step = Schemas['Step'];

/** A passage of a document that an agent found. */
export type Passage = Schemas['Passage'];

/** The requests and tokens that an answer took of the chat server. */
export type Usage = Schemas['Usage'];

/** A model, as one of its versions shows it: of numbers, of classes or of series, which its `task` says. */
export type Model = Schemas['Model'];

/** A model that predicts a number, with an interval that holds it at a confidence. */
export type RegressionModel = Schemas['RegressionModel'];

/** A model that predicts a class, with a probability of each and a set that holds the true one. */
export type ClassificationModel = Schemas['ClassificationModel'];

/** A model that forecasts the next values of series. */
export type ForecastModel = Schemas['ForecastModel'];

/** The state of a version of a model; `ready` and `failed` are final. */
export type ModelStatus = Schemas['ModelStatus'];

/** An input column of a model, and how the model uses it. */
export type Column = Schemas['Column'];

/** The accuracy of a model of numbers on rows that it was not trained on. */
export type RegressionMetrics = NonNullable<Schemas['RegressionMetrics']>;

/** The accuracy of a model of classes on rows that it was not trained on. */
export type ClassificationMetrics = NonNullable<Schemas['ClassificationMetrics']>;

/** A row of a prediction: the row's own columns, the predicted value and its interval, or the class and its set. */
export type PredictionRow = Schemas['PredictionRow'];

/** A value or a name in some of the rows to predict that the model does not know. */
export type RowWarning = Schemas['RowWarning'];

/** The columns that lean rows do not have. They distinguish a row from the other lines of an answer. */
type FullRow = PredictionRow & Required<Pick<PredictionRow, 'select_data_query' | 'when_data' | '__service_row_id'>>;

/** A line of an NDJSON response with full rows: a row, the problem of that line, or, at the end, the warnings. */
export type PredictionLine = FullRow | Schemas['ProblemLine'] | Schemas['WarningsLine'];
