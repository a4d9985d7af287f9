/** What a process that reads tables needs of this module. */
export { readCsvTable } from './csv-table.js';
export { JsonShapeError, MalformedJsonError } from './json-errors.js';
export { readJsonTable } from './json-table.js';
export { encodeTable } from './table-encoder.js';
export { TableError } from './table-error.js';
