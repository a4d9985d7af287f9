export type { components, operations, paths } from '../../generated/openapi.js';
export type { RosterClient } from './calls.js';
export { createRosterClient, type RosterClientOptions } from './client.js';
export type { CsvTable, RosterPaths, RowLines } from './paths.js';
export type { Problem, ProblemOf, ProblemType } from './problems.js';
export type {
  Agent,
  Chatbot,
  Column,
  Model,
  ModelMetrics,
  ModelStatus,
  PredictionLine,
  PredictionRow,
  Project,
  Skill,
} from './resources.js';
export { UnexpectedAnswerError } from './unexpected-answer.js';
