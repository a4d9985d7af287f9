import { cellText, isRowObject, ownValue, type RowObject } from './cells.js';
import type { ColumnChoices } from './column.js';
import { type CellColumn, ColumnBuilder } from './column-builder.js';
import { checkChosen, checkColumnNames, columnName, INDEX_COLUMN, nameIndex } from './column-names.js';
import type { RowRanges } from './dropped-rows.js';
import type { Place, TableMarks } from './reading/column-reading.js';
import type { RowPlaces } from './rows-read.js';
import { SeriesBuilder } from './series-builder.js';
import type { CellSink } from './series-cells.js';
import type { Goal, Table } from './table.js';
import { TableBuilder } from './table-builder.js';
import { FaultList, quote, TableError, type TableFault } from './table-error.js';
import type { ValidationChoice } from './validation.js';

/** The task and the uses of columns, where the values of a table are not to decide. */
export interface TableOptions {
  /** The task, or what is to be forecast. */
  readonly task?: Goal | undefined;
  readonly choices?: ColumnChoices | undefined;
  /** The meaning of marks in its texts, as far as the sender has named it. */
  readonly marks?: TableMarks | undefined;
  /** Rows that are left out before anything else is read of them. */
  readonly dropped?: RowRanges | undefined;
  /** The rows that measure the model; random ones without it. Not for forecasts. */
  readonly validation?: ValidationChoice | undefined;
}

/** Takes rows whose cells stand in the order of the columns' names. */
export interface OrderedSink {
  /** True if no further rows are wanted. */
  readonly isFull: boolean;
  /**
   * Takes the names of the columns, before the first row.
   *
   * @throws {TableError} if they cannot be those of a table.
   */
  begin(names: readonly string[]): void;
  /** Returns whether the sender leaves out a row, whatever its cells are. */
  drops(place: Place): boolean;
  /** @throws {TableError} at the first row or cell too many. */
  add(cells: readonly unknown[], place: Place): void;
  /**
   * Adds rows that came by column.
   *
   * @param first the index of the first of them.
   * @throws {TableError} at the first row or cell too many.
   */
  addColumns(first: number, length: number, columns: ReadonlyMap<number, CellColumn>): void;
}

/** Rows that become a table. */
export interface GatheredRows {
  /** The places of the rows that are used. */
  readonly places: RowPlaces;
  /** @throws {TableError} if no model can be trained on what was added. */
  build(): Table;
}

/** Takes row objects one by one. */
export interface ObjectSink {
  /** True if no further rows are wanted. */
  readonly isFull: boolean;
  /**
   * @param place of the row, if its index is not what its sender knows it by.
   * @throws {TableError} at the first row, column or cell too many, and at rows that are no objects.
   */
  add(row: unknown, place?: Place): void;
}

/** Gathers rows into a table. */
export class OrderedRows implements OrderedSink, GatheredRows {
  readonly isFull = false;
  readonly #target: string;
  readonly #builder: TableBuilder | SeriesBuilder;
  readonly #options: TableOptions;
  /** By place; undefined where the column is the target. */
  #columns: readonly (CellSink | undefined)[] = [];
  /** The places of columns without a name, whose cells must be empty. */
  #unnamed: readonly number[] = [];
  #index: CellSink | undefined;
  #targetAt = 0;

  constructor(target: string, options: TableOptions) {
    this.#target = columnName(target);
    this.#options = options;
    this.#builder = createBuilder(this.#target, options);
  }

  get places(): RowPlaces {
    return this.#builder.places;
  }

