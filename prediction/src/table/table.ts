import type { RowObject } from './cells.js';
import type { TableColumn } from './column.js';
import type { ListedWords } from './missing-words.js';
import type { NumberReading } from './reading/column-reading.js';
import type { LeftOutRows } from './rows-read.js';
import type { ForecastGoal, ForecastTable } from './series-table.js';
import type { Validation } from './validation.js';

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
  /** The columns that have neither a name nor a value, and are left out; absent if there are none. */
  readonly unnamedColumns?: number;
  /** The rows that are not used, by cause; absent if there are none. */
  readonly leftOut?: readonly LeftOutRows[];
  /** The rows that measure the model; absent where they are drawn at random. */
  readonly validation?: Validation;
  /** The words that count as missing; absent where an earlier release has stored the table. */
  readonly missingWords?: ListedWords;
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

/** Returns a row of a table as a caller would send it. */
export function rowObject({ columns }: RowTable, row: number): RowObject {
  return Object.fromEntries(columns.map((column) => [column.name, readCell(column, row)]));
}

function readCell(column: TableColumn, row: number): unknown {
  if (column.kind === 'text') return column.texts[(column.codes[row] ?? 0) - 1] ?? null;
  const value = column.values[row] ?? Number.NaN;
  if (Number.isNaN(value)) return null;
  return column.kind === 'date' ? new Date(value).toISOString() : value;
}
