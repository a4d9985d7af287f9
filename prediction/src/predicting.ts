/** Exports for the process that answers requests. */

export type { Model } from './model/model.js';
export { decodeModel } from './model/model-codec.js';
export type { Prediction } from './serving/prediction.js';
export { type PredictOptions, Predictor } from './serving/predictor.js';
export type { RowCheck } from './serving/row-check.js';
export type { RowWarning, RowWarnings, UnknownName } from './serving/row-warnings.js';
export { columnName } from './table/column-names.js';
export { JsonShapeError, MalformedJsonError } from './table/json-errors.js';
export { TableError, type TableFault } from './table/table-error.js';
