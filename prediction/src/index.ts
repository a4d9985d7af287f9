/**
 * Predictions of a column of numbers or of classes, with intervals and sets that keep what they promise: a table
 * in, a model out; rows in, predictions out. Knows nothing of HTTP or of databases.
 *
 * Each process of the service imports only the module that it needs, because a process loads its
 * code anew: one that reads a table then starts in less than half the time.
 */

export * from './predicting.js';
export * from './reading.js';
export type { ColumnSummary } from './table/column-profile.js';
export { readRowsTable } from './table/row-reader.js';
export type { ClassificationMetrics, ClassMetrics } from './tasks/classification/model.js';
export type { RegressionMetrics } from './tasks/regression/model.js';
export * from './training.js';
