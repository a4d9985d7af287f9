/**
 * What a thread that reads a table needs of this module, and no more: a thread loads its code anew each time,
 * and with what trains and predicts it would take more than twice as long to begin.
 */
export { readCsvTable } from './csv-table.js';
export { JsonShapeError, MalformedJsonError } from './json-array-parser.js';
export { readJsonTable } from './json-table.js';
export { encodeTable } from './table-encoder.js';
export { TableError, type TableFault } from './table-error.js';
