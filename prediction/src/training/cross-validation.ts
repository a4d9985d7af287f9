import type { BinnedFeatures } from '../trees/binning/dataset.js';
import { EarlyStopping, squaredError } from '../trees/boosting/early-stopping.js';
import { Learner } from '../trees/boosting/learner.js';
import { valueTreeParams } from '../trees/params.js';
import { pick } from '../intervals/statistics.js';
import { everyRow, type FittedTarget, FOLDS, splitFolds } from './folds.js';
import type { Progress } from './progress.js';

/** The number of folds that are also trained with fewer rows. */
const FOLDS_FROM_FEWER = 2;

/**
 * Trains a forest on every row of a table, and one in each of five folds, whose predictions for the fold's test
 * set show how well the model does on new rows. The number of rounds is the one after which they do best.
 * Intervals are calibrated on every row, too (cross-conformal prediction, Vovk 2015): errors of forests with
 * four fifths of the rows are a little larger than those of the model's.
 *
 * @param target by row.
 * @param order all rows, in random order.
 */
export function crossValidate(
  features: BinnedFeatures,
  target: Float64Array,
  order: Uint32Array,
  progress: Progress,
): FittedTarget {
  const learner = new Learner(features);
  const params = valueTreeParams(order.length);
  const folds = splitFolds(order).map((fold) => ({
    ...fold,
    booster: learner.booster(fold.train, target, params),
  }));
  const predictions = new Float64Array(target.length);
  for (const { test, booster } of folds) {
    for (const row of test) predictions[row] = booster.forest.base;
  }
  const stopping = new EarlyStopping(predictions, () => squaredError(predictions, target, order));
  const inFolds = progress.openStage(0.6);
  while (!stopping.isOver) {
    for (const { test, booster } of folds) {
      learner.addTo(predictions, test, [booster.addTree()]);
    }
    inFolds(stopping.update());
  }
  const booster = learner.booster(everyRow(order.length), target, params);
  const inAll = progress.stage(0.15, stopping.rounds);
  for (let round = 1; round <= stopping.rounds; round++) {
    booster.addTree();
    inAll(round);
  }
  return {
    forest: booster.forest,
    gains: booster.gains,
    outOfFold: {
      features,
      target,
      predictions: stopping.predictions,
      folds: folds.map(({ train, test, booster: { forest } }) => ({
        train,
        test,
        forest: stopping.truncate(forest),
      })),
      testRows: order,
      fromFewer: predictFromFewer(),
    },
  };

  /** Trains the first folds on four fifths of their training sets, and predicts their test sets. */
  function predictFromFewer() {
    const isFewer = (index: number) => Math.floor(index / FOLDS) % FOLDS !== 0;
    const byRow = new Float64Array(order.length);
    const some = folds.slice(0, FOLDS_FROM_FEWER);
    for (const [fold, { test }] of some.entries()) {
      const train = order.filter((_row, index) => index % FOLDS !== fold && isFewer(index));
      const forest = learner.boost(train.sort(), target, params, stopping.rounds, () => {});
      const values = learner.predict(forest, test);
      for (const [at, row] of test.entries()) byRow[row] = values[at] ?? 0;
    }
    const rows = Uint32Array.from(some.flatMap(({ test }) => [...test]));
    return { rows, predictions: pick(byRow, rows) };
  }
}
