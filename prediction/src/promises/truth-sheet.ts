/** The most corrections of a batch whose earlier value is kept. */
const MAX_CORRECTIONS = 64;

/** An earlier truth, in whose place another came. */
interface Correction {
  readonly row: number;
  readonly earlier: number;
  /** When the other came: milliseconds since 1970. */
  readonly at: number;
}

/** The truths of a batch of promises: a number or the index of a class for each row whose truth has come. */
export class TruthSheet {
  readonly #values: Float64Array;
  readonly #corrections: Correction[] = [];
  #count = 0;

  /** @param bytes as `encode` wrote them; null where no truth has come */
  static decode(rows: number, bytes: Uint8Array | null): TruthSheet {
    const sheet = new TruthSheet(rows);
    if (bytes === null) return sheet;
    const copy = new Uint8Array(bytes);
    if (copy.length < 8 * rows || copy.length % 8 !== 0) throw new Error('Truths are damaged');
    const numbers = new Float64Array(copy.buffer);
    sheet.#values.set(numbers.subarray(0, rows));
    for (const value of sheet.#values) if (!Number.isNaN(value)) sheet.#count++;
    for (let place = rows; place + 2 < numbers.length; place += 3) {
      const [row = 0, earlier = 0, at = 0] = numbers.subarray(place, place + 3);
      sheet.#corrections.push({ row, earlier, at });
    }
    return sheet;
  }

  private constructor(rows: number) {
    this.#values = new Float64Array(rows).fill(Number.NaN);
  }

  /** The number of rows whose truth has come. */
  get count(): number {
    return this.#count;
  }

  /** Returns the truth of a row; undefined if it has not come. */
  get(row: number): number | undefined {
    const value = this.#values[row];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  /** @param now milliseconds since 1970 */
  set(row: number, truth: number, now: number): 'new' | 'corrected' | 'unchanged' {
    const earlier = this.get(row);
    if (earlier === truth) return 'unchanged';
    this.#values[row] = truth;
    if (earlier === undefined) {
      this.#count++;
      return 'new';
    }
    this.#corrections.push({ row, earlier, at: now });
    if (this.#corrections.length > MAX_CORRECTIONS) this.#corrections.shift();
    return 'corrected';
  }

  encode(): Uint8Array {
    const tail = this.#corrections.flatMap(({ row, earlier, at }) => [row, earlier, at]);
    const numbers = new Float64Array(this.#values.length + tail.length);
    numbers.set(this.#values);
    numbers.set(tail, this.#values.length);
    return Buffer.from(numbers.buffer);
  }
}
