/** The largest errors of a model on rows that it was not trained on, and where it errs most: plain data, bounded. */
export interface ModelErrors {
  /** The unit of errors: that of the target, log loss, or the error of the seasonal naive forecast. */
  readonly measure: 'absolute_error' | 'log_loss' | 'scaled_error';
  /** The mean of all rows that were measured. */
  readonly error: number;
  readonly measured_rows: number;
  /** The confidence of the intervals of rows. */
  readonly confidence: number;
  /** The names of the columns of `RowError.values`. */
  readonly columns: readonly string[];
  /** The names of the numbers of `RowError.contributions`, as answers have them. */
  readonly contributions: readonly string[];
  /** The largest first. */
  readonly rows: readonly RowError[];
  /** The worst first; none if chance explains the differences. */
  readonly slices: readonly ErrorSlice[];
}

/** A row, and what was said of it by forests that were not trained on it. */
export interface RowError {
  readonly line: number | null;
  readonly row: number | null;
  /** The number of steps ahead of a forecast; null for other tasks. */
  readonly step: number | null;
  readonly values: readonly (string | number | null)[];
  readonly truth: string | number;
  readonly predicted: string | number;
  readonly lower: number | null;
  readonly upper: number | null;
  /** The probability of the true class; null for numbers. */
  readonly probability: number | null;
  readonly error: number;
  /** The base of the prediction, and what the shown columns add. */
  readonly contributions: readonly number[];
}

/** The rows with one value, or a range of values, of one column. */
export interface ErrorSlice {
  readonly column: string;
  readonly value: string | null;
  readonly from: string | number | null;
  readonly to: string | number | null;
  readonly rows: number;
  readonly error: number;
  readonly p_value: number;
  readonly message: string;
}

export const MAX_ERROR_ROWS = 50;
export const MAX_ERROR_COLUMNS = 50;

/** The most characters of a text. */
export const MAX_ERROR_TEXT = 200;
