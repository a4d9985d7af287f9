/** What a process that trains models needs of this module. */
export { encodeModel } from './model-codec.js';
export type { Table } from './table.js';
export { TableDecoder } from './table-decoder.js';
export { type TrainOptions, train } from './train.js';
