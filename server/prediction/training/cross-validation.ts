import type { BinnedFeatures } from '../binning/dataset.js';
import { RoundSearch } from '../boosting/early-stopping.js';
import { Learner } from '../boosting/learner.js';
import { valueLimits } from '../params.js';
import { pick } from '../statistics.js';
import { everyRow, type LearntValues } from './folds.js';
import type { Progress } from './progress.js';

const FOLDS = 5;

/** In so many of them it is seen what fewer rows teach. */
const FOLDS_FROM_FEWER = 2;

/**
 * Learns the target from every row of a table, and what to think of it from five folds: one model
 * a fold, each learnt from the other folds, says of its own what models say of new rows. The
 * number of rounds is the one after which they do so best. What calibrates the intervals is so
 * counted on every row too (cross-conformal prediction, Vovk 2015): errors of models that saw a
 * fifth of the rows less are a little larger than those of the one that answers.
 *
 * @param target by row.
 * @param order all rows, in random order.
 */
export function crossValidate(
  features: BinnedFeatures,
  target: Float64Array,
  order: Uint32Array,
  progress: Progress,
): LearntValues {
  const learner = new Learner(features);
  const limits = valueLimits(order.length);
  const folds = Array.from({ length: FOLDS }, (_, fold) => {
    const learnt = order.filter((_row, index) => index % FOLDS !== fold).sort();
    const judged = order.filter((_row, index) => index % FOLDS === fold).sort();
    return { learnt, judged, booster: learner.booster(learnt, target, limits) };
  });
  const predictions = new Float64Array(target.length);
  for (const { judged, booster } of folds) {
    for (const row of judged) predictions[row] = booster.forest.base;
  }
  const search = new RoundSearch(predictions, target, order);
  const inFolds = progress.openStage(0.6);
  while (!search.isOver) {
    for (const { judged, booster } of folds) {
      learner.addTo(predictions, judged, [booster.addTree()]);
    }
    inFolds(search.look());
  }
  const booster = learner.booster(everyRow(order.length), target, limits);
  const inAll = progress.stage(0.15, search.rounds);
  for (let round = 1; round <= search.rounds; round++) {
    booster.addTree();
    inAll(round);
  }
  return {
    forest: booster.forest,
    gains: booster.gains,
    unseen: {
      features,
      target,
      predictions: search.predictions,
      trials: folds.map(({ learnt, judged, booster: { forest } }) => ({
        learnt,
        judged,
        forest: search.cut(forest),
      })),
      judged: order,
      fromFewer: predictFromFewer(),
    },
  };

  /** What forests like those of the first folds, but from four fifths of their rows, say. */
  function predictFromFewer() {
    const isFewer = (index: number) => Math.floor(index / FOLDS) % FOLDS !== 0;
    const said = new Float64Array(order.length);
    const some = folds.slice(0, FOLDS_FROM_FEWER);
    for (const [fold, { judged }] of some.entries()) {
      const learnt = order.filter((_row, index) => index % FOLDS !== fold && isFewer(index));
      const forest = learner.boost(learnt.sort(), target, limits, search.rounds, () => {});
      for (const [at, word] of learner.predict(forest, judged).entries()) {
        said[judged[at] ?? 0] = word;
      }
    }
    const rows = Uint32Array.from(some.flatMap(({ judged }) => [...judged]));
    return { rows, predictions: pick(said, rows) };
  }
}
