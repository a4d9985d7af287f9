import { takeRows } from '../trees/binning/dataset.js';
import { type ClassTarget, forestCount } from '../trees/boosting/class-booster.js';
import { Learner } from '../trees/boosting/learner.js';
import type { Scores } from '../classes/probabilities.js';
import type { Forest } from '../trees/forest/tree.js';
import type { ClassPartialRows } from '../model/class-model.js';
import { errorTreeParams } from '../trees/params.js';
import { calibrateClasses } from './class-calibration.js';
import { type ClassOutOfFold, type FittedClasses, scoreRows } from './class-folds.js';
import { copiesOfRows, everyRow } from './folds.js';
import { maskRows } from './masking.js';
import type { Progress } from './progress.js';

/** The most trees that correct scores, and the rounds where classes are few and many. */
const CORRECTION_TREES = 150;
const MAX_ROUNDS = 30;
const MIN_ROUNDS = 6;
const LEARNING_RATE = 0.1;

/**
 * Fits the part of a classifier that predicts partial rows, on copies of the out-of-fold rows in which values are
 * masked at random: boosting goes on from the scores that the forests give these rows, and what comes of it is
 * calibrated by itself. Each fold has a correction of its own, as for numbers (`fitPartialRows`).
 *
 * @returns null if no feature has unfamiliar bins.
 */
export function fitClassPartialRows(
  { forests: model, outOfFold: once }: FittedClasses,
  unfamiliarBins: readonly (readonly number[])[],
  random: () => number,
  progress: Progress,
): ClassPartialRows | null {
  if (unfamiliarBins.every((bins) => bins.length === 0)) return null;
  const outOfFold = copyRows(once);
  const learner = new Learner(maskRows(outOfFold.features, unfamiliarBins, random));
  const { target, folds } = outOfFold;
  const count = forestCount(target.classCount);
  const rounds = Math.min(Math.max(Math.floor(CORRECTION_TREES / count), MIN_ROUNDS), MAX_ROUNDS);
  const isHoldOut = folds.length === 1;
  const inRounds = progress.stage(0.12, rounds * (isHoldOut ? 1 : folds.length + 1));
  let done = 0;
  const correct = (forests: readonly Forest[], rows: Uint32Array) => {
    const params = errorTreeParams(rows.length);
    const start = scoreRows(learner, forests, rows).values;
    const booster = learner.classBooster(rows, target, params, LEARNING_RATE, start);
    for (let round = 0; round < rounds; round++) {
      booster.addRound();
      inRounds(++done);
    }
    return booster.forests;
  };
  const trainOn = isHoldOut ? (folds[0]?.train ?? everyRow(0)) : everyRow(learner.rowCount);
  const corrections = correct(model, trainOn);
  const scores: Scores = {
    values: new Float64Array(count * learner.rowCount),
    stride: learner.rowCount,
  };
  for (const { train, test, forests } of folds) {
    const own = isHoldOut ? corrections : correct(forests, train);
    for (const part of [forests, own]) {
      const { values } = scoreRows(learner, part, test);
      for (const [at, value] of values.entries())
        scores.values[at] = (scores.values[at] ?? 0) + value;
    }
  }
  return {
    unfamiliar_bins: unfamiliarBins,
    correction_forests: corrections,
    ...calibrateClasses({
      scores,
      rows: outOfFold.testRows,
      labels: target.labels,
      classCount: target.classCount,
    }),
  };
}

/** Copies every row into the sets that the row is in; only the first copies calibrate. */
function copyRows(outOfFold: ClassOutOfFold): ClassOutOfFold {
  const { origins, repeat } = copiesOfRows(outOfFold.features.rowCount);
  const target: ClassTarget = {
    ...outOfFold.target,
    labels: Uint16Array.from(origins, (row) => outOfFold.target.labels[row] ?? 0),
  };
  return {
    ...outOfFold,
    features: takeRows(outOfFold.features, origins),
    target,
    folds: outOfFold.folds.map(({ train, test, forests }) => ({
      train: repeat(train),
      test: repeat(test),
      forests,
    })),
  };
}
