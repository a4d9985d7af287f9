import type { Learner } from '../trees/boosting/learner.js';
import type { Forest } from '../trees/forest/tree.js';
import {
  calibrate,
  chooseErrorFloor,
  type ErrorModel,
  predictedError,
} from '../intervals/conformal.js';
import { errorTreeParams } from '../trees/params.js';
import { average, pick } from '../intervals/statistics.js';
import { errorShrinkage } from './error-shrinkage.js';
import { fitOutOfFold } from './fit-out-of-fold.js';
import { type OutOfFold, trainingRows } from './folds.js';

/** An error model, and the errors that it predicts for the test rows, in their order. */
export interface FittedErrorModel {
  errorModel: ErrorModel;
  predictedErrors: Float64Array;
}

/**
 * Trains a forest on the size of errors, and calibrates it on rows that it was not trained on.
 *
 * @param model the forest of the model.
 * @param absoluteErrors by row, of forests that were not trained on the row.
 * @param reaches by row: how far an interval must reach to hold the actual value; the error, or less where
 *   answers are rounded.
 */
export function fitErrorModel(
  learner: Learner,
  outOfFold: OutOfFold,
  model: Forest,
  absoluteErrors: Float64Array,
  reaches: Float64Array,
  rounds: number,
  onRound: (done: number) => void,
): FittedErrorModel {
  const { testRows } = outOfFold;
  const rows = trainingRows(outOfFold);
  const objective = { target: () => absoluteErrors, params: errorTreeParams(rows.length), rounds };
  const { forest, predictions } = fitOutOfFold(learner, outOfFold, model, objective, onRound);
  const error_floor = chooseErrorFloor(average(pick(absoluteErrors, rows)));
  const predictedByRow = predictions.map((sum) => predictedError(sum, error_floor));
  const predictedErrors = pick(predictedByRow, testRows);
  const shrinkage = errorShrinkage(outOfFold, absoluteErrors, predictedByRow);
  const calibration = calibrate(
    predictedErrors,
    pick(reaches, testRows).map((reach) => shrinkage * reach),
  );
  return { errorModel: { error_forest: forest, error_floor, calibration }, predictedErrors };
}
