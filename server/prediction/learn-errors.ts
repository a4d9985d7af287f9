import { calibrate } from './calibration.js';
import { chooseErrorFloor, type ErrorModel, predictedError } from './error-model.js';
import type { Learner } from './learner.js';
import type { GrowthLimits } from './split-finder.js';
import { average, pick } from './statistics.js';

/** Absolute errors of a model, in rows to learn from and in rows held out. */
export interface SeenErrors {
  rows: Uint32Array;
  /** By row of the whole table: errors in rows that the model, or its like, has not learnt from. */
  absoluteErrors: Float64Array;
  heldOut: Uint32Array;
  /** In the order of `heldOut`. */
  heldOutErrors: Float64Array;
}

/** An error model, and the errors that it predicts for the held-out rows, in their order. */
export interface LearntErrors {
  errorModel: ErrorModel;
  predictedErrors: Float64Array;
}

/** Learns how large errors are from some rows, and calibrates what was learnt on others. */
export function learnErrors(
  learner: Learner,
  { rows, absoluteErrors, heldOut, heldOutErrors }: SeenErrors,
  limits: GrowthLimits,
  rounds: number,
  onRound: (round: number) => void,
): LearntErrors {
  const error_forest = learner.boost(rows, absoluteErrors, limits, rounds, onRound);
  const error_floor = chooseErrorFloor(average(pick(absoluteErrors, rows)));
  const predictedErrors = learner
    .predict(error_forest, heldOut)
    .map((sum) => predictedError(sum, error_floor));
  const calibration = calibrate(predictedErrors, heldOutErrors);
  return { errorModel: { error_forest, error_floor, calibration }, predictedErrors };
}
