/**
 * Exports for benches and test support of this repository, which measure or attack parts of the package by
 * themselves. They may change in any release.
 */

export { TextWriter } from './io/arrow/column-writers.js';
export { FlatBuilder, int16, int64, int64Structs, table, uint8 } from './io/arrow/flat-buffers.js';
export { BatchBody, batchMessage, dictionaryMessage, endOfStream, schemaMessage } from './io/arrow/message-bytes.js';
export { type Field, INT32, TypeId, UTF8 } from './io/arrow/schema.js';
export { ByteBudget } from './io/columns/byte-budget.js';
export type { Vector } from './io/columns/vector.js';
export { type BinnedModel, RowBinner } from './rows/row-binner.js';
export type { RowObject } from './table/cells.js';
export type { TableColumn } from './table/column.js';
export { Forecaster, fitForecaster } from './tasks/forecasting/method.js';
export type { ForecastSeries, SeriesSet } from './tasks/forecasting/series.js';
export type { ForecastModel } from './tasks/forecasting/series-model.js';
export { Progress } from './training/progress.js';
export { type BinnedFeatures, prepareTable } from './trees/binning/dataset.js';
export { Learner } from './trees/boosting/learner.js';
export { type ClassTarget, softmaxLoss } from './trees/boosting/softmax-loss.js';
export { squaredLoss } from './trees/boosting/squared-loss.js';
export { expectedScore, ForestExplainer } from './trees/explaining/explainer.js';
export { createScorer, type ForestScorer, scorerMemory } from './trees/forest/forest-scorer.js';
export type { Forest, Split, Tree } from './trees/forest/tree.js';
export type { TreeParams } from './trees/params.js';
export { seededRandom, shuffledRange } from './trees/random.js';
