import { Learner } from '../boosting/learner.js';
import type { Forest } from '../forest/tree.js';
import type { PartialRows } from '../model/partial-rows.js';
import { errorLimits } from '../params.js';
import { learnErrors } from './fit-error-model.js';
import { learnInTrials, roundsOf, sayInTrials } from './fit-out-of-fold.js';
import { everyRow, type LearntValues, repeatRows, rowsToLearn } from './folds.js';
import { maskRows } from './masking.js';
import type { Progress } from './progress.js';

/** Many patterns of gaps each need rows to be learnt from: of a small table each row is copied. */
const COPIED_ROWS = 20_000;
const MOST_COPIES = 3;

/** More would take more time than they mend. */
const CORRECTION_ROUNDS = 30;
const ERROR_ROUNDS = 30;

/**
 * Learns to answer partial rows, from copies of the unseen rows in which values are masked at
 * random: first what a forest gets wrong in them, then how large the errors are that remain.
 * Where each forest sends what it never met is chance, so each has a correction of its own; the
 * errors that remain come from forests and corrections that have not seen the row. A level holds
 * for rows that are masked like these.
 *
 * @returns null if no feature has unfamiliar bins.
 */
export function learnPartialRows(
  { forest: answering, unseen: once }: LearntValues,
  unfamiliarBins: readonly (readonly number[])[],
  random: () => number,
  progress: Progress,
): PartialRows | null {
  if (unfamiliarBins.every((bins) => bins.length === 0)) return null;
  const copies = Math.min(
    Math.max(Math.floor(COPIED_ROWS / once.features.rowCount), 1),
    MOST_COPIES,
  );
  const unseen = repeatRows(once, copies);
  const learner = new Learner(maskRows(unseen.features, unfamiliarBins, random));
  const rows = everyRow(learner.rowCount);
  const correction = learnInTrials(
    learner,
    unseen,
    answering,
    {
      wanted: (forest: Forest) => residualsOf(learner.predict(forest, rows)),
      limits: errorLimits(rowsToLearn(unseen).length),
      rounds: CORRECTION_ROUNDS,
    },
    progress.stage(0.06, roundsOf(unseen, CORRECTION_ROUNDS)),
  );
  const forests = unseen.trials.map(({ forest }) => forest);
  const residuals = residualsOf(sayInTrials(learner, unseen, forests));
  const { errorModel } = learnErrors(
    learner,
    unseen,
    answering,
    residuals.map((residual, row) => Math.abs(residual - (correction.said[row] ?? 0))),
    ERROR_ROUNDS,
    progress.stage(0.06, roundsOf(unseen, ERROR_ROUNDS)),
  );
  return { unfamiliar_bins: unfamiliarBins, correction_forest: correction.forest, ...errorModel };

  function residualsOf(predictions: Float64Array): Float64Array {
    return unseen.target.map((value, row) => value - (predictions[row] ?? 0));
  }
}
