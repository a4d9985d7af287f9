import type { HeldBytes } from '../columns/byte-budget.js';
import { Entries } from '../columns/entries.js';
import { partOf } from '../columns/part-of.js';
import type { OtherValues } from '../columns/vector.js';
import type { RawColumn } from './raw-column.js';

/** The values that columns have indices of. A delta adds to them. */
export class Dictionary {
  readonly entries: Entries;
  readonly chunks: RawColumn[] = [];
  readonly #starts: number[] = [];
  readonly #values: OtherValues[] = [];
  readonly #held: HeldBytes[] = [];
  #count = 0;

  constructor() {
    const count = () => this.#count;
    this.entries = new Entries({
      get count() {
        return count();
      },
      value: (index) => this.#at(index, (values, row) => values.value(row)),
      textBytes: (index) => this.#at(index, (values, row) => values.textBytes(row)) ?? 0,
    });
  }

  get count(): number {
    return this.#count;
  }

  /**
   * @param values of the chunk.
   * @param held counts the bytes of the chunk.
   */
  add(chunk: RawColumn, values: OtherValues, held: HeldBytes): void {
    this.chunks.push(chunk);
    this.#starts.push(this.#count);
    this.#values.push(values);
    this.#held.push(held);
    this.#count += chunk.length;
  }

  /** Gives the bytes of its chunks back. */
  release(): void {
    for (const held of this.#held) held.releaseAll();
  }

  #at<T>(index: number, read: (values: OtherValues, row: number) => T): T | null {
    const part = partOf(this.#starts, index);
    const values = this.#values[part];
    return values ? read(values, index - (this.#starts[part] ?? 0)) : null;
  }
}