  begin(sent: readonly string[]): void {
    const given = sent.map(columnName);
    const names = nameIndex(given);
    checkColumnNames(names, this.#target, new FaultList());
    checkOptions(names, this.#options);
    this.#columns = names.map((name, at) => {
      if (name === this.#target || name === '') return undefined;
      return this.#builder.column(name, given[at] === '' ? 'index' : undefined);
    });
    this.#index = given[0] === '' ? this.#columns[0] : undefined;
    this.#unnamed = [...names.keys()].filter((at) => names[at] === '');
    this.#targetAt = names.indexOf(this.#target);
  }

  drops(place: Place): boolean {
    return this.#builder.drops(place);
  }

  add(cells: readonly unknown[], place: Place): void {
    if (this.#unnamed.length > 0 && !this.drops(place)) this.#refuseUnnamed((at) => cells[at], place);
    const row = this.#builder.startRow(cells[this.#targetAt], place);
    if (row === undefined) return;
    const columns = this.#columns;
    for (let at = 0; at < columns.length; at++) columns[at]?.put(row, cells[at], place);
  }

  addColumns(first: number, length: number, columns: ReadonlyMap<number, CellColumn>): void {
    const target = columns.get(this.#targetAt);
    const rows = new Int32Array(length);
    for (let index = 0; index < length; index++) {
      const cell = target && target.kind !== 'missing' ? target.value(index) : null;
      rows[index] = this.#builder.startRow(cell, { row: first + index }) ?? -1;
    }
    for (const [at, builder] of this.#columns.entries()) {
      const cells = columns.get(at);
      if (cells) builder?.putColumn(rows, cells, first);
    }
    for (let index = 0; this.#unnamed.length > 0 && index < length; index++) {
      const cellAt = (at: number) => {
        const cells = columns.get(at);
        return cells === undefined || cells.kind === 'missing' ? null : cells.value(index);
      };
      const place = { row: first + index };
      if (!this.drops(place)) this.#refuseUnnamed(cellAt, place);
    }
  }

  /** @throws {TableError} if no model can be trained on what was added. */
  build(): Table {
    return countUnnamed(this.#builder.build(), this.#unnamed.length, this.#index);
  }

  get targetAt(): number {
    const before = this.#columns.slice(0, this.#targetAt);
    return before.filter((column) => column && !(column instanceof ColumnBuilder && column.isEmptyIndex)).length;
  }

  #refuseUnnamed(cellAt: (at: number) => unknown, place: Place): void {
    for (const at of this.#unnamed) {
      const text = cellText(cellAt(at));
      if (text === '') continue;
      const message = `${namePlace(place)} has the value ${quote(text)} in column ${at + 1}, which has no name. Name the column in the header, or remove it.`;
      throw new TableError([{ message, ...place }]);
    }
  }
}

/** The fault of a row that is not an object. */
export function notAnObject(place: Place): TableFault {
  const message = `${namePlace(place)} is not an object. Send each row as an object that gives its values by column name.`;
  return { message, ...place };
}

/**
 * Reads a table from row objects. The columns are the union of the rows' keys, in order of first
 * appearance; a key that a row lacks is a missing value.
 *
 * @throws {TableError} if no model can be trained on the table, or it has more than 1,000,000 rows.
 */
export function readRowsTable(rows: Iterable<unknown>, target: string, options: TableOptions = {}): Table {
  const reader = new RowsReader(target, options);
  for (const row of rows) reader.add(row);
  return reader.build();
}

function createBuilder(target: string, options: TableOptions): TableBuilder | SeriesBuilder {
  const { task: goal, choices, marks, dropped, validation } = options;
  return typeof goal === 'object'
    ? new SeriesBuilder(target, goal, choices, marks, dropped)
    : new TableBuilder(target, goal, choices, marks, dropped, validation);
}

/** @throws {TableError} if they name a column that is not there. */
function checkOptions(names: readonly string[], { choices, marks, validation }: TableOptions): void {
  checkChosen(names, choices, marks, validation);
}

/** Adds to a table the number of columns without a name and a value; an index without values counts. */
function countUnnamed(table: Table, unnamed: number, index: CellSink | undefined): Table {
  const count = unnamed + Number(index instanceof ColumnBuilder && index.isEmptyIndex);
  return count === 0 ? table : { ...table, unnamedColumns: count };
}

function namePlace(place: Place): string {
  return 'line' in place ? `Line ${place.line}` : `Row ${place.row}`;
}

/** Returns the column name of a key; an empty key names the index. */
function keyName(key: string): string {
  return columnName(key) || INDEX_COLUMN;
}

function hasOtherName(key: string): boolean {
  return keyName(key) !== key;
}

/** Gathers row objects into a table. */
export class RowsReader implements ObjectSink, GatheredRows {
  readonly isFull = false;
  readonly #target: string;
  readonly #faults = new FaultList();
  readonly #builder: TableBuilder | SeriesBuilder;
  readonly #options: TableOptions;
  #count = 0;
  #hasIndex = false;
  #index: CellSink | undefined;
  #hasTarget = false;

  constructor(target: string, options: TableOptions) {
    this.#target = columnName(target);
    this.#options = options;
    this.#builder = createBuilder(this.#target, options);
  }

  get places(): RowPlaces {
    return this.#builder.places;
  }

  /** @throws {TableError} at the tenth faulty row, and at the first row, column or cell too many. */
  add(row: unknown, place: Place = { row: this.#count }): void {
    this.#count++;
    if (this.#builder.drops(place)) {
      this.#builder.startRow(null, place);
      return;
    }
    if (!isRowObject(row)) {
      this.#faults.add(notAnObject(place));
      return;
    }
    const keys = Object.keys(row);
    const values = keys.some(hasOtherName) ? this.#underColumnNames(row, keys, place) : row;
    this.#hasTarget = Object.hasOwn(values, this.#target) || this.#hasTarget;
    const position = this.#builder.startRow(ownValue(values, this.#target), place);
    for (const name of values === row ? keys : Object.keys(values)) {
      if (name === this.#target) continue;
      const isIndex = this.#hasIndex && name === INDEX_COLUMN;
      const column = this.#builder.column(name, isIndex ? 'index' : undefined);
      if (isIndex) this.#index = column;
      if (position !== undefined) column.put(position, values[name], place);
    }
  }

  /** The row's values under the names that its keys mean. */
  #underColumnNames(row: RowObject, keys: readonly string[], place: Place): RowObject {
    // Without a prototype, `__proto__` is a key as any other.
    const values: Record<string, unknown> = Object.create(null);
    for (const key of keys) {
      const name = keyName(key);
      if (columnName(key) === '') this.#hasIndex = true;
      if (Object.hasOwn(values, name)) {
        const message = `${namePlace(place)} has two values of the column ${quote(name)}, under names that are alike without the blanks at their ends. Leave one of them out.`;
        this.#faults.add({ message, column: name, ...place });
      }
      values[name] = row[key];
    }
    return values;
  }

  /** @throws {TableError} if no model can be trained on what was added. */
  build(): Table {
    if (this.#count === 0) {
      throw new TableError([{ message: 'The table has no rows. Send an array of row objects.' }]);
    }
    const inputs = this.#builder.columnNames;
    const names = this.#hasTarget ? [...inputs, this.#target] : inputs;
    checkColumnNames(names, this.#target, this.#faults);
    checkOptions(names, this.#options);
    return countUnnamed(this.#builder.build(), 0, this.#index);
  }
}
