/**
 * Predictions of a numeric column, with intervals that keep what they promise: a table in, a model
 * out; rows in, rows with intervals out. Knows nothing of HTTP or of databases.
 */
export type { ColumnSummary } from './column-profile.js';
export type { ModelMetrics } from './metrics.js';
export type { Model } from './model.js';
export { decodeModel, encodeModel } from './model-codec.js';
export type { Prediction } from './prediction.js';
export { type PredictOptions, Predictor } from './predictor.js';
export * from './reading.js';
export { readRowsTable } from './rows-table.js';
export type { Table } from './table.js';
export { TableDecoder } from './table-decoder.js';
export { type TrainOptions, train } from './train.js';
