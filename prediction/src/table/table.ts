/**
 * A checked table with a numeric target, kept by column in a few bytes a cell, and plain data, so
 * that it can be handed to another process.
 */
export interface Table {
  readonly target: string;
  /** Rows that have a target value; rows without one are left out. */
  readonly rowCount: number;
  /** The target of each row: finite numbers. */
  readonly targetValues: Float64Array;
  /** The input columns in the order of the header, without the target. */
  readonly columns: readonly TableColumn[];
}

export type TableColumn = TextColumn | ValueColumn;

/** A column of which each distinct text is kept once. It may hold numbers and dates too, if few. */
export interface TextColumn {
  readonly kind: 'text';
  readonly name: string;
  /** Distinct texts of the present cells, in order of first appearance; at most `MAX_TEXTS`. */
  readonly texts: readonly string[];
  /**
   * For each row 0 if the cell is missing, 1 + its index in `texts`, or 1 + the number of texts if
   * the cell holds one of the others, which were too many to keep. Those are among the rare ones.
   */
  readonly codes: Uint16Array;
}

/** A column of more distinct numbers or dates than texts are kept. */
export interface ValueColumn {
  readonly kind: 'number' | 'date';
  readonly name: string;
  /** For each row its number, or its date in milliseconds since 1970; NaN if it has none. */
  readonly values: Float64Array;
}

/** The most distinct texts that a column keeps: codes have 16 bits, and two have a meaning. */
export const MAX_TEXTS = 65_534;

/**
 * The share of the present cells of a column of numbers or dates that must be such; the others
 * count as missing.
 */
export const PARSING_SHARE = 0.95;

/**
 * The fewest rows with a target. Each calibrates the intervals, which lets levels up to 0.98 be
 * promised; forty are left for a fold to learn from.
 */
export const MIN_ROWS = 50;

/** The most rows that are read, those without a target among them. */
export const MAX_ROWS = 1_000_000;

export const MAX_COLUMNS = 1000;

/** The most rows × input columns: rows that name few of many columns say little and take much. */
export const MAX_CELLS = 25_000_000;

/** The most bytes of a row in the sender's own text, and so of a cell: what is longer is a quote that is not closed, or no table. */
export const MAX_ROW_BYTES = 4 * 1024 * 1024;
