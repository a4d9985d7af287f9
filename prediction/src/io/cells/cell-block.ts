import type { BinnedRows, RowBlock } from '../../rows/row-binner.js';
import type { RowObject } from '../../table/cells.js';
import type { CellMemory } from './cell-memory.js';
import type { CellPlan } from './cell-plan.js';

/**
 * The kinds of a cell, in its low three bits.
 *
 * A *cell* states where the value of a row and a column stands in the bytes of a body, which lie in the
 * kernel's memory. It takes eight bytes there: the address of its first byte as u32, and then
 * `length × 8 + kind` as u32. The cells of a row are adjacent, in the order of `CellPlan.columns`
 * (inputs, target, closing columns), and the rows of a block follow on one another.
 *
 * A scanner of a format is written in AssemblyScript, in a separate folder beside
 * `kernel/assembly/cells`. It gets the address of the bytes, which `CellMemory.put` put there with
 * 64 zeros behind them, and the address of the cells, which are all zero, so all missing. It writes the
 * cells that it finds with `setCell`, and each as the kind below that fits. Cells that it cannot distinguish
 * cheaply, as a quoted field with doubled quotes, is `OTHER`, and the reader gives `CellBinner` a
 * function that reads it. A row that it cannot scan stays missing: the reader parses it, puts its values
 * into the memory with `CellTexts.putValue`, and counts its names. The other rows are counted with
 * `SchemaCheck.skip`. Read the kernel's report of a scan, and copy bytes that
 * are needed later, before anything is allocated: views of the memory end when it grows.
 */
export const CellKind = {
  /** The row says nothing of the column. */
  missing: 0,
  /** The null of JSON. */
  null: 1,
  /** `true` or `false`, in these letters. */
  boolean: 2,
  /** A number of the type, not the text, and in the very form that `String` gives it. */
  number: 3,
  /**
   * A text, in UTF-8 and without its quotes. No byte is a quote, a backslash or below a space: the same
   * bytes between quotes are its JSON. It may still mean a number, a date or a missing value. An empty
   * field of CSV is a text of no bytes.
   */
  text: 4,
  /** A number in a form that JSON has, as `1.50` or `1e3`. */
  otherNumber: 5,
  /** Any other value. The reader's function makes a value of JSON of its bytes. */
  other: 6,
  /** JSON that the writer of an answer made of a cell, in place of its bytes. No scanner writes it. */
  written: 7,
} as const;

/** Bytes of a cell. */
export const CELL = 8;

/** Makes a value of JSON of the bytes of a cell of the kind `other`. */
export type ReadOther = (bytes: Buffer) => unknown;

/** A column of text. */
export interface TextSink {
  /** Adds a text itself, the JSON of another value, or null for a missing one. */
  addValue(value: unknown): void;
  /** Adds a text in UTF-8. */
  addBytes(bytes: Uint8Array, from: number, to: number): void;
}

/** The places of a block's parts in the kernel's memory. */
export interface BlockPlace {
  readonly cells: number;
  readonly bins: number;
  readonly isPartial: number;
}

/** Rows whose cells are in the kernel's memory. Holds as long as the memory is lent and not freed. */
export class CellBlock implements RowBlock {
  constructor(
    readonly lent: CellMemory,
    readonly place: BlockPlace,
    readonly rowCount: number,
    readonly readOther: ReadOther,
    /** The row without values: the names of a header are null. */
    readonly empty: RowObject,
  ) {}

  get plan(): CellPlan {
    return this.lent.plan;
  }

  /** Copies the bins that `CellBinner` made. */
  bin({ bins, isPartial }: BinnedRows): void {
    const { bytes } = this.lent.memory;
    const { place, rowCount } = this;
    const count = rowCount * this.plan.features.length;
    bins.set(bytes.subarray(place.bins, place.bins + count));
    isPartial.set(bytes.subarray(place.isPartial, place.isPartial + rowCount));
  }

  row(index: number): RowObject {
    // Without a prototype, `__proto__` is a key as any other.
    const row: Record<string, unknown> = Object.assign(Object.create(null), this.empty);
    for (const [column, name] of this.plan.columns.entries()) {
      const value = this.value(index, column);
      if (value !== undefined) row[name] = value;
    }
    return row;
  }

  readColumn(name: string): (index: number) => unknown {
    const column = this.plan.columns.indexOf(name);
    return (index) => (column < 0 ? null : (this.value(index, column) ?? null));
  }

  /**
   * Reads a column as numbers, NaN where there is none, and lists the rows that the kernel leaves to JavaScript. The next
   * reading overwrites both.
   *
   * @param readsPoints whether a text with a decimal point is read as a program would
   */
  readNumbers(column: number, readsPoints: boolean): { readonly numbers: Float64Array; readonly unread: Uint32Array } {
    const { place, plan, rowCount } = this;
    const { doubles, list } = this.lent.numberRoom(rowCount);
    const { memory } = this.lent;
    const count = memory.kernel.readValues(plan.start, place.cells, column, rowCount, readsPoints, doubles, list);
    return {
      numbers: memory.doubles.subarray(doubles / 8, doubles / 8 + rowCount),
      unread: memory.words.subarray(list / 4, list / 4 + count),
    };
  }

  /** Adds the values of a column to one of text. */
  addTexts(column: number, to: TextSink): void {
    const { words, bytes } = this.lent.memory;
    const step = (CELL / 4) * this.plan.columns.length;
    let place = (this.place.cells + CELL * column) / 4;
    for (let row = 0; row < this.rowCount; row++, place += step) {
      const start = words[place] ?? 0;
      const kind = (words[place + 1] ?? 0) & 7;
      const length = (words[place + 1] ?? 0) >>> 3;
      if (kind === CellKind.missing || kind === CellKind.null) to.addValue(null);
      else if (kind < CellKind.otherNumber) to.addBytes(bytes, start, start + length);
      else to.addValue(this.value(row, column));
    }
  }

  /** Returns the value of a cell; undefined, if it is missing. */
  value(row: number, column: number): unknown {
    const { start, length, kind } = this.cell(row, column);
    switch (kind) {
      case CellKind.null:
        return null;
      case CellKind.boolean:
        return this.lent.memory.bytes[start] === LETTER_T;
      case CellKind.number:
      case CellKind.otherNumber:
        return Number(this.text(start, length, 'latin1'));
      case CellKind.text:
        return this.text(start, length, 'utf8');
      case CellKind.other:
        return this.readOther(this.#buffer(start, length));
      default:
        return undefined;
    }
  }

  cell(row: number, column: number): { start: number; length: number; kind: number } {
    const { words } = this.lent.memory;
    const place = (this.place.cells + CELL * (row * this.plan.columns.length + column)) / 4;
    const size = words[place + 1] ?? 0;
    return { start: words[place] ?? 0, length: size >>> 3, kind: size & 7 };
  }

  text(start: number, length: number, encoding: 'latin1' | 'utf8'): string {
    return this.#buffer(start, length).toString(encoding);
  }

  #buffer(start: number, length: number): Buffer {
    return Buffer.from(this.lent.memory.bytes.buffer, start, length);
  }
}

const LETTER_T = 0x74;
