import type { ColumnReading, NumberReading } from './number-formats.js';
import type { ForecastGoal, ForecastTable } from './series-table.js';

/** The kind of the target: numbers, or classes. */
export type Task = 'regression' | 'classification';

/** The tasks of models: one of the above, or the next values of series. */
export type ModelTask = Task | 'forecast';

/** The goal of a model: the task, where the values of the target are not to decide it, or a forecast. */
export type Goal = Task | ForecastGoal;

/**
 * A checked table, kept by column in a few bytes a cell, and plain data, so that it can be handed to
 * another process. The task follows from what the target holds, unless the caller named it.
 */
export type Table = RowTable | ForecastTable;

/** A table whose rows stand for themselves. */
export type RowTable = RegressionTable | ClassificationTable;

interface CheckedTable {
  readonly target: string;
  /** Rows that have a target value; rows without one are left out. */
  readonly rowCount: number;
  /** The input columns in the order of the header, without the target. */
  readonly columns: readonly TableColumn[];
}

/** A table with a numeric target. */
export interface RegressionTable extends CheckedTable {
  readonly task: 'regression';
  /** The target of each row: finite numbers. */
  readonly targetValues: Float64Array;
  /** The form in which the target was read; absent where it was plain numbers. */
  readonly targetReading?: NumberReading;
}

/** A table whose target holds categories. */
export interface ClassificationTable extends CheckedTable {
  readonly task: 'classification';
  /** The classes, the most frequent first: 2 to `MAX_CLASSES`. */
  readonly classes: readonly TargetClass[];
  /** The class of each row, as its index in `classes`. */
  readonly targetClasses: Uint16Array;
}

/** A class that a model tells from others. */
export interface TargetClass {
  /** The text of its cells, without blanks at its ends. */
  name: string;
  /** The rows of the table that are of this class. */
  rows: number;
  /** The number of rare classes merged into this one; at most one class has any. */
  merged_count: number;
  /** The names of those, the most frequent first; at most 20. */
  merged: string[];
}

/** The use of an input column that its sender chose: left out, or read as a kind whatever its values suggest. */
export type ColumnChoice = 'unused' | 'number' | 'date' | 'category';

/** The chosen columns by name. Of entries, because a column may be named `__proto__`. */
export type ColumnChoices = readonly (readonly [name: string, choice: ColumnChoice])[];

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
   * Empty if the column is `unused`.
   */
  readonly codes: Uint16Array;
  /** Set if the texts are categories even where they read as numbers or dates, or are not to be learnt from. */
  readonly chosen?: 'category' | 'unused';
}

/** A column of more distinct numbers or dates than texts are kept. */
export interface ValueColumn {
  readonly kind: 'number' | 'date';
  readonly name: string;
  /** For each row its number, or its date in milliseconds since 1970; NaN if it has none. */
  readonly values: Float64Array;
  /** The form in which its cells are read; absent where they are plain numbers or ISO dates. */
  readonly reading?: ColumnReading;
  /** Set if the kind was chosen: cells of another kind count as missing, however many. */
  readonly chosen?: 'number' | 'date';
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

/** The most rows × columns, without those that are left out: rows that name few of many columns say little and take much. */
export const MAX_CELLS = 25_000_000;
