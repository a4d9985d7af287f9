/** Exports for the process that answers requests. */

export {
  type AnswerFormat,
  type AnswerOptions,
  type AnswerPart,
  DeclinedError,
  type RowFormat,
  UnknownNamesError,
} from './io/answer-part.js';
export { answerParsedRows, answerRows } from './io/answer-rows.js';
export { FormatError, JsonShapeError, MalformedJsonError } from './io/columns/format-error.js';
export type { ClassificationModel } from './model/class-model.js';
export type { Model, RegressionModel } from './model/model.js';
export { decodeModel, decodeModelInSteps } from './model/model-codec.js';
export type { RowCheck } from './row-check/row-check.js';
export type { RowWarning, RowWarnings, UnknownName } from './row-check/row-warnings.js';
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
export type { Steps } from './steps.js';
export { columnName } from './table/column-names.js';
export type { Task } from './table/table.js';
export { TableError, type TableFault } from './table/table-error.js';
