import type { ByteBudget } from '../columns/byte-budget.js';
import type { ByteFile } from '../columns/byte-file.js';
import { FormatError } from '../columns/format-error.js';
import { columnLetters, readRows, type SheetRow, sheetName } from './sheet.js';
import { readWorkbook } from './workbook.js';
import { ZipArchive } from './zip.js';

/** The part of a workbook that is the table. */
export interface SheetOptions {
  /** The name of the sheet; without it, the first one that is not hidden. */
  readonly sheet?: string | undefined;
  /** The row with the names; without it, the first that has a value. */
  readonly headerLine?: number | undefined;
}

/** The sheets of a workbook, and the one that is read. */
export interface FoundSheet {
  readonly sheets: readonly string[];
  readonly sheet: string;
}

/** Receives the parts of a workbook, in this order. */
export interface SheetListener {
  /** Called when the sheet is known, before it is read. */
  open?(found: FoundSheet): void;
  /** Called with the names of the columns, before the first row. @param line that of the names, from 1 */
  begin(names: readonly string[], line: number): void;
}

/** A row of the table, with a cell for each column. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly unknown[];
  /** The places of numbers that the sheet shows as percentages, 0.45 as 45 %. */
  readonly percents: readonly number[];
}

/**
 * Reads the table of a sheet. Its columns are those of the header, from the first name to the last. If the row below
 * has a value just before them, that column is an index, whose name is empty. Empty rows are passed over.
 *
 * @throws {FormatError} at the first fault of the file, and where the sheet seems to hold a second table.
 */
export async function* readSheetTable(
  file: ByteFile,
  budget: ByteBudget,
  { sheet, headerLine }: SheetOptions,
  listener: SheetListener,
): AsyncGenerator<TableRow[]> {
  const zip = await ZipArchive.open(file, budget);
  const workbook = await readWorkbook(zip, budget, sheet);
  listener.open?.(workbook);
  const place = sheetName(workbook.sheet);
  let header: SheetRow | undefined;
  let table: SheetTable | undefined;
  let lastLine = 0;
  const begin = (names: SheetRow, first?: SheetRow) => {
    const begun = new SheetTable(place, names, first);
    listener.begin(begun.names, names.line);
    return begun;
  };
  for await (const read of readRows(zip, workbook, budget)) {
    const rows: TableRow[] = [];
    for (const row of read) {
      lastLine = row.line;
      if (row.line < (headerLine ?? 1)) continue;
      if (header === undefined) {
        if (headerLine !== undefined && row.line > headerLine) throw emptyHeader(place, headerLine);
        header = row;
        continue;
      }
      table ??= begin(header, row);
      rows.push(table.cut(row));
    }
    if (rows.length > 0) yield rows;
  }
  if (header !== undefined && table === undefined) table = begin(header);
  if (table === undefined && headerLine !== undefined && lastLine > 0) {
    throw new FormatError(
      `header_line is ${headerLine}, but the last row with values of ${place} is ${lastLine}. Name the row that has the names of the columns.`,
    );
  }
  if (table === undefined) throw new FormatError(`${place} has no values. Choose another with sheet.`);
}

function emptyHeader(place: string, line: number): FormatError {
  return new FormatError(
    `${place}, row ${line}: it is empty, but header_line names it. Name the row that has the names of the columns.`,
    line,
  );
}

/** The place of a table on its sheet. */
class SheetTable {
  readonly names: readonly string[];
  readonly #place: string;
  readonly #first: number;
  #lastLine: number;
  #hasNumbers = false;

  /**
   * @param header the row with the names
   * @param first the row below, if there is one
   * @throws {FormatError} if there is a gap between the names
   */
  constructor(place: string, { cells, line }: SheetRow, first?: SheetRow) {
    this.#place = place;
    this.#lastLine = line;
    const start = cells.findIndex((cell) => cell !== undefined);
    const names = Array.from(cells.slice(start), readName);
    const gap = names.indexOf('');
    if (gap >= 0) {
      throw new FormatError(
        `${place}, cell ${columnLetters(start + gap)}${line}: the column has no name, but others follow. Name it, or delete the column. If this is not the row with the names, choose another with header_line; if a second table stands beside the first, move it to a sheet of its own.`,
        line,
      );
    }
    const hasIndex = first?.cells[start - 1] !== undefined;
    this.#first = hasIndex ? start - 1 : start;
    this.names = hasIndex ? ['', ...names] : names;
  }

  /** @throws {FormatError} at a value outside of the columns, and at a row that seems to begin another table. */
  cut({ line, cells, isText, percents }: SheetRow): TableRow {
    const end = this.#first + this.names.length;
    const outside = cells.findIndex((cell, at) => cell !== undefined && (at < this.#first || at >= end));
    if (outside >= 0) {
      throw new FormatError(
        `${this.#place}, cell ${columnLetters(outside)}${line}: it has a value, but its column has no name. Name the column, or delete the value.`,
        line,
      );
    }
    if (line > this.#lastLine + 1 && isText && this.#hasNumbers) {
      throw new FormatError(
        `${this.#place}, row ${line}: it follows an empty row and has only texts, as the names of a second table or a note have. Move it to another sheet, or delete it or the empty row.`,
        line,
      );
    }
    this.#lastLine = line;
    this.#hasNumbers ||= !isText;
    return {
      line,
      cells: Array.from(this.names, (_, at) => cells[this.#first + at] ?? null),
      percents: percents.length === 0 ? percents : percents.map((at) => at - this.#first),
    };
  }
}

function readName(cell: SheetRow['cells'][number]): string {
  return cell === undefined ? '' : String(cell).trim();
}
