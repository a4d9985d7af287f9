import { cellText, parseDate, parseNumber } from './cells.js';
import { type Chunked, valuesByRow } from './chunked-array.js';
import {
  type ColumnUse,
  isPassedOver,
  MAX_TEXTS,
  type TableColumn,
  type TextColumn,
  type ValueColumn,
} from './column.js';
import {
  type ColumnReading,
  createReader,
  type DateReading,
  detectNumberFormat,
  type NumberReading,
} from './number-formats.js';
import { countBytes, TextCells, type TextHolder, type TextMemory } from './text-column.js';

/** The cells of a column in some rows: values, or numbers, or moments in milliseconds since 1970. */
export type CellColumn =
  | { readonly kind: 'entries'; value(index: number): unknown }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'number' | 'date';
      value(index: number): unknown;
      /** NaN is missing. */
      readonly values: Float64Array;
      /** Writes one of them as a cell of text. */
      readonly textOf: (value: number) => string;
    };

/** The cells of a column as numbers, and how they are read. */
interface ValueCells {
  readonly kind: ValueColumn['kind'];
  readonly reading: ColumnReading | undefined;
  readonly read: (cell: unknown) => number;
  readonly values: Chunked<Float64Array<ArrayBuffer>>;
  /** Of cells that came as numbers. */
  readonly textOf?: (value: number) => string;
}

/**
 * Gathers the cells of one column. Rows that are passed over stay missing. It begins with the
 * distinct texts; if they become too many, it goes over to numbers or dates, if they are such, and
 * else does without the rare ones.
 */
export class ColumnBuilder implements TextHolder {
  readonly #memory: TextMemory;
  readonly #use: ColumnUse | undefined;
  #isEmpty = true;
  #texts = new TextCells();
  #values: ValueCells | undefined;

  /** @param use without it, the values decide what the column holds. */
  constructor(memory: TextMemory, use?: ColumnUse) {
    this.#memory = memory;
    this.#use = use;
    memory.enter(this);
  }

  /** True of an index that numbers and names no row: the table has no such column. */
  get isEmptyIndex(): boolean {
    return this.#use === 'index' && this.#isEmpty;
  }

  get heldBytes(): number {
    return this.#values === undefined ? this.#texts.heldBytes : 0;
  }

