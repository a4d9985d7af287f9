import type { components } from '../../generated/openapi.js';

type Schemas = components['schemas'];

/** A project, which holds skills, agents, chatbots and models. */
export type Project = Schemas['Project'];

/** Something that agents can do. */
export type Skill = Schemas['Skill'];

/** An agent, with the skills that it uses. */
export type Agent = Schemas['Agent'];

/** A chatbot, which puts an agent in front of people. */
export type Chatbot = Schemas['Chatbot'];

/** A model, as one of its versions shows it. */
export type Model = Schemas['Model'];

/** How a version of a model is doing. */
export type ModelStatus = Schemas['ModelStatus'];

/** An input column of a model, and what the model makes of it. */
export type Column = Schemas['Column'];

/** How well a model does on rows that it was not trained on. */
export type ModelMetrics = NonNullable<Schemas['ModelMetrics']>;

/** A row of a prediction: the row's own columns, the predicted value and its interval. */
export type PredictionRow = Schemas['PredictionRow'];

/** Something that the model can make nothing of in some of the rows to predict. */
export type RowWarning = Schemas['RowWarning'];

/**
 * A line of an answer in lines: a row of a prediction, the problem of the line in its place, or, as the last one, the
 * warnings for all rows.
 */
export type PredictionLine = Schemas['PredictionLine'];
