/** What the process that answers requests needs of this module. */
export { JsonShapeError, MalformedJsonError } from './json-errors.js';
export type { Model } from './model.js';
export { decodeModel } from './model-codec.js';
export type { Prediction } from './prediction.js';
export { type PredictOptions, Predictor } from './predictor.js';
export { TableError, type TableFault } from './table-error.js';
