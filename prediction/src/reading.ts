/** Exports for a process that reads tables. */

export { reportTable, type TableReport } from './findings/report-table.js';
export { FormatError, JsonShapeError, MalformedJsonError } from './io/columns/format-error.js';
export { previewTable, type TablePreview } from './io/preview-table.js';
export { readActuals } from './io/read-actuals.js';
export { readCsvTable, readTable, readTableWithPlaces, type TableFormat } from './io/read-table.js';
export { addHolidays } from './table/add-holidays.js';
export { encodeTable } from './table/codec/encode.js';
export type { HolidayDays } from './table/holidays.js';
export { InvalidRowsError } from './table/invalid-rows.js';
export type { ForecastTable } from './table/series-table.js';
export type { Table } from './table/table.js';
export { TableError } from './table/table-error.js';
export { seasonLength } from './table/time-grid.js';
export { refuseHorizon } from './tasks/forecasting/horizon.js';
