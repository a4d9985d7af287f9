import { type BinnedFeatures, takeRows } from '../binning/dataset.js';
import { RoundSearch } from '../boosting/early-stopping.js';
import { Learner } from '../boosting/learner.js';
import { valueLimits } from '../params.js';
import { pick } from '../statistics.js';
import { everyRow, type LearntValues } from './folds.js';
import type { Progress } from './progress.js';

const VALIDATION_SHARE = 0.1;
const JUDGED_SHARE = 0.18;

/** So many rows tell all that is asked of either part; the others are better learnt from. */
const MOST_IN_PART = 25_000;

/**
 * Learns the target from most rows of a large table. A tenth of the rows decides the number of
 * rounds, and shows what errors remain; some more calibrate the intervals and measure the model,
 * and nothing is learnt from those. One training where folds take six.
 *
 * @param target by row.
 * @param order all rows, in random order.
 */
export function learnWithHoldOut(
  features: BinnedFeatures,
  target: Float64Array,
  order: Uint32Array,
  progress: Progress,
): LearntValues {
  const validated = partOf(order.length, VALIDATION_SHARE);
  const heldOut = validated + partOf(order.length, JUDGED_SHARE);
  const rows = order.slice(0, heldOut);
  const unseen = { features: takeRows(features, rows), target: pick(target, rows) };
  const all = everyRow(heldOut);
  const trial = { learnt: all.subarray(0, validated), judged: all.subarray(validated) };
  const learnt = order.slice(heldOut).sort();
  const booster = new Learner(features).booster(learnt, target, valueLimits(learnt.length));
  const learner = new Learner(unseen.features);
  const predictions = new Float64Array(heldOut).fill(booster.forest.base);
  const search = new RoundSearch(predictions, unseen.target, trial.learnt);
  const inRounds = progress.openStage(0.75);
  while (!search.isOver) {
    learner.addTo(predictions, trial.learnt, [booster.addTree()]);
    inRounds(search.look());
  }
  const forest = search.cut(booster.forest);
  return {
    forest,
    gains: booster.gains.slice(0, search.rounds),
    unseen: {
      ...unseen,
      predictions: learner.predict(forest, all),
      trials: [{ ...trial, forest }],
      judged: trial.judged,
      fromFewer: null,
    },
  };
}

function partOf(rowCount: number, share: number): number {
  return Math.min(Math.round(share * rowCount), MOST_IN_PART);
}
