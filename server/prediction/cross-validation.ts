import type { Learner } from './learner.js';
import type { GrowthLimits } from './split-finder.js';
import type { Forest } from './tree.js';

const FOLDS = 4;

export const MOST_ROUNDS = 300;

/** Rounds without a better out-of-fold error after which the search ends. */
const PATIENCE = 20;

/** A round counts as better when it lowers the error by this share: less is not worth a tree. */
const LEAST_GAIN = 1e-4;

/** What models say of rows that they have not seen. */
export interface OutOfFold {
  /** The number of trees, 0 to 300, with the smallest squared error. */
  rounds: number;
  /** |target − prediction| at that number, by row of the whole table; 0 outside `rows`. */
  absoluteErrors: Float64Array;
  folds: readonly Fold[];
}

/** A part of the rows, and what was learnt from all of the others. */
export interface Fold {
  /** Ascending. */
  own: Uint32Array;
  /** Has `rounds` trees. */
  forest: Forest;
}

/**
 * Trains one model a fold, all in step, each on the other folds, and finds after how many rounds
 * they predict their own folds best.
 *
 * @param rows the rows to learn from, in random order.
 * @param onRound called after each round, with its number.
 */
export function crossValidate(
  learner: Learner,
  rows: Uint32Array,
  target: Float64Array,
  limits: GrowthLimits,
  onRound: (round: number) => void,
): OutOfFold {
  const folds = Array.from({ length: FOLDS }, (_, fold) => {
    const own = rows.filter((_row, index) => index % FOLDS === fold).sort();
    const others = rows.filter((_row, index) => index % FOLDS !== fold).sort();
    return { own, booster: learner.booster(others, target, limits) };
  });
  const predictions = new Float64Array(learner.rowCount);
  for (const { own, booster } of folds) {
    for (const row of own) predictions[row] = booster.forest.base;
  }
  let bestRound = 0;
  let leastSquares = squaredError(predictions, target, rows);
  const bestPredictions = predictions.slice();
  for (let round = 1; round <= MOST_ROUNDS && round - bestRound <= PATIENCE; round++) {
    for (const { own, booster } of folds) learner.addTo(predictions, own, [booster.addTree()]);
    const squares = squaredError(predictions, target, rows);
    if (squares < leastSquares * (1 - LEAST_GAIN)) {
      bestRound = round;
      leastSquares = squares;
      bestPredictions.set(predictions);
    }
    onRound(round);
  }
  const absoluteErrors = new Float64Array(target.length);
  for (const row of rows) {
    absoluteErrors[row] = Math.abs((target[row] ?? 0) - (bestPredictions[row] ?? 0));
  }
  return {
    rounds: bestRound,
    absoluteErrors,
    folds: folds.map(({ own, booster: { forest } }) => ({
      own,
      forest: { base: forest.base, trees: forest.trees.slice(0, bestRound) },
    })),
  };
}

function squaredError(predictions: Float64Array, target: Float64Array, rows: Uint32Array): number {
  let sum = 0;
  for (const row of rows) sum += ((target[row] ?? 0) - (predictions[row] ?? 0)) ** 2;
  return sum;
}
