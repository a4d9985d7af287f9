import type { Learner } from '../boosting/learner.js';
import type { Forest } from '../forest/tree.js';
import { calibrate } from '../intervals/conformal.js';
import { chooseErrorFloor, type ErrorModel, predictedError } from '../intervals/error-model.js';
import { errorLimits } from '../params.js';
import { average, pick } from '../statistics.js';
import { errorShrinkage } from './error-shrinkage.js';
import { learnInTrials } from './fit-out-of-fold.js';
import { rowsToLearn, type UnseenRows } from './folds.js';

/** An error model, and the errors that it predicts for the judged rows, in their order. */
export interface LearntErrors {
  errorModel: ErrorModel;
  predictedErrors: Float64Array;
}

/**
 * Learns how large errors are, and calibrates what was learnt on rows that it was not learnt from.
 *
 * @param answering the forest that answers for the model.
 * @param absoluteErrors by row, of forests that have not seen the row.
 */
export function learnErrors(
  learner: Learner,
  unseen: UnseenRows,
  answering: Forest,
  absoluteErrors: Float64Array,
  rounds: number,
  onRound: (done: number) => void,
): LearntErrors {
  const rows = rowsToLearn(unseen);
  const lesson = { wanted: () => absoluteErrors, limits: errorLimits(rows.length), rounds };
  const { forest, said } = learnInTrials(learner, unseen, answering, lesson, onRound);
  const error_floor = chooseErrorFloor(average(pick(absoluteErrors, rows)));
  const predictedByRow = said.map((sum) => predictedError(sum, error_floor));
  const predictedErrors = pick(predictedByRow, unseen.judged);
  const shrinkage = errorShrinkage(unseen, absoluteErrors, predictedByRow);
  const calibration = calibrate(
    predictedErrors,
    pick(absoluteErrors, unseen.judged).map((error) => shrinkage * error),
  );
  return { errorModel: { error_forest: forest, error_floor, calibration }, predictedErrors };
}
