/**
 * A checked table with a numeric target, kept by column and with every distinct text once: compact
 * enough to hold whole, and plain data, so that it can be posted to a worker thread.
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

export interface TableColumn {
  readonly name: string;
  /** The distinct texts of the present cells, in order of first appearance. */
  readonly texts: readonly string[];
  /** For each row 0 if the cell is missing, else 1 + its index in `texts`. */
  readonly codes: Uint32Array;
}

/**
 * The fewest rows with a target. Each calibrates the intervals, which lets levels up to 0.98 be
 * promised; forty are left for a fold to learn from.
 */
export const FEWEST_ROWS = 50;

/** The most rows that are read, those without a target among them. */
export const MOST_ROWS = 1_000_000;

export const MOST_COLUMNS = 1000;

/** The most rows × input columns: rows that name few of many columns say little and take much. */
export const MOST_CELLS = 25_000_000;
