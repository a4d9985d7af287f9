import type { Fold } from './cross-validation.js';
import type { BinnedFeatures } from './features.js';
import { learnErrors } from './learn-errors.js';
import { Learner } from './learner.js';
import { maskRows } from './masking.js';
import type { PartialRows } from './partial-rows.js';
import type { GrowthLimits } from './split-finder.js';
import { pick } from './statistics.js';
import type { Forest } from './tree.js';

/** What training has come to when it turns to partial rows. */
export interface Trained {
  binned: BinnedFeatures;
  /** By row of the whole table. */
  target: Float64Array;
  /** The rows learnt from, in random order; the folds part them. */
  training: Uint32Array;
  folds: readonly Fold[];
  /** In random order. */
  heldOut: Uint32Array;
  valueForest: Forest;
}

/** Rows beyond these cost time, and the size of errors is learnt well enough without them. */
const MOST_ROWS = 20_000;

/** More would take more time than they mend. */
const CORRECTION_ROUNDS = 30;
const ERROR_ROUNDS = 30;

/** The calls of `onRound` that learning about partial rows ends with. */
export const PARTIAL_ROUNDS = CORRECTION_ROUNDS + ERROR_ROUNDS;

/**
 * Learns to answer partial rows, from copies of the table's rows in which values are masked at
 * random: first what the value forest gets wrong in them, then how large the errors are that
 * remain. Both are learnt from what the folds say of rows that they have not seen, and calibrated
 * on one copy of each held-out row, so that a level holds for rows that are masked like these.
 *
 * @returns null if no feature has unfamiliar bins.
 */
export function learnPartialRows(
  { binned, target, training, folds, heldOut, valueForest }: Trained,
  unfamiliarBins: readonly (readonly number[])[],
  limits: GrowthLimits,
  random: () => number,
  onRound: (round: number) => void,
): PartialRows | null {
  if (unfamiliarBins.every((bins) => bins.length === 0)) return null;
  const learner = new Learner(maskRows(binned, unfamiliarBins, random));
  const rows = training.slice(0, MOST_ROWS).sort();
  const calibrating = heldOut.slice(0, MOST_ROWS);

  const residuals = outOfFoldResiduals(learner, folds, rows, target);
  const correction_forest = learner.boost(rows, residuals, limits, CORRECTION_ROUNDS, onRound);
  const absoluteErrors = new Float64Array(learner.rowCount);
  for (const [index, correction] of learner.predict(correction_forest, rows).entries()) {
    const row = rows[index] ?? 0;
    absoluteErrors[row] = Math.abs((residuals[row] ?? 0) - correction);
  }
  const values = learner.predict(valueForest, calibrating);
  const corrections = learner.predict(correction_forest, calibrating);
  const heldOutErrors = pick(target, calibrating).map((value, index) =>
    Math.abs(value - (values[index] ?? 0) - (corrections[index] ?? 0)),
  );
  const { errorModel } = learnErrors(
    learner,
    { rows, absoluteErrors, heldOut: calibrating, heldOutErrors },
    limits,
    ERROR_ROUNDS,
    (round) => onRound(CORRECTION_ROUNDS + round),
  );
  return { unfamiliar_bins: unfamiliarBins, correction_forest, ...errorModel };
}

/** Target − prediction by row of the whole table; 0 outside `rows`. */
function outOfFoldResiduals(
  learner: Learner,
  folds: readonly Fold[],
  rows: Uint32Array,
  target: Float64Array,
): Float64Array {
  const isChosen = new Uint8Array(learner.rowCount);
  for (const row of rows) isChosen[row] = 1;
  const residuals = new Float64Array(learner.rowCount);
  for (const { own, forest } of folds) {
    const chosen = own.filter((row) => isChosen[row] === 1);
    for (const [index, prediction] of learner.predict(forest, chosen).entries()) {
      const row = chosen[index] ?? 0;
      residuals[row] = (target[row] ?? 0) - prediction;
    }
  }
  return residuals;
}
