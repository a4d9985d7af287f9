/** Exports for a process that trains models. */
export { encodeModel } from './model/model-codec.js';
export { TableDecoder } from './table/codec/decode.js';
export type { Table } from './table/table.js';
export { type TrainOptions, train } from './training/train.js';
