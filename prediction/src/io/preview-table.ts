import { FirstRows, type FirstRowsShown } from '../table/first-rows.js';
import type { RowFormat, TableForm } from './answer-part.js';
import { JsonShapeError } from './columns/format-error.js';
import { isRefusal, noRows, readTable } from './read-table.js';
import type { FoundSheet } from './xlsx/sheet-table.js';

/** The beginning of a table, and the fault that ended it, if any. */
export interface TablePreview extends FirstRowsShown {
  readonly fault: string | null;
  /** The line that has the names, from 1; null without one. */
  readonly header_line: number | null;
  /** The sheet of a workbook; null in other formats. */
  readonly sheet: string | null;
  /** The sheets of a workbook, the first ones if they are many. */
  readonly sheets: string[];
}

const MAX_SHEETS = 1000;

/**
 * Reads the first rows of a table, and no more of its source than they need. Of Parquet, which ends with its metadata,
 * all of the source is read, and only the first rows are decoded.
 *
 * @throws {TableError | MalformedJsonError | JsonShapeError} at a fault before the first row, and without one. Of a
 *   workbook that has sheets, the fault is returned, so that another sheet can be chosen.
 * @throws the source's own error, if it breaks off.
 */
export function previewTable(
  source: AsyncIterable<Uint8Array>,
  format: RowFormat,
  form: TableForm = {},
): Promise<TablePreview> {
  return readTable(source, { drain: false }, async (pieces) => {
    const rows = new FirstRows();
    let fault: string | null = null;
    let found: FoundSheet | undefined;
    let line = format === 'csv' && form.header !== false ? (form.headerLine ?? 1) : null;
    try {
      if (format === 'xlsx') {
        const { addXlsx } = await import('./xlsx/xlsx-table.js');
        await addXlsx(pieces, rows, form, {
          open(sheet) {
            found = sheet;
          },
          begin(_, headerLine) {
            line = headerLine;
          },
        });
      } else await addRows(pieces, format, rows, form);
      if (rows.rowCount === 0) throw noRows();
    } catch (error) {
      if (!isRefusal(error) || (rows.rowCount === 0 && !found)) throw error;
      fault = error instanceof JsonShapeError ? `The body ${error.message}.` : error.message;
    }
    return {
      header_line: line,
      sheet: found?.sheet ?? null,
      sheets: found?.sheets.slice(0, MAX_SHEETS) ?? [],
      ...rows.take(),
      fault,
    };
  });
}

/** Adds the rows of a body. The code of a format is loaded when it is first needed. */
async function addRows(
  pieces: AsyncIterable<Uint8Array>,
  format: Exclude<RowFormat, 'xlsx'>,
  rows: FirstRows,
  form: TableForm,
): Promise<void> {
  switch (format) {
    case 'csv':
      return (await import('./csv/csv-table.js')).addCsv(pieces, rows, form);
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
