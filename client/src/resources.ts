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

/** A model, as one of its versions shows it: of numbers or of classes, as its `task` tells. */
export type Model = Schemas['Model'];

/** A model that predicts a number. */
export type RegressionModel = Schemas['RegressionModel'];

/** A model that predicts a class. */
export type ClassificationModel = Schemas['ClassificationModel'];

/** How a version of a model is doing. */
export type ModelStatus = Schemas['ModelStatus'];

/** An input column of a model, and what the model makes of it. */
export type Column = Schemas['Column'];

/** How well a model of numbers does on rows that it was not trained on. */
export type RegressionMetrics = NonNullable<Schemas['RegressionMetrics']>;

/** How well a model of classes does on rows that it was not trained on. */
export type ClassificationMetrics = NonNullable<Schemas['ClassificationMetrics']>;

/** A row of a prediction: the row's own columns, the predicted value and its interval, or the class and its set. */
export type PredictionRow = Schemas['PredictionRow'];

/** A line of an answer in lines: a row of a prediction, or the problem of the line in its place. */
export type PredictionLine = Schemas['PredictionLine'];
