/** Exports for a process that trains models. */

export type { Finding } from './findings/finding.js';
export { findErrors, type Tested } from './misses/find-errors.js';
export type { ModelErrors } from './misses/model-errors.js';
export { SeenRows } from './model/seen-rows.js';
export { sampleBins } from './record/training-sample.js';
export { TableDecoder } from './table/codec/decode.js';
export { furtherWords } from './table/missing-words.js';
export { shownReading } from './table/reading/column-reading.js';
export type { ClassificationTable, RegressionTable, RowTable, Table } from './table/table.js';
export { findTypicalRow } from './table/typical-row.js';
export { summarizeValidation } from './table/validation.js';
export type { ClassificationModel } from './tasks/classification/model.js';
export {
  compareModels,
  type Incomparable,
  MIN_COMPARED_ROWS,
  type ModelComparison,
} from './tasks/compare-models.js';
export type { SeriesModel } from './tasks/forecasting/series-model.js';
export { inspectModel } from './tasks/inspect-model.js';
export { decodeModel, describeModel, encodeModel, type Model } from './tasks/models.js';
export { type TrainOptions, train } from './tasks/train.js';
export { verifyModel } from './tasks/verify-model.js';
export type { Effort } from './training/boosting-plan.js';
export type { HeldOutRows } from './training/train-model.js';
