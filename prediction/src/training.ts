/** What a process that trains models needs of this module. */
export { encodeModel } from './model/model-codec.js';
export { TableDecoder } from './table/codec/decode.js';
export type { ClassificationTable, RegressionTable, Table } from './table/table.js';
export { type TrainOptions, train } from './training/train.js';
