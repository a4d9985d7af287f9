/**
 * Predicts a numeric column, with intervals of the promised coverage. Training turns a table into a
 * model; prediction turns rows into rows with intervals. Knows nothing of HTTP or databases.
 *
 * Each process of the service imports only the module that it needs, because a process loads its
 * code anew: one that reads a table then starts in less than half the time.
 */

export type { ModelMetrics } from './model/metrics.js';
export * from './predicting.js';
export * from './reading.js';
export type { ColumnSummary } from './table/column-profile.js';
export { readRowsTable } from './table/row-reader.js';
export * from './training.js';
