/** Exports for the process that answers requests. */

export type { Model } from './model/model.js';
export { decodeModel } from './model/model-codec.js';
export type { Prediction } from './serving/prediction.js';
export { type PredictOptions, Predictor } from './serving/predictor.js';
export { JsonShapeError, MalformedJsonError } from './table/json-errors.js';
export { TableError, type TableFault } from './table/table-error.js';
