/**
 * Estimates the work of an answer before it is done, in microseconds of processor time. The constants were measured with
 * compiled code on a core of a server, for rows with all values in JSON, and rounded up; see decision 0094. An estimate
 * is above the work, or near it: rows with fewer values and leaner answers take a third of it.
 */
const COST = {
  row: 2,
  /** Reading the value of a column, and repeating it. */
  column: 0.8,
  tree: 0.004,
  /** Explaining what a tree says of a row without tables, and laying out a tree for it. */
  explainedTree: 16,
  laidOutTree: 1_500,
  /** Writing a byte of JSON. */
  byte: 0.003,
  /** Remembering a class of a row. */
  remembered: 0.1,
  /** Finding a series, and smoothing a value of its history. */
  series: 12,
  value: 0.22,
  /** Computing an input of the trees for a step. */
  input: 0.08,
} as const;

/**
 * The most work without a pause, in microseconds. Answers that take more yield to other requests in between, or run in
 * another process.
 */
export const SLICE_WORK = 6_000;

/** The facts of an answer's rows that their work depends on. */
export interface RowShape {
  readonly columns: number;
  readonly trees: number;
  /** About what a row of the answer takes, in bytes. */
  readonly bytes: number;
  /** The classes that are remembered of each row; 0 if none is. */
  readonly remembered: number;
}

/** Estimates the work of answering a row, in microseconds. */
export function estimateRow({ columns, trees, bytes, remembered }: RowShape): number {
  return COST.row + COST.column * columns + COST.tree * trees + COST.byte * bytes + COST.remembered * remembered;
}

/**
 * Estimates the work of computing contributions, in microseconds. Many rows take less of it each.
 *
 * @param isLaidOut whether the forest is laid out for it.
 */
export function estimateExplained(rows: number, trees: number, isLaidOut: boolean): number {
  return trees * (COST.explainedTree * rows + (isLaidOut ? 0 : COST.laidOutTree));
}

/** The facts of a forecast that its work depends on. */
export interface SeriesShape {
  /** The most values of a series that are read. */
  readonly values: number;
  readonly steps: number;
  /** The inputs of the trees. */
  readonly inputs: number;
  readonly trees: number;
  /** About what a row of the answer takes, in bytes. */
  readonly bytes: number;
}

/** Estimates the work of forecasting a series, in microseconds. */
export function estimateSeries({ values, steps, inputs, trees, bytes }: SeriesShape): number {
  const step = COST.input * inputs + COST.tree * trees + COST.byte * bytes;
  return COST.series + COST.value * values + steps * step;
}

/** Estimates the work of reading rows of forecasts, in microseconds. */
export function estimateReading(rows: number, columns: number): number {
  return rows * (COST.row + COST.column * columns);
}
