/** Exports for the process that answers requests. */

export {
  type AnswerFormat,
  type AnswerOptions,
  type AnswerPart,
  DeclinedError,
  type RowFormat,
  RowsError,
  UnknownNamesError,
} from './formats/answer-part.js';
export { answerParsedRows, answerRows } from './formats/answer-rows.js';
export type { ClassificationModel } from './model/class-model.js';
export type { Model, RegressionModel } from './model/model.js';
export { decodeModel, decodeModelInSteps } from './model/model-codec.js';
export type { RowCheck } from './serving/row-check.js';
export type { RowWarning, RowWarnings, UnknownName } from './serving/row-warnings.js';
export type { ClassPrediction } from './serving/class-server.js';
export type { Prediction } from './serving/number-server.js';
export {
  type AnyPredictor,
  Classifier,
  createPredictor,
  createPredictorInSteps,
  Predictor,
} from './serving/predictor.js';
export type { PredictOptions } from './serving/row-server.js';
export type { Steps } from './trees/steps.js';
export { columnName } from './table/column-names.js';
export { JsonShapeError, MalformedJsonError } from './table/json/json-errors.js';
export type { Task } from './table/table.js';
export { TableError, type TableFault } from './table/table-error.js';
