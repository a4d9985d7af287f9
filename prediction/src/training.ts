/** Exports for a process that trains models. */

export { TableDecoder } from './table/codec/decode.js';
export { seasonLength } from './table/time-grid.js';
export type { ForecastTable, SeriesReport } from './table/series-table.js';
export type { ClassificationTable, RegressionTable, RowTable, Table } from './table/table.js';
export type { ClassificationModel } from './tasks/classification/model.js';
export { describeModel, encodeModel } from './tasks/models.js';
export { type TrainOptions, train } from './tasks/train.js';
export { refuseHorizon } from './tasks/forecasting/training.js';
export type { SeriesModel } from './tasks/forecasting/series-model.js';
export { verifyModel } from './tasks/verify-model.js';
