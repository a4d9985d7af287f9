import { errorLimits } from './growth.js';
import { learnErrors } from './learn-errors.js';
import { learnInTrials, roundsOf } from './learn-in-trials.js';
import { Learner } from './learner.js';
import { maskRows } from './masking.js';
import type { PartialRows } from './partial-rows.js';
import type { Progress } from './progress.js';
import { rowsToLearn, type UnseenRows } from './trials.js';

/** More would take more time than they mend. */
const CORRECTION_ROUNDS = 30;
const ERROR_ROUNDS = 30;

/**
 * Learns to answer partial rows, from copies of the unseen rows in which values are masked at
 * random: first what forests that have not seen a row get wrong in its copy, then how large the
 * errors are that remain. A level holds for rows that are masked like these.
 *
 * @returns null if no feature has unfamiliar bins.
 */
export function learnPartialRows(
  unseen: UnseenRows,
  unfamiliarBins: readonly (readonly number[])[],
  random: () => number,
  progress: Progress,
): PartialRows | null {
  if (unfamiliarBins.every((bins) => bins.length === 0)) return null;
  const learner = new Learner(maskRows(unseen.features, unfamiliarBins, random));
  const residuals = new Float64Array(learner.rowCount);
  for (const { rows, forest } of unseen.parts) {
    for (const [index, prediction] of learner.predict(forest, rows).entries()) {
      const row = rows[index] ?? 0;
      residuals[row] = (unseen.target[row] ?? 0) - prediction;
    }
  }
  const { forest, said } = learnInTrials(
    learner,
    unseen,
    residuals,
    errorLimits(rowsToLearn(unseen).length),
    CORRECTION_ROUNDS,
    progress.stage(0.06, roundsOf(unseen, CORRECTION_ROUNDS)),
  );
  const { errorModel } = learnErrors(
    learner,
    unseen,
    residuals.map((residual, row) => Math.abs(residual - (said[row] ?? 0))),
    ERROR_ROUNDS,
    progress.stage(0.06, roundsOf(unseen, ERROR_ROUNDS)),
  );
  return { unfamiliar_bins: unfamiliarBins, correction_forest: forest, ...errorModel };
}
