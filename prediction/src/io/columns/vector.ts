import { dateText, momentText } from './times.js';

/** The distinct values of a column, each of which is read when it is first needed. */
export interface EntrySource {
  /** Values from this index on are not distinct: they are read whenever they are needed. */
  readonly count: number;
  /** The value as JSON would have it; null if it is missing. */
  value(index: number): unknown;
  /** The bytes of a text; 0 of other values. */
  textBytes(index: number): number;
}

/** Entries, with what was found out about each. */
export class Entries {
  readonly #source: EntrySource;
  readonly #values: unknown[] = [];
  // The entries of truth values are never freed, and their keys must be.
  readonly #found = new WeakMap<object, Int16Array>();

  constructor(source: EntrySource) {
    this.#source = source;
  }

  value(index: number): unknown {
    const known = this.#values[index];
    if (known !== undefined) return known;
    const value = this.#source.value(index);
    if (index < this.#source.count) this.#values[index] = value;
    return value;
  }

  textBytes(index: number): number {
    return this.#source.textBytes(index);
  }

  /** Returns the cache of `key`: a place for each distinct entry, −1 where it knows nothing yet. */
  findings(key: object): Int16Array {
    const { count } = this.#source;
    const found = this.#found.get(key);
    if (found !== undefined && found.length >= count) return found;
    const grown = new Int16Array(Math.max(count, 2 * (found?.length ?? 0))).fill(-1);
    if (found) grown.set(found);
    this.#found.set(key, grown);
    return grown;
  }
}

/** The entries of columns of truth values: 0 is false, 1 is true. */
export function booleanEntries(): Entries {
  return new Entries({ count: 2, value: (index) => index === 1, textBytes: () => 0 });
}

/** A column of some rows. */
export type Vector = NumberVector | TimeVector | EntryVector | MissingVector;

/** Numbers; NaN is missing. */
export class NumberVector {
  readonly kind = 'number';

  constructor(readonly values: Float64Array) {}

  readonly textOf = String;

  value(row: number): unknown {
    const value = this.values[row] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }

  addTextBytes(_sizes: Float64Array): void {}

  slice(from: number, to: number): NumberVector {
    return new NumberVector(this.values.subarray(from, to));
  }
}

/** Dates and moments, in milliseconds since 1970; NaN is missing. */
export class TimeVector {
  readonly kind = 'date';

  /** @param isDay whether they are days without a time. */
  constructor(
    readonly values: Float64Array,
    readonly isDay: boolean,
  ) {}

  readonly textOf = (time: number): string => {
    return (this.isDay ? dateText(time) : momentText(time)) ?? '';
  };

  /** ISO 8601, as JSON would have it. */
  value(row: number): unknown {
    const time = this.values[row] ?? Number.NaN;
    return this.isDay ? dateText(time) : momentText(time);
  }

  addTextBytes(_sizes: Float64Array): void {}

  slice(from: number, to: number): TimeVector {
    return new TimeVector(this.values.subarray(from, to), this.isDay);
  }
}

/** The code of a row without a value, and of one whose value is none of the entries. */
export const MISSING = -1;
export const OTHER = -2;

/** Values of rows, which are none of the entries. */
export interface OtherValues {
  value(row: number): unknown;
  /** The bytes of a text; 0 of other values. */
  textBytes(row: number): number;
}

/** Values that came in parts, by one index. */
export class ValueParts {
  readonly #starts: number[] = [];
  readonly #parts: OtherValues[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds values, and returns the index of the first. */
  add(part: OtherValues, count: number): number {
    const start = this.#length;
    this.#starts.push(start);
    this.#parts.push(part);
    this.#length += count;
    return start;
  }

  value(index: number): unknown {
    const at = this.#find(index);
    return this.#parts[at]?.value(index - (this.#starts[at] ?? 0)) ?? null;
  }

  textBytes(index: number): number {
    const at = this.#find(index);
    return this.#parts[at]?.textBytes(index - (this.#starts[at] ?? 0)) ?? 0;
  }

  /** Returns the part that holds a value, by binary search. */
  #find(index: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    return low;
  }
}

const NO_OTHERS: OtherValues = { value: () => null, textBytes: () => 0 };

/** Values of which most occur in many rows. */
export class EntryVector {
  readonly kind = 'entries';

  /**
   * @param codes by row, the index of its entry, `MISSING` or `OTHER`.
   * @param others gives the values of the rows with `OTHER`.
   * @param start the row of `others` that is row 0 here.
   */
  constructor(
    readonly codes: Int32Array,
    readonly entries: Entries,
    private readonly others: OtherValues = NO_OTHERS,
    private readonly start = 0,
  ) {}

  value(row: number): unknown {
    const code = this.codes[row] ?? MISSING;
    if (code >= 0) return this.entries.value(code);
    return code === MISSING ? null : this.others.value(this.start + row);
  }

  /** Adds the bytes of each row's text to `sizes`. */
  addTextBytes(sizes: Float64Array): void {
    const { codes, entries, others, start } = this;
    for (let row = 0; row < sizes.length; row++) {
      const code = codes[row] ?? MISSING;
      if (code >= 0) sizes[row] = (sizes[row] ?? 0) + entries.textBytes(code);
      else if (code === OTHER) sizes[row] = (sizes[row] ?? 0) + others.textBytes(start + row);
    }
  }

  slice(from: number, to: number): EntryVector {
    const codes = this.codes.subarray(from, to);
    return new EntryVector(codes, this.entries, this.others, this.start + from);
  }
}

/** A column without a value that a model can read: lists, records and bytes. */
export class MissingVector {
  readonly kind = 'missing';

  value(_row: number): unknown {
    return null;
  }

  addTextBytes(_sizes: Float64Array): void {}

  slice(_from: number, _to: number): MissingVector {
    return this;
  }
}

/** Returns some of the rows of columns. */
export function sliceVectors(
  vectors: ReadonlyMap<number, Vector>,
  from: number,
  to: number,
): ReadonlyMap<number, Vector> {
  return new Map(Array.from(vectors, ([place, vector]) => [place, vector.slice(from, to)]));
}
