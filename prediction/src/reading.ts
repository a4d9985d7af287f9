/** Exports for a process that reads tables. */

export { readArrowTable } from './io/arrow/arrow-table.js';
export { FormatError, JsonShapeError, MalformedJsonError } from './io/columns/format-error.js';
export { readCsvTable } from './io/csv/csv-table.js';
export { readJsonTable } from './io/json/json-table.js';
export { readNdjsonTable } from './io/json/ndjson-table.js';
export { readRecordTable } from './io/json/record-table.js';
export { readParquetTable } from './io/parquet/parquet-table.js';
export { previewTable, type TablePreview } from './io/preview-table.js';
export { readXlsxTable } from './io/xlsx/xlsx-table.js';
export { readTruths } from './promises/read-truths.js';
export { InvalidRowsError } from './serving/invalid-rows.js';
export { encodeTable } from './table/codec/encode.js';
export type { ForecastTable } from './table/series-table.js';
export { TableError } from './table/table-error.js';
export { seasonLength } from './table/time-grid.js';
export { refuseHorizon } from './tasks/forecasting/horizon.js';
