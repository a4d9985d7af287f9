import type { LookedColumn } from './looked-table.js';

/** Hashes of rows, as sums of those of their cells, so that a column can be taken out again. */
export class RowHashes {
  readonly #high: Int32Array;
  readonly #low: Int32Array;

  constructor(private readonly rows: Uint32Array) {
    this.#high = new Int32Array(rows.length);
    this.#low = new Int32Array(rows.length);
  }

  /**
   * Adds the cells of a column to the rows.
   *
   * @param sign 1 to add them, −1 to take them out.
   */
  toggle({ at }: LookedColumn, index: number, sign: 1 | -1): void {
    const number = new Float64Array(1);
    const words = new Int32Array(number.buffer);
    const high = this.#high;
    const low = this.#low;
    for (let row = 0; row < high.length; row++) {
      number[0] = at(this.rows[row] ?? 0);
      const [one = 0, other = 0] = words;
      const cell = mix(mix(one ^ Math.imul(index + 1, 0x9e3779b1)) ^ other);
      high[row] = (high[row] ?? 0) + sign * cell;
      low[row] = (low[row] ?? 0) + sign * mix(cell ^ 0x27d4eb2f);
    }
  }

  /** Returns 53 bits of the hash of each row. */
  values(): Float64Array {
    const low = this.#low;
    return Float64Array.from(this.#high, (word, row) => (word >>> 0) * 2 ** 21 + ((low[row] ?? 0) >>> 11));
  }
}

/** Mixes the bits of a word, as MurmurHash3 (Appleby 2011) ends. */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
