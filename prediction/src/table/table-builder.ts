import { categoryShare } from './categories.js';
import { cellText, parseNumber } from './cells.js';
import { valuesByRow } from './chunked-array.js';
import { ColumnBuilder } from './column-builder.js';
import { tooManyColumns } from './column-names.js';
import { profileColumn } from './column-profile.js';
import { MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MIN_ROWS, type Table } from './table.js';
import { quote, TableError, type TableFault } from './table-error.js';
import { TextMemory } from './text-memory.js';

/** Where a row stands in the sender's own text. */
export type Place = { line: number } | { row: number };

/** Gathers rows into a table, and judges the whole when they are all there. */
export class TableBuilder {
  readonly #target: string;
  readonly #columns = new Map<string, ColumnBuilder>();
  readonly #memory = new TextMemory();
  readonly #targetValues = valuesByRow();
  #rowCount = 0;
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;
  #rowsSeen = 0;
  #presentTargets = 0;
  #badTargets = 0;
  #firstBad: { text: string; place: Place } | undefined;

  constructor(target: string) {
    this.#target = target;
  }

  /** Names of the input columns so far, in order of first appearance. */
  get columnNames(): string[] {
    return [...this.#columns.keys()];
  }

  /**
   * The input column of this name, made when it is new.
   *
   * @throws {TableError} at the first column or cell too many.
   */
  column(name: string): ColumnBuilder {
    let column = this.#columns.get(name);
    if (column === undefined) {
      if (this.#columns.size >= MAX_COLUMNS) throw tooManyColumns();
      column = new ColumnBuilder(this.#memory);
      this.#columns.set(name, column);
      this.#refuseTooManyCells();
    }
    return column;
  }

  /**
   * The index of a new row; undefined if it has no usable target and is to be left out.
   *
   * @throws {TableError} at the first row too many, whether it has a target or not, and at the first
   *   cell too many.
   */
  startRow(targetCell: unknown, place: Place): number | undefined {
    if (++this.#rowsSeen > MAX_ROWS) throw tooManyRows(place);
    const text = cellText(targetCell);
    if (text === '') return undefined;
    this.#presentTargets++;
    const value = parseNumber(text);
    if (!Number.isFinite(value)) {
      this.#badTargets++;
      this.#firstBad ??= { text, place };
      return undefined;
    }
    const row = this.#rowCount++;
    this.#refuseTooManyCells();
    this.#targetValues.set(row, value);
    if (value < this.#least) this.#least = value;
    if (value > this.#most) this.#most = value;
    return row;
  }

  /**
   * The table, to which what was gathered is given up.
   *
   * @throws {TableError} if the target or all of the input columns are unfit to learn from.
   */
  build(): Table {
    const fault = this.#targetFault();
    if (fault !== undefined) throw new TableError([{ ...fault, column: this.#target }]);
    const rowCount = this.#rowCount;
    const columns = [...this.#columns].map(([name, column]) => column.take(name, rowCount));
    const targetValues = this.#targetValues.take(rowCount);
    const table = { target: this.#target, rowCount, targetValues, columns };
    checkInputs(table);
    return table;
  }

  #targetFault(): TableFault | undefined {
    const target = quote(this.#target);
    if (this.#firstBad !== undefined) {
      const { text, place } = this.#firstBad;
      const share = `${this.#badTargets} of its ${this.#presentTargets} values`;
      const message = `The target ${target} must hold finite numbers, but ${share} are not; the first is ${quote(text)}. Correct them, leave them blank, or choose another target.`;
      return { message, ...place };
    }
    const rowCount = this.#rowCount;
    if (rowCount < MIN_ROWS) {
      const rows = rowCount === 1 ? 'row has' : 'rows have';
      const message = `Only ${rowCount} ${rows} a value of the target ${target}. At least ${MIN_ROWS} are needed, to learn from some and to measure the error on the others.`;
      return { message };
    }
    // An answer that is always the same number, "certain" at 0.99, would hide a wrong export.
    if (this.#least === this.#most) {
      const message = `Every value of the target ${target} is ${this.#least}: there is nothing to predict. Choose another target, or send rows in which it varies.`;
      return { message };
    }
    return undefined;
  }

  #refuseTooManyCells(): void {
    if (this.#rowCount * this.#columns.size <= MAX_CELLS) return;
    const most = MAX_CELLS.toLocaleString('en');
    const message = `The table has more than ${most} cells (rows × columns). Send fewer rows, or only the columns that bear on the target.`;
    throw new TableError([{ message }]);
  }
}

function tooManyRows(place: Place): TableError {
  const most = MAX_ROWS.toLocaleString('en');
  const message = `The table has more than ${most} rows; here begins the first too many. Send a random sample of at most ${most} rows.`;
  return new TableError([{ message, ...place }]);
}

function checkInputs(table: Table): void {
  if (table.columns.length === 0) {
    const message = `The target ${quote(table.target)} is the only column. Send the columns to predict it from.`;
    throw new TableError([{ message }]);
  }
  const categoryBytes = categoryShare(table.columns.length);
  const faults: TableFault[] = [];
  for (const column of table.columns) {
    const { reason } = profileColumn(column, categoryBytes).summary;
    if (reason === null) return;
    const message = `No input column can be used. Column ${quote(column.name)}: ${reason}.`;
    if (faults.length < 10) faults.push({ message, column: column.name });
  }
  throw new TableError(faults);
}
