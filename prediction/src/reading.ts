/** Exports for a process that reads tables. */

export { encodeTable } from './table/codec/encode.js';
export { readArrowTable } from './table/columnar/arrow-table.js';
export { readParquetTable } from './table/columnar/parquet-table.js';
export { readCsvTable } from './table/csv/csv-reader.js';
export { JsonShapeError, MalformedJsonError } from './table/json/json-errors.js';
export { readJsonTable } from './table/json/json-reader.js';
export { readNdjsonTable } from './table/json/ndjson-reader.js';
export { readRecordTable } from './table/json/record-reader.js';
export { TableError } from './table/table-error.js';
