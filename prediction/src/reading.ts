/** Exports for a process that reads tables. */

export { readArrowTable } from './io/arrow/arrow-table.js';
export { readCsvTable } from './io/csv/csv-reader.js';
export { JsonShapeError, MalformedJsonError } from './io/json/json-errors.js';
export { readJsonTable } from './io/json/json-reader.js';
export { readNdjsonTable } from './io/json/ndjson-reader.js';
export { readRecordTable } from './io/json/record-reader.js';
export { readParquetTable } from './io/parquet/parquet-table.js';
export { encodeTable } from './table/codec/encode.js';
export { TableError } from './table/table-error.js';
