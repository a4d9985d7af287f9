/** The numbers in a chunk, one for each row. */
const CHUNK_BITS = 16;
const CHUNK = 1 << CHUNK_BITS;

/** The places that a chunk begins with; they double as rows come, since most tables are short. */
const FIRST = 256;

type Numbers = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/**
 * Numbers by row, which grow a chunk at a time, so that at most a chunk is held twice while it grows.
 * Rows that nothing was put into hold `empty`, and chunks of such rows are not there at all.
 */
export class Chunked<T extends Numbers> {
  readonly #make: (length: number) => T;
  readonly #chunks: (T | undefined)[] = [];

  /** @param make an array of so many empty places. */
  constructor(make: (length: number) => T) {
    this.#make = make;
  }

  set(row: number, value: number): void {
    const index = row >>> CHUNK_BITS;
    const at = row & (CHUNK - 1);
    let chunk = this.#chunks[index];
    if (chunk === undefined || at >= chunk.length) {
      const larger = this.#make(Math.min(CHUNK, Math.max(FIRST, 2 * (at + 1))));
      if (chunk !== undefined) larger.set(chunk);
      chunk = larger;
      this.#chunks[index] = chunk;
    }
    chunk[at] = value;
  }

  /** The number of a row that was set. */
  get(row: number): number {
    return this.#chunks[row >>> CHUNK_BITS]?.[row & (CHUNK - 1)] ?? 0;
  }

  /** Replaces each number of the chunks that are there. */
  map(replace: (value: number) => number): void {
    for (const chunk of this.#chunks) {
      if (chunk === undefined) continue;
      for (let at = 0; at < chunk.length; at++) chunk[at] = replace(chunk[at] ?? 0);
    }
  }

  /** Gives away each chunk that is there, with its first row, and holds it no more. */
  *takeChunks(): Generator<{ start: number; chunk: T }> {
    for (let index = 0; index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index];
      this.#chunks[index] = undefined;
      if (chunk !== undefined) yield { start: index * CHUNK, chunk };
    }
  }

  /** All as one array of so many rows; the chunks are given up on the way. */
  take(rowCount: number): T {
    const all = this.#make(rowCount);
    for (const { start, chunk } of this.takeChunks()) {
      if (start < rowCount) all.set(chunk.subarray(0, rowCount - start), start);
    }
    return all;
  }
}

export function codesByRow(): Chunked<Uint16Array<ArrayBuffer>> {
  return new Chunked((length) => new Uint16Array(length));
}

export function largeCodesByRow(): Chunked<Uint32Array<ArrayBuffer>> {
  return new Chunked((length) => new Uint32Array(length));
}

/** NaN for rows without a value. */
export function valuesByRow(): Chunked<Float64Array<ArrayBuffer>> {
  return new Chunked((length) => new Float64Array(length).fill(Number.NaN));
}
