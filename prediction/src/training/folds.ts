import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import type { Forest } from '../trees/forest/tree.js';
import { pick } from '../intervals/statistics.js';

/** A forest that predicts the target, and its out-of-fold predictions. */
export interface FittedTarget {
  /** The forest of the model. */
  forest: Forest;
  /** For each tree, and each of its splits, by how much it lowered the squared error. */
  gains: readonly (readonly number[])[];
  outOfFold: OutOfFold;
}

/** Rows with predictions of forests that were not trained on them, as a table of their own. */
export interface OutOfFold {
  features: BinnedFeatures;
  /** In standard units, by row. */
  target: Float64Array;
  /** By row, the prediction of a forest that was not trained on it. */
  predictions: Float64Array;
  folds: readonly Fold[];
  /** The rows that calibrate intervals and metrics, in random order; each is in the test set of one fold. */
  testRows: Uint32Array;
  /**
   * Predictions for some test rows of forests with a smaller training set than the folds', smaller by the share
   * by which the folds' is smaller than the model's; null if the model's forest is that of a fold.
   */
  fromFewer: { rows: Uint32Array; predictions: Float64Array } | null;
}

/**
 * A training set and a test set, both ascending. A single fold is a hold-out. Of several, each tests rows that
 * the others train on, so that the model's own forest may be trained on all of them.
 */
export interface Fold {
  train: Uint32Array;
  test: Uint32Array;
  /** Predicts the target. It was not trained on the test set; in a hold-out, on no row here. */
  forest: Forest;
}

/** Returns the rows, ascending, on which the model's own forests are trained. */
export function trainingRows({ folds, features }: OutOfFold): Uint32Array {
  const [only] = folds;
  return only !== undefined && folds.length === 1 ? only.train : everyRow(features.rowCount);
}

/** Returns the numbers of all rows. */
export function everyRow(count: number): Uint32Array {
  return new Uint32Array(count).map((_, row) => row);
}

export const FOLDS = 5;

/** Splits rows in random order into folds; the sets of each are ascending. */
export function splitFolds(order: Uint32Array): { train: Uint32Array; test: Uint32Array }[] {
  return Array.from({ length: FOLDS }, (_, fold) => ({
    train: order.filter((_row, index) => index % FOLDS !== fold).sort(),
    test: order.filter((_row, index) => index % FOLDS === fold).sort(),
  }));
}

/** Many patterns of gaps need rows to train on: each row of a small table is copied. */
const COPIED_ROWS = 20_000;
const MAX_COPIES = 3;

/** The copies of every row of a table, for training on partial rows. */
export interface RowCopies {
  /** The original of each copy. */
  readonly origins: Uint32Array;
  /** Returns the copies of some rows. */
  repeat(rows: Uint32Array): Uint32Array;
}

export function copiesOfRows(rowCount: number): RowCopies {
  const times = Math.min(Math.max(Math.floor(COPIED_ROWS / rowCount), 1), MAX_COPIES);
  const repeat = (rows: Uint32Array) =>
    Uint32Array.from(
      { length: times * rows.length },
      (_, index) => rowCount * Math.floor(index / rows.length) + (rows[index % rows.length] ?? 0),
    );
  return { origins: repeat(everyRow(rowCount)).map((row) => row % rowCount), repeat };
}

/**
 * Copies every row, each copy into the sets that the row is in. Intervals are calibrated on the first copies
 * alone: the others add no evidence.
 */
export function repeatRows(outOfFold: OutOfFold): OutOfFold {
  const { origins, repeat } = copiesOfRows(outOfFold.features.rowCount);
  return {
    features: takeRows(outOfFold.features, origins),
    target: pick(outOfFold.target, origins),
    predictions: pick(outOfFold.predictions, origins),
    folds: outOfFold.folds.map(({ train, test, forest }) => ({
      train: repeat(train),
      test: repeat(test),
      forest,
    })),
    testRows: outOfFold.testRows,
    fromFewer: null,
  };
}

/** Smaller tables are trained in folds, which take six trainings. */
const MAX_ROWS_FOR_FOLDS = 20_000;
const MAX_BINS_FOR_FOLDS = 2_000_000;

/** The most rows × forests: of many classes, each forest takes as long as one of numbers. */
const MAX_ROWS_OF_FORESTS = 125_000;

/** Whether a table is small enough to be trained in folds. */
export function isForFolds({ rowCount, bins }: BinnedFeatures, forests = 1): boolean {
  return (
    rowCount <= MAX_ROWS_FOR_FOLDS &&
    bins.length <= MAX_BINS_FOR_FOLDS &&
    forests * rowCount <= MAX_ROWS_OF_FORESTS
  );
}
