import type { Entries } from './entries.js';
import { dateText, momentText } from './times.js';

/** A column of some rows. */
export type Vector = NumberVector | TimeVector | EntryVector | MissingVector;

/** Numbers; NaN is missing. */
export class NumberVector {
  readonly kind = 'number';

  constructor(readonly values: Float64Array) {}

  value(row: number): unknown {
    const value = this.values[row] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }

  slice(from: number, to: number): NumberVector {
    return new NumberVector(this.values.subarray(from, to));
  }
}

/** Dates and moments, in milliseconds since 1970; NaN is missing. */
export class TimeVector {
  readonly kind = 'time';

  /** @param isDay whether they are days without a time. */
  constructor(
    readonly values: Float64Array,
    readonly isDay: boolean,
  ) {}

  /** ISO 8601, as JSON would have it. */
  value(row: number): unknown {
    const time = this.values[row] ?? Number.NaN;
    return this.isDay ? dateText(time) : momentText(time);
  }

  slice(from: number, to: number): TimeVector {
    return new TimeVector(this.values.subarray(from, to), this.isDay);
  }
}

/** The code of a row without a value, and of one whose value is none of the entries. */
export const MISSING = -1;
export const OTHER = -2;

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
    private readonly others: (row: number) => unknown = () => null,
    private readonly start = 0,
  ) {}

  value(row: number): unknown {
    const code = this.codes[row] ?? MISSING;
    if (code >= 0) return this.entries.value(code);
    return code === MISSING ? null : this.others(this.start + row);
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

  slice(_from: number, _to: number): MissingVector {
    return this;
  }
}
