import { findInColumns } from '../findings/column-findings.js';
import { type Finding, mergeFindings } from '../findings/finding.js';
import { inspectFirstRows } from '../findings/inspect-table.js';
import { columnName } from '../table/column-names.js';
import { FirstRows, type FirstRowsShown } from '../table/first-rows.js';
import type { HeaderCandidate } from '../table/header-line.js';
import type { TableOptions } from '../table/row-reader.js';
import { cutText } from '../text/cut-text.js';
import type { RowFormat, TableForm } from './answer-part.js';
import { noRows } from './columns/add-batches.js';
import { JsonShapeError } from './columns/format-error.js';
import { toUtf8 } from './csv/csv-text.js';
import { addObjects, addRows, isOfObjects, isRefusal, readSource } from './read-table.js';
import { SpoolFile } from './spool-file.js';
import type { FoundSheet } from './xlsx/sheet-table.js';

/** The beginning of a table, and the fault that ended it, if any. */
export interface TablePreview extends FirstRowsShown {
  readonly fault: string | null;
  /** The findings of these rows. */
  readonly findings: Finding[];
  /** The line that has the names, from 1; null without one. */
  readonly header_line: number | null;
  /** The sheet of a workbook; null in other formats. */
  readonly sheet: string | null;
  /** The sheets of a workbook, the first ones if they are many. */
  readonly sheets: string[];
  /** The first lines of CSV or rows of a sheet, one of which has the names: their fields, with ` | ` between them. */
  readonly first_lines: { readonly line: number; readonly text: string }[];
}

/** Parameters of a training that a preview takes. */
interface PreviewOptions extends Pick<TableOptions, 'marks' | 'dropped'> {
  /** The column that would be the target, for findings about it. */
  readonly target?: string | undefined;
}

const MAX_SHEETS = 1000;

/** The most characters of a first line that are shown. */
const MAX_LINE = 200;

/**
 * Reads the first rows of a table, and no more of its source than they need. For Parquet, which ends with its metadata,
 * all of the source is read, and only the first rows are decoded. If no header line is chosen, the preview takes the
 * line that seems to have the names, and in a workbook the first sheet with such a line.
 *
 * @throws {TableError | MalformedJsonError | JsonShapeError} at a fault before the first row, and without one. Of a
 *   workbook that has sheets, the fault is returned, so that another sheet can be chosen.
 * @throws the source's own error, if it breaks off.
 */
export function previewTable(
  source: AsyncIterable<Uint8Array>,
  format: RowFormat,
  form: TableForm & PreviewOptions = {},
): Promise<TablePreview> {
  return readSource(source, { drain: false }, async (pieces) => {
    const rows = new FirstRows(form.marks, form.dropped);
    const seen: Seen = { line: null, lines: [], sheet: undefined };
    let fault: string | null = null;
    try {
      if (isOfObjects(format)) await addObjects(format, pieces, rows.objects);
      else if (format === 'csv') await addCsvBelow(pieces, rows, form, seen);
      else if (format === 'xlsx') await addSheetOf(pieces, rows, form, seen);
      else await addRows(format, pieces, rows, form);
      if (rows.rowCount === 0) throw noRows();
    } catch (error) {
      if (!isRefusal(error) || (rows.rowCount === 0 && !seen.sheet)) throw error;
      fault = error instanceof JsonShapeError ? `The body ${error.message}.` : error.message;
    }
    const { shown, columns } = rows.take();
    const target = form.target && columnName(form.target);
    // A training learns nothing from an index.
    const used = columns.filter(({ name }, at) => !shown.columns[at]?.is_index || name === target);
    return {
      header_line: seen.line,
      first_lines: seen.lines.map(({ line, fields }) => {
        return { line, text: cutText(fields.join(' | '), MAX_LINE) };
      }),
      sheet: seen.sheet?.sheet ?? null,
      sheets: seen.sheet?.sheets.slice(0, MAX_SHEETS) ?? [],
      ...shown,
      fault,
      findings: mergeFindings(
        findInColumns(used, rows.places, target),
        inspectFirstRows(used, rows.places, target, !isOfObjects(format)),
      ),
    };
  });
}

/** The place of the names, as far as it is known yet. */
interface Seen {
  line: number | null;
  lines: readonly HeaderCandidate[];
  sheet: FoundSheet | undefined;
}

async function addCsvBelow(
  pieces: AsyncIterable<Uint8Array>,
  rows: FirstRows,
  { charset, ...form }: TableForm,
  seen: Seen,
): Promise<void> {
  const { findCsvHeader } = await import('./find-header.js');
  const text = toUtf8(pieces, charset);
  if (form.header === false) return addRows('csv', text, rows, form);
  const found = await findCsvHeader(text, form);
  seen.lines = found.firstLines;
  seen.line = form.headerLine ?? found.headerLine ?? 1;
  await addRows('csv', found.pieces, rows, { ...form, headerLine: seen.line });
}

async function addSheetOf(
  pieces: AsyncIterable<Uint8Array>,
  rows: FirstRows,
  form: TableForm,
  seen: Seen,
): Promise<void> {
  const { findSheetHeader } = await import('./find-header.js');
  const { addSheet } = await import('./xlsx/xlsx-rows.js');
  const file = await SpoolFile.of(pieces);
  try {
    const { sheet, firstLines, headerLine } = await findSheetHeader(file, form);
    seen.lines = firstLines;
    const chosen = { sheet, headerLine: form.headerLine ?? headerLine };
    await addSheet(file, rows, chosen, {
      open(opened) {
        seen.sheet = opened;
      },
      begin(_, line) {
        seen.line = line;
      },
    });
  } finally {
    await file.close();
  }
}
