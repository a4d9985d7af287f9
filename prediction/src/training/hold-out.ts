import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import { EarlyStopping, squaredError } from '../trees/boosting/early-stopping.js';
import { Learner } from '../trees/boosting/learner.js';
import { valueTreeParams } from '../trees/params.js';
import { pick } from '../intervals/statistics.js';
import { everyRow, type FittedTarget } from './folds.js';
import type { Progress } from './progress.js';

export const VALIDATION_SHARE = 0.1;
export const TEST_SHARE = 0.18;

/** The most rows of either set: more rows are worth more for training. */
const MAX_IN_PART = 25_000;

/**
 * Trains a forest on most rows of a large table. A tenth of the rows, the validation set, decides the number of
 * rounds, and is what error models are trained on; a test set calibrates the intervals and measures the model.
 * One training where folds take six.
 *
 * @param target by row.
 * @param order all rows, in random order.
 */
export function trainWithHoldOut(
  features: BinnedFeatures,
  target: Float64Array,
  order: Uint32Array,
  progress: Progress,
): FittedTarget {
  const validated = partOf(order.length, VALIDATION_SHARE);
  const heldOut = validated + partOf(order.length, TEST_SHARE);
  const rows = order.slice(0, heldOut);
  const held = { features: takeRows(features, rows), target: pick(target, rows) };
  const all = everyRow(heldOut);
  const validation = all.subarray(0, validated);
  const test = all.subarray(validated);
  const train = order.slice(heldOut).sort();
  const booster = new Learner(features).booster(train, target, valueTreeParams(train.length));
  const learner = new Learner(held.features);
  const predictions = new Float64Array(heldOut).fill(booster.forest.base);
  const stopping = new EarlyStopping(predictions, () =>
    squaredError(predictions, held.target, validation),
  );
  const inRounds = progress.openStage(0.75);
  while (!stopping.isOver) {
    learner.addTo(predictions, validation, [booster.addTree()]);
    inRounds(stopping.update());
  }
  const forest = stopping.truncate(booster.forest);
  return {
    forest,
    gains: booster.gains.slice(0, stopping.rounds),
    outOfFold: {
      ...held,
      predictions: learner.predict(forest, all),
      folds: [{ train: validation, test, forest }],
      testRows: test,
      fromFewer: null,
    },
  };
}

export function partOf(rowCount: number, share: number): number {
  return Math.min(Math.round(share * rowCount), MAX_IN_PART);
}
