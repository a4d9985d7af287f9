import { cellText } from './cells.js';
import type { TableColumn } from './table.js';

const FIRST_CAPACITY = 1024;

/** Gathers the cells of one column. Rows that are passed over stay missing. */
export class ColumnBuilder {
  readonly #codeOf = new Map<string, number>();
  /** Grows with the first cell that is not missing: a column may have none. */
  #codes = new Uint32Array(0);

  put(row: number, cell: unknown): void {
    const text = cellText(cell);
    if (text === '') return;
    let code = this.#codeOf.get(text);
    if (code === undefined) {
      code = this.#codeOf.size + 1;
      this.#codeOf.set(text, code);
    }
    if (row >= this.#codes.length) this.#grow(row);
    this.#codes[row] = code;
  }

  build(name: string, rowCount: number): TableColumn {
    const codes = new Uint32Array(rowCount);
    codes.set(this.#codes.subarray(0, rowCount));
    return { name, texts: [...this.#codeOf.keys()], codes };
  }

  #grow(row: number): void {
    const larger = new Uint32Array(Math.max(FIRST_CAPACITY, row + 1, 2 * this.#codes.length));
    larger.set(this.#codes);
    this.#codes = larger;
  }
}