  put(row: number, cell: unknown): void {
    if (isPassedOver(this.#use)) {
      if (this.#isEmpty) this.#isEmpty = cellText(cell) === '';
      return;
    }
    if (this.#values === undefined) this.#putText(row, cell);
    else putValue(this.#values, row, cell);
  }

  /**
   * Puts the cells of some rows; of one column, all are of one kind.
   *
   * @param rows the index of each, negative where it is left out.
   */
  putColumn(rows: Int32Array, cells: CellColumn): void {
    if (cells.kind === 'missing' || this.#use === 'unused') return;
    const isOther = this.#use !== undefined && this.#use !== cells.kind;
    if (cells.kind === 'entries' || isOther) {
      for (let index = 0; index < rows.length; index++) {
        const row = rows[index] ?? -1;
        if (row >= 0) this.put(row, cells.value(index));
      }
      return;
    }
    const { kind, textOf } = cells;
    const read = kind === 'number' ? readNumber : readDate;
    this.#values ??= { kind, reading: undefined, read, textOf, values: valuesByRow() };
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? -1;
      const value = cells.values[index] ?? Number.NaN;
      if (row >= 0 && !Number.isNaN(value)) this.#values.values.set(row, value + 0);
    }
  }

  #putText(row: number, cell: unknown): void {
    // A text that is kept needs no more reading.
    if (typeof cell === 'string' && this.#texts.putKnown(row, cell)) return;
    const text = cellText(cell);
    if (text === '' || (text !== cell && this.#texts.putKnown(row, text))) return;
    if (this.#texts.isFull) this.makeRoom();
    this.#memory.reserve(text);
    // Room may have been made here, by going over to values.
    if (this.#values === undefined) {
      this.#texts.putNew(row, detached(text));
    } else {
      this.#memory.release(countBytes(text));
      putValue(this.#values, row, cell);
    }
  }

  makeRoom(): void {
    const before = this.heldBytes;
    if (!this.#becomesValues()) this.#texts.forgetRare();
    this.#memory.release(before - this.heldBytes);
  }

  /** The column; the cells are given up with it. */
  take(name: string, rowCount: number): TableColumn {
    const choice = this.#use;
    if (isPassedOver(choice)) return unusedColumn(name, choice);
    const isOrdered = choice === 'number' || choice === 'date';
    if (isOrdered && this.#values === undefined) this.#becomesValues();
    if (this.#values === undefined) {
      const column = this.#texts.take(name, rowCount);
      return choice === undefined || isOrdered ? column : { ...column, chosen: choice };
    }
    const { kind, reading, textOf } = this.#values;
    const values = this.#values.values.take(rowCount);
    const fewTexts = textOf && choice === undefined && asTexts(name, values, textOf, this.#memory);
    if (fewTexts) return fewTexts;
    return {
      kind,
      name,
      values,
      ...(reading && { reading }),
      ...(isOrdered && { chosen: choice }),
    };
  }

  #becomesValues(): boolean {
    if (this.#use === 'category') return false;
    if (this.#use === 'number' || this.#use === 'date') return this.#becomesChosen(this.#use);
    if (this.#becomes('number', readNumber) || this.#becomes('date', readDate)) return true;
    const reading = this.#texts.hasForgotten ? null : detectNumberFormat(this.#texts.texts());
    if (reading === null || reading.kind === 'undecided') return false;
    return this.#becomes(reading.kind, readerOfCells(reading), reading);
  }

  /** Reads the texts as the chosen kind: in the form that all of them have, or else plain ones alone. */
  #becomesChosen(kind: ValueColumn['kind']): boolean {
    const found = this.#texts.hasForgotten ? null : detectNumberFormat(this.#texts.texts());
    const reading = found?.kind === kind ? found : undefined;
    const plain = kind === 'number' ? readNumber : readDate;
    return reading === undefined || this.#texts.parsed(plain) !== undefined
      ? this.#becomes(kind, plain, undefined, 0)
      : this.#becomes(kind, readerOfCells(reading), reading, 0);
  }

  #becomes(
    kind: ValueColumn['kind'],
    read: (cell: unknown) => number,
    reading?: ColumnReading,
    minShare?: number,
  ): boolean {
    const byCode = this.#texts.parsed(read, minShare);
    if (byCode === undefined) return false;
    const values = valuesByRow();
    for (const { row, code } of this.#texts.takeCodes()) {
      values.set(row, byCode[code] ?? Number.NaN);
    }
    this.#texts = new TextCells();
    this.#values = { kind, reading, read, values };
    return true;
  }
}

/**
 * Returns a column as its texts, if they are few and there is room for them: the table is then the same as from a
 * format of texts.
 */
function asTexts(
  name: string,
  values: Float64Array,
  textOf: (value: number) => string,
  memory: TextMemory,
): TextColumn | undefined {
  const codeOf = new Map<number, number>();
  const codes = new Uint16Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    let code = codeOf.get(value);
    if (code === undefined) {
      if (codeOf.size === MAX_TEXTS) return undefined;
      code = codeOf.size + 1;
      codeOf.set(value, code);
    }
    codes[row] = code;
  }
  const texts: string[] = [];
  for (const value of codeOf.keys()) {
    const text = textOf(value);
    if (!memory.tryReserve(text)) {
      for (const held of texts) memory.release(countBytes(held));
      return undefined;
    }
    texts.push(text);
  }
  return { kind: 'text', name, texts, codes };
}

/** Holds no cells, so that columns that are left out take no memory with the number of rows. */
function unusedColumn(name: string, chosen: 'unused' | 'index'): TextColumn {
  return { kind: 'text', name, texts: [], codes: new Uint16Array(0), chosen };
}

/** Shorter parts of a text are copies already (V8's `SlicedString::kMinLength`). */
const MIN_SLICE = 13;

/** Returns a copy: a text may be a part of a larger one, such as a piece of CSV, and would keep all of it in memory. */
function detached(text: string): string {
  return text.length < MIN_SLICE ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}

function putValue({ read, values }: ValueCells, row: number, cell: unknown): void {
  const value = read(cell);
  if (!Number.isNaN(value)) values.set(row, value);
}

function readerOfCells(reading: NumberReading | DateReading): (cell: unknown) => number {
  const { kind } = reading;
  const parse = createReader(kind, reading);
  return (cell) =>
    typeof cell === 'number' && kind === 'number' ? cell + 0 : parse(cellText(cell));
}

function readNumber(cell: unknown): number {
  // As their text has none, numbers have no negative zero either.
  return typeof cell === 'number' ? cell + 0 : parseNumber(cellText(cell));
}

function readDate(cell: unknown): number {
  return parseDate(cellText(cell));
}
