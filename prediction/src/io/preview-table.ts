import { FirstRows, type FirstRowsShown } from '../table/first-rows.js';
import type { RowFormat } from './answer-part.js';
import { JsonShapeError } from './columns/format-error.js';
import type { CsvOptions } from './csv/csv-dialect.js';
import { isRefusal, noRows, readTable } from './read-table.js';

/** The beginning of a table, and the fault that ended it, if any. */
export interface TablePreview extends FirstRowsShown {
  readonly fault: string | null;
}

/**
 * Reads the first rows of a table, and no more of its source than they need. Of Parquet, which ends with its metadata,
 * all of the source is read, and only the first rows are decoded.
 *
 * @throws {TableError | MalformedJsonError | JsonShapeError} at a fault before the first row, and without one.
 * @throws the source's own error, if it breaks off.
 */
export function previewTable(
  source: AsyncIterable<Uint8Array>,
  format: RowFormat,
  csv: CsvOptions = {},
): Promise<TablePreview> {
  return readTable(source, { drain: false }, async (pieces) => {
    const rows = new FirstRows();
    let fault: string | null = null;
    try {
      await addRows(pieces, format, rows, csv);
    } catch (error) {
      if (!isRefusal(error) || rows.rowCount === 0) throw error;
      fault = error instanceof JsonShapeError ? `The body ${error.message}.` : error.message;
    }
    if (rows.rowCount === 0) throw noRows();
    return { ...rows.take(), fault };
  });
}

/** Adds the rows of a body. The code of a format is loaded when it is first needed. */
async function addRows(
  pieces: AsyncIterable<Uint8Array>,
  format: RowFormat,
  rows: FirstRows,
  csv: CsvOptions,
): Promise<void> {
  switch (format) {
    case 'csv':
      return (await import('./csv/csv-table.js')).addCsv(pieces, rows, csv);
    case 'json':
      return (await import('./json/json-table.js')).addJson(pieces, rows.objects);
    case 'ndjson':
      return (await import('./json/ndjson-table.js')).addNdjson(pieces, rows.objects);
    case 'arrow-stream':
      return (await import('./arrow/arrow-table.js')).addArrow(pieces, rows, 'stream');
    case 'arrow-file':
      return (await import('./arrow/arrow-table.js')).addArrow(pieces, rows, 'file');
    case 'parquet':
      return (await import('./parquet/parquet-table.js')).addParquet(pieces, rows);
  }
}
