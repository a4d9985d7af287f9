import { FirstRows, type FirstRowsShown } from '../table/first-rows.js';
import type { RowFormat, TableForm } from './answer-part.js';
import { noRows } from './columns/add-batches.js';
import { JsonShapeError } from './columns/format-error.js';
import { addObjects, addRows, isOfObjects, isRefusal, readSource } from './read-table.js';
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
  return readSource(source, { drain: false }, async (pieces) => {
    const rows = new FirstRows();
    let fault: string | null = null;
    let found: FoundSheet | undefined;
    let line = format === 'csv' && form.header !== false ? (form.headerLine ?? 1) : null;
    try {
      if (isOfObjects(format)) await addObjects(format, pieces, rows.objects);
      else {
        await addRows(format, pieces, rows, form, {
          open(sheet) {
            found = sheet;
          },
          begin(_, headerLine) {
            line = headerLine;
          },
        });
      }
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
