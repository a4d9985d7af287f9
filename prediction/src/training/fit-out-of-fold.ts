import type { Learner } from '../trees/boosting/learner.js';
import type { Forest } from '../trees/forest/tree.js';
import type { TreeParams } from '../trees/params.js';
import { type OutOfFold, trainingRows } from './folds.js';

/** A quantity that is derived from a forest's predictions, such as the size of their errors. */
export interface Objective {
  /** Returns the quantity, by row, given the forest that predicts the target. */
  target: (forest: Forest) => Float64Array;
  params: TreeParams;
  rounds: number;
}

/** A forest, and its out-of-fold predictions by row. */
export interface FittedForest {
  forest: Forest;
  predictions: Float64Array;
}

/**
 * Trains a forest on a quantity that is derived from the predictions of another: in each fold from those of the
 * fold's forest, and in the end from those of the model's.
 *
 * @param model the forest of the model.
 * @param onRound called with the number of rounds done, of `roundsOf(outOfFold, rounds)`.
 */
export function fitOutOfFold(
  learner: Learner,
  outOfFold: OutOfFold,
  model: Forest,
  { target, params, rounds }: Objective,
  onRound: (done: number) => void,
): FittedForest {
  let done = 0;
  const train = (forest: Forest, rows: Uint32Array) =>
    learner.boost(rows, target(forest), params, rounds, () => onRound(++done));
  const fitted = train(model, trainingRows(outOfFold));
  const forests = outOfFold.folds.map(({ forest, train: rows }) =>
    forest === model ? fitted : train(forest, rows),
  );
  return { forest: fitted, predictions: predictOutOfFold(learner, outOfFold, forests) };
}

/** Returns the number of rounds that a forest of `rounds` trees takes with those of all folds. */
export function roundsOf({ folds }: OutOfFold, rounds: number): number {
  return folds.length === 1 ? rounds : rounds * (folds.length + 1);
}

/**
 * Returns, by row, the prediction of the fold's forest in whose test set the row is. The training set of a
 * hold-out is in no test set, and gets the predictions of its own forest.
 *
 * @param forests one for each fold.
 */
export function predictOutOfFold(
  learner: Learner,
  { folds }: OutOfFold,
  forests: readonly Forest[],
): Float64Array {
  const predictions = new Float64Array(learner.rowCount);
  for (const [index, { train, test }] of folds.entries()) {
    const forest = forests[index] ?? { base: 0, trees: [] };
    for (const rows of folds.length === 1 ? [train, test] : [test]) {
      const values = learner.predict(forest, rows);
      for (const [at, row] of rows.entries()) predictions[row] = values[at] ?? 0;
    }
  }
  return predictions;
}
