import { Entries } from '../columns/entries.js';
import { partOf } from '../columns/part-of.js';
import type { RawColumn } from './raw-column.js';

/** The values that columns have indices of. A delta adds to them. */
export class Dictionary {
  readonly entries: Entries;
  readonly chunks: RawColumn[] = [];
  readonly #starts: number[] = [];
  readonly #values: ((index: number) => unknown)[] = [];
  #count = 0;
  #bytes = 0;

  /** @param valuesOf returns what reads the values of a chunk. */
  constructor(private readonly valuesOf: (chunk: RawColumn) => (index: number) => unknown) {
    const count = () => this.#count;
    this.entries = new Entries({
      get count() {
        return count();
      },
      value: (index) => this.#value(index),
    });
  }

  get count(): number {
    return this.#count;
  }

  /** The bytes of the bodies that its chunks hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param bytes of the body that the chunk is a part of. */
  add(chunk: RawColumn, bytes: number): void {
    this.chunks.push(chunk);
    this.#starts.push(this.#count);
    this.#values.push(this.valuesOf(chunk));
    this.#count += chunk.length;
    this.#bytes += bytes;
  }

  #value(index: number): unknown {
    const part = partOf(this.#starts, index);
    return this.#values[part]?.(index - (this.#starts[part] ?? 0)) ?? null;
  }
}
