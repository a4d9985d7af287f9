import type { BinnedFeatures } from '../trees/binning/dataset.js';
import type { CreateLoss } from '../trees/boosting/booster.js';
import type { Learner } from '../trees/boosting/learner.js';
import { emptyScores, type Forest, type Scores } from '../trees/forest/tree.js';
import type { BoostingPlan } from './boosting-plan.js';
import { FOLDS, type RowSplit } from './row-split.js';

/**
 * The aim of a task's boosting: the targets of the rows of a table, and how scores do on them.
 *
 * @typeParam O the type itself.
 */
export interface Objective<O> {
  /** The number of forests that are grown side by side, whose sums are the scores of a row. */
  readonly forestCount: number;
  /** @param learningRate the share of its step that a tree takes. */
  createLoss(learningRate: number): CreateLoss;
  /** Boosts for what the scores of other forests leave over. */
  createCorrection(scores: Scores): CreateLoss;
  /** The sum of the losses of some rows: the less, the better. */
  loss(scores: Scores, rows: Uint32Array): number;
  /** The same for some of the rows, in the given order. */
  take(rows: Uint32Array): O;
}

/** The forests of a model, and how forests do on rows that they were not trained on. */
export interface Fitted<O> {
  forests: readonly Forest[];
  /** For each forest and tree, and each of its splits, by how much it lowered the squared residuals. */
  gains: readonly (readonly (readonly number[])[])[];
  outOfFold: OutOfFold<O>;
  /** The settings and the number of rounds of each of the boostings whose mean the forests are. */
  plan: BoostingPlan;
  rounds: number;
  /** The rows of the table that the test rows are, in their order. */
  testedRows: Uint32Array;
}

/** Rows with scores of forests that were not trained on them, as a separate table. */
export interface OutOfFold<O> {
  /** Has the rows. */
  learner: Learner;
  objective: O;
  scores: Scores;
  folds: readonly Fold[];
  /**
   * The rows that calibrate and measure, each in the test set of one fold: in random order, those of a group one after
   * the other, or in the order of time.
   */
  testRows: Uint32Array;
  /** The choice of the rows. */
  method: RowSplit['method'];
  /** True if the model's own forests are those of the only fold; false if they are trained on all rows. */
  isOfModel: boolean;
}

/**
 * A training set and a test set, both ascending. A single fold is a hold-out. If there are several, each tests rows that
 * the others train on, so that the model's own forests may be trained on all of them.
 */
export interface Fold {
  train: Uint32Array;
  test: Uint32Array;
  /** They were not trained on the test set; in a hold-out, on no row here. */
  forests: readonly Forest[];
}

/** Returns the rows, ascending, on which the model's own forests are trained. */
export function trainingRows({ folds, learner }: Pick<OutOfFold<unknown>, 'folds' | 'learner'>): Uint32Array {
  const [only] = folds;
  return only !== undefined && folds.length === 1 ? only.train : everyRow(learner.rowCount);
}

export function everyRow(count: number): Uint32Array {
  return new Uint32Array(count).map((_, row) => row);
}

/** Splits rows into folds; the sets of each are ascending. */
export function splitFolds(split: FoldableSplit): { train: Uint32Array; test: Uint32Array }[] {
  const { order } = split;
  const foldAt = (row: number, index: number) => (split.method === 'random' ? index % FOLDS : (split.foldOf[row] ?? 0));
  return Array.from({ length: FOLDS }, (_, fold) => ({
    train: order.filter((row, index) => foldAt(row, index) !== fold).sort(),
    test: order.filter((row, index) => foldAt(row, index) === fold).sort(),
  }));
}

/** A split whose rows are in folds, of which each may be tested. */
export type FoldableSplit = Exclude<RowSplit, { readonly method: 'last' }>;

/** Smaller tables are trained in folds, which take six trainings. */
const MAX_ROWS_FOR_FOLDS = 20_000;
const MAX_BINS_FOR_FOLDS = 2_000_000;

/** The most rows × forests: of many classes, each forest takes as long as one of numbers. */
const MAX_ROWS_OF_FORESTS = 125_000;

/** Returns whether a table is small enough to be trained in folds. */
export function isForFolds({ rowCount, bins }: BinnedFeatures, forests: number): boolean {
  return (
    rowCount <= MAX_ROWS_FOR_FOLDS && bins.length <= MAX_BINS_FOR_FOLDS && forests * rowCount <= MAX_ROWS_OF_FORESTS
  );
}

/** Forests, and by row the scores of those that were not trained on it. */
export interface FittedForests {
  forests: readonly Forest[];
  scores: Scores;
}

/**
 * Trains further forests beside those of a model, and out-of-fold beside those of each fold.
 *
 * @param model the forests of the model.
 * @param fit trains such forests on some rows.
 */
export function fitOutOfFold(
  { learner, folds, ...rest }: OutOfFold<unknown>,
  model: readonly Forest[],
  fit: (forests: readonly Forest[], rows: Uint32Array) => readonly Forest[],
): FittedForests {
  const fitted = fit(model, trainingRows({ learner, folds, ...rest }));
  const beside = folds.map(({ forests, ...fold }) => {
    return { ...fold, forests: rest.isOfModel ? fitted : fit(forests, fold.train) };
  });
  return { forests: fitted, scores: scoreOutOfFold(learner, beside) };
}

/** Returns the number of rounds that forests of `rounds` trees take with those of all folds. */
export function countRounds({ folds, isOfModel }: OutOfFold<unknown>, rounds: number): number {
  return isOfModel ? rounds : rounds * (folds.length + 1);
}

/**
 * Returns, by row, the scores of the fold in whose test set the row is. The training set of a hold-out is in no
 * test set, and gets the scores of its own forests.
 */
export function scoreOutOfFold(learner: Learner, folds: readonly Fold[]): Scores {
  const scores = emptyScores(folds[0]?.forests.length ?? 0, learner.rowCount);
  for (const { train, test, forests } of folds) {
    if (folds.length === 1) learner.score(forests, train, scores);
    learner.score(forests, test, scores);
  }
  return scores;
}
