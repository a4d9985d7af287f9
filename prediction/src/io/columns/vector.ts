import type { Entries } from './entries.js';
import { dateText, momentText } from './times.js';

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
export function slicesOf(
  vectors: ReadonlyMap<number, Vector>,
  from: number,
  to: number,
): ReadonlyMap<number, Vector> {
  return new Map(Array.from(vectors, ([place, vector]) => [place, vector.slice(from, to)]));
}
