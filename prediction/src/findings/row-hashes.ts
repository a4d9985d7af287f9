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
  toggle({ cells: { codes, values } }: LookedColumn, index: number, sign: 1 | -1): void {
    const number = new Float64Array(1);
    const words = new Int32Array(number.buffer);
    const high = this.#high;
    const low = this.#low;
    const rows = this.rows;
    const salt = Math.imul(index + 1, 0x9e3779b1);
    for (let row = 0; row < high.length; row++) {
      const at = rows[row] ?? 0;
      number[0] = (codes === null ? values[at] : values[codes[at] ?? 0]) ?? Number.NaN;
      const cell = mix(mix((words[0] ?? 0) ^ salt) ^ (words[1] ?? 0));
      high[row] = (high[row] ?? 0) + sign * cell;
      low[row] = (low[row] ?? 0) + sign * mix(cell ^ 0x27d4eb2f);
    }
  }

  /** Returns 53 bits of the hash of each row. */
  values(): Float64Array {
    const [high, low] = [this.#high, this.#low];
    const values = new Float64Array(high.length);
    for (let row = 0; row < values.length; row++) {
      values[row] = ((high[row] ?? 0) >>> 0) * 2 ** 21 + ((low[row] ?? 0) >>> 11);
    }
    return values;
  }
}

/** Mixes the bits of a word, as MurmurHash3 (Appleby 2011) ends. */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
