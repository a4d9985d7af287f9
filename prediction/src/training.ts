/** Exports for a process that trains models. */
/** Exports for a process that trains models. */
export type { ClassificationModel } from './model/class-model.js';
export { encodeModel } from './model/model-codec.js';
export { describeModel } from './model/summary.js';
export { TableDecoder } from './table/codec/decode.js';
export type { ClassificationTable, RegressionTable, Table } from './table/table.js';
export { type TrainOptions, train } from './training/train.js';
export { verifyModel } from './training/verify-model.js';
