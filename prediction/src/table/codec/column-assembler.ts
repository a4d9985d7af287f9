import type { TableColumn, TextColumn, ValueColumn } from '../table.js';
import type { Cells, Head } from './format.js';

/** An array of known length that is filled from its beginning. */
export class GrowingCells<T extends Cells> {
  readonly #cells: T;
  #filled = 0;

  constructor(empty: T) {
    this.#cells = empty;
  }

  /** @throws {RangeError} if there are more than there is room for. */
  add(cells: Cells): void {
    this.#cells.set(cells, this.#filled);
    this.#filled += cells.length;
  }

  /** @throws {Error} if it is not full. */
  finish(): T {
    if (this.#filled < this.#cells.length) throw new Error('An encoded table lacks cells.');
    return this.#cells;
  }
}

/** A column of an encoded table, while its pieces come in. */
export interface GrowingColumn {
  /** @throws {Error} if it cannot have them. */
  addCells(cells: Cells): void;
  /** @throws {Error} if it cannot have them. */
  addTexts(texts: readonly string[]): void;
  /** @throws {Error} if it is not whole. */
  finish(): TableColumn;
}

export function growingColumn(head: Head['columns'][number], rowCount: number): GrowingColumn {
  return head.kind === 'text'
    ? new GrowingTexts(head.name, head.textCount, rowCount)
    : new GrowingValues(head, rowCount);
}

class GrowingTexts implements GrowingColumn {
  readonly #name: string;
  readonly #textCount: number;
  readonly #texts: string[] = [];
  readonly #codes: GrowingCells<Uint16Array>;

  constructor(name: string, textCount: number, rowCount: number) {
    this.#name = name;
    this.#textCount = textCount;
    this.#codes = new GrowingCells(new Uint16Array(rowCount));
  }

  addCells(cells: Cells): void {
    this.#codes.add(cells);
  }

  addTexts(texts: readonly string[]): void {
    for (const text of texts) this.#texts.push(text);
  }

  finish(): TextColumn {
    const codes = this.#codes.finish();
    const largest = this.#textCount + 1;
    if (this.#texts.length !== this.#textCount || codes.some((code) => code > largest)) {
      throw new Error('An encoded table has texts that do not fit its codes.');
    }
    return { kind: 'text', name: this.#name, texts: this.#texts, codes };
  }
}

type ValueHead = Extract<Head['columns'][number], { kind: ValueColumn['kind'] }>;

class GrowingValues implements GrowingColumn {
  readonly #head: ValueHead;
  readonly #values: GrowingCells<Float64Array>;

  constructor(head: ValueHead, rowCount: number) {
    this.#head = head;
    this.#values = new GrowingCells(new Float64Array(rowCount));
  }

  addCells(cells: Cells): void {
    this.#values.add(cells);
  }

  addTexts(): void {
    throw new Error('An encoded table has texts of a column of values.');
  }

  finish(): ValueColumn {
    const { kind, name, reading } = this.#head;
    return { kind, name, values: this.#values.finish(), ...(reading && { reading }) };
  }
}
