import { Learner } from '../trees/boosting/learner.js';
import type { Forest } from '../trees/forest/tree.js';
import type { PartialRows } from '../model/partial-rows.js';
import { errorTreeParams } from '../trees/params.js';
import { fitErrorModel } from './fit-error-model.js';
import { fitOutOfFold, predictOutOfFold, roundsOf } from './fit-out-of-fold.js';
import { everyRow, type FittedTarget, repeatRows, trainingRows } from './folds.js';
import { maskRows } from './masking.js';
import type { Progress } from './progress.js';

/** More rounds cost more time than they gain. */
const CORRECTION_ROUNDS = 30;
const ERROR_ROUNDS = 30;

/**
 * Fits the part of a model that predicts partial rows, on copies of the out-of-fold rows in which values are
 * masked at random: first a correction of the forest's errors in them, then the size of the errors that remain.
 * Where a forest sends values that it never met is chance, so each fold's has a correction of its own; the
 * errors that remain come from forests and corrections that were not trained on the row. A confidence
 * holds for rows that are masked like these.
 *
 * @param reachOf as `reachTo`, in standard units.
 * @returns null if no feature has unfamiliar bins.
 */
export function fitPartialRows(
  { forest: model, outOfFold: once }: FittedTarget,
  unfamiliarBins: readonly (readonly number[])[],
  reachOf: (predicted: number, actual: number) => number,
  random: () => number,
  progress: Progress,
): PartialRows | null {
  if (unfamiliarBins.every((bins) => bins.length === 0)) return null;
  const outOfFold = repeatRows(once);
  const learner = new Learner(maskRows(outOfFold.features, unfamiliarBins, random));
  const rows = everyRow(learner.rowCount);
  const correction = fitOutOfFold(
    learner,
    outOfFold,
    model,
    {
      target: (forest: Forest) => residualsOf(learner.predict(forest, rows)),
      params: errorTreeParams(trainingRows(outOfFold).length),
      rounds: CORRECTION_ROUNDS,
    },
    progress.stage(0.06, roundsOf(outOfFold, CORRECTION_ROUNDS)),
  );
  const forests = outOfFold.folds.map(({ forest }) => forest);
  const residuals = residualsOf(predictOutOfFold(learner, outOfFold, forests));
  const errors = residuals.map((residual, row) => residual - (correction.predictions[row] ?? 0));
  const { errorModel } = fitErrorModel(
    learner,
    outOfFold,
    model,
    errors.map(Math.abs),
    errors.map((error, row) => {
      const actual = outOfFold.target[row] ?? 0;
      return reachOf(actual - error, actual);
    }),
    ERROR_ROUNDS,
    progress.stage(0.06, roundsOf(outOfFold, ERROR_ROUNDS)),
  );
  return { unfamiliar_bins: unfamiliarBins, correction_forest: correction.forest, ...errorModel };

  function residualsOf(predictions: Float64Array): Float64Array {
    return outOfFold.target.map((value, row) => value - (predictions[row] ?? 0));
  }
}
