import { cellText, parseDate, parseNumber } from './cells.js';
import { type Chunked, valuesByRow } from './chunked-array.js';
import type { ColumnReading } from './number-formats/column-reading.js';
import { readerOf, tellReading } from './number-formats/tell-reading.js';
import type { TableColumn, ValueColumn } from './table.js';
import { TextCells } from './text-column.js';
import { bytesOf, type TextHolder, type TextMemory } from './text-memory.js';

/** The cells of a column as numbers, and how they are read. */
interface ValueCells {
  readonly kind: ValueColumn['kind'];
  readonly reading: ColumnReading | undefined;
  readonly read: (cell: unknown) => number;
  readonly values: Chunked<Float64Array<ArrayBuffer>>;
}

/**
 * Gathers the cells of one column. Rows that are passed over stay missing. It begins with the
 * distinct texts; if they become too many, it goes over to numbers or dates, if they are such, and
 * else does without the rare ones.
 */
export class ColumnBuilder implements TextHolder {
  readonly #memory: TextMemory;
  #texts = new TextCells();
  #values: ValueCells | undefined;

  constructor(memory: TextMemory) {
    this.#memory = memory;
    memory.enter(this);
  }

  get heldBytes(): number {
    return this.#values === undefined ? this.#texts.heldBytes : 0;
  }

  put(row: number, cell: unknown): void {
    if (this.#values === undefined) this.#putText(row, cell);
    else putValue(this.#values, row, cell);
  }

  #putText(row: number, cell: unknown): void {
    const text = cellText(cell);
    if (text === '' || this.#texts.putKnown(row, text)) return;
    if (this.#texts.isFull) this.makeRoom();
    this.#memory.reserve(text);
    // Room may have been made here, by going over to values.
    if (this.#values === undefined) {
      this.#texts.putNew(row, withoutRest(text, cell));
    } else {
      this.#memory.release(bytesOf(text));
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
    if (this.#values === undefined) return this.#texts.take(name, rowCount);
    const { kind, values, reading } = this.#values;
    return { kind, name, values: values.take(rowCount), ...(reading && { reading }) };
  }

  #becomesValues(): boolean {
    if (this.#becomes('number', readNumber) || this.#becomes('date', readDate)) return true;
    const reading = this.#texts.hasForgotten ? null : tellReading(this.#texts.texts());
    if (reading === null || reading.kind === 'undecided') return false;
    const { kind } = reading;
    const parse = readerOf(kind, reading);
    const read = (cell: unknown) =>
      typeof cell === 'number' && kind === 'number' ? cell + 0 : parse(cellText(cell));
    return this.#becomes(kind, read, reading);
  }

  #becomes(
    kind: ValueColumn['kind'],
    read: (cell: unknown) => number,
    reading?: ColumnReading,
  ): boolean {
    const byCode = this.#texts.parsed(read);
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

/** A trimmed text is a slice of its cell, and keeps all of it in memory: of a cell of blanks, a copy is kept. */
function withoutRest(text: string, cell: unknown): string {
  const isMostOfIt = typeof cell !== 'string' || cell.length < 2 * text.length + 64;
  return isMostOfIt ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}

function putValue({ read, values }: ValueCells, row: number, cell: unknown): void {
  const value = read(cell);
  if (!Number.isNaN(value)) values.set(row, value);
}

function readNumber(cell: unknown): number {
  // As their text has none, numbers have no negative zero either.
  return typeof cell === 'number' ? cell + 0 : parseNumber(cellText(cell));
}

function readDate(cell: unknown): number {
  return parseDate(cellText(cell));
}
