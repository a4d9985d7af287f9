/** Exports for a process that reads tables. */

export { FormatError, JsonShapeError, MalformedJsonError } from './io/columns/format-error.js';
export { previewTable, type TablePreview } from './io/preview-table.js';
export { readCsvTable, readTable, type TableFormat } from './io/read-table.js';
export { readTruths } from './promises/read-truths.js';
export { InvalidRowsError } from './serving/invalid-rows.js';
export { encodeTable } from './table/codec/encode.js';
export type { ForecastTable } from './table/series-table.js';
export { TableError } from './table/table-error.js';
export { seasonLength } from './table/time-grid.js';
export { refuseHorizon } from './tasks/forecasting/horizon.js';
