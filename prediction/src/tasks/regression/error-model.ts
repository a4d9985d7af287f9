import { calibrate, chooseErrorFloor, type ErrorModel, predictedError } from '../../intervals/conformal.js';
import { chooseSpread, spreadForest, spreadSum } from '../../intervals/error-spread.js';
import { average, pick } from '../../intervals/statistics.js';
import { type Fitted, fitOutOfFold, type OutOfFold, trainingRows } from '../../training/folds.js';
import { FOLDS } from '../../training/row-split.js';
import { squaredLoss } from '../../trees/boosting/squared-loss.js';
import type { Forest } from '../../trees/forest/tree.js';
import { errorTreeParams } from '../../trees/params.js';
import type { NumberObjective } from './objective.js';

/** More rounds would learn more of the noise of errors. */
export const ERROR_ROUNDS = 30;

/** An error model, and the errors that it predicts for the test rows, in their order. */
export interface FittedErrorModel {
  errorModel: ErrorModel;
  predictedErrors: Float64Array;
}

export interface RowErrors {
  /** Of forests that were not trained on the row. */
  absoluteErrors: Float64Array;
  /** The reach that an interval needs to hold the actual value: the error, or less where answers are rounded. */
  reaches: Float64Array;
  /** For some rows, the errors of forests with a smaller training set; null if errors do not shrink. */
  fromFewer: RowError[] | null;
}

interface RowError {
  row: number;
  error: number;
}

/**
 * Trains a forest on the size of errors, and calibrates it on rows that it was not trained on: the share of its
 * differences between rows that is kept, and the widths of intervals.
 *
 * @param model the forests of the model.
 */
export function fitErrorModel(
  outOfFold: OutOfFold<NumberObjective>,
  model: readonly Forest[],
  { absoluteErrors, reaches, fromFewer }: RowErrors,
  onRound: (done: number) => void,
): FittedErrorModel {
  const { learner, testRows } = outOfFold;
  const rows = trainingRows(outOfFold);
  const params = errorTreeParams(rows.length);
  let done = 0;
  const { forests, scores } = fitOutOfFold(outOfFold, model, (_, some) =>
    learner.booster(some, params, squaredLoss(absoluteErrors)).addRounds(ERROR_ROUNDS, () => onRound(++done)),
  );
  const [forest = { base: 0, trees: [] }] = forests;
  const error_floor = chooseErrorFloor(average(pick(absoluteErrors, rows)));
  const spread = chooseSpread(pick(scores.values, testRows), pick(reaches, testRows), error_floor);
  const error_forest = spreadForest(forest, spread);
  const predictedByRow = scores.values.map((sum) => predictedError(spreadSum(sum, spread), error_floor));
  const predictedErrors = pick(predictedByRow, testRows);
  const shrinkage = fromFewer ? errorShrinkage(fromFewer, absoluteErrors, predictedByRow) : 1;
  const calibration = calibrate(
    predictedErrors,
    pick(reaches, testRows).map((reach) => shrinkage * reach),
  );
  return { errorModel: { error_forest, error_floor, calibration }, predictedErrors };
}

/** The number of folds that are also trained with fewer rows. */
const FOLDS_FROM_FEWER = 2;

/**
 * Trains the first folds on four fifths of their training sets: a share that is smaller than the folds' by that
 * by which the folds' is smaller than the model's.
 *
 * @returns the errors of their test sets; null if the model's forests are those of a fold, or rows are not drawn at
 *   random: then intervals are somewhat wider than they need to be.
 */
export function errorsFromFewer({
  outOfFold: { learner, objective, folds, testRows: order, method },
  plan,
  rounds,
}: Fitted<NumberObjective>): RowError[] | null {
  // Folds of groups do not show how errors shrink with more groups.
  if (folds.length === 1 || method !== 'random') return null;
  const isFewer = (index: number) => Math.floor(index / FOLDS) % FOLDS !== 0;
  return folds.slice(0, FOLDS_FROM_FEWER).flatMap(({ test }, fold) => {
    const train = order.filter((_row, index) => index % FOLDS !== fold && isFewer(index));
    const booster = learner.booster(train.sort(), plan.tree, objective.createLoss(plan.learningRate));
    const { values } = learner.score(booster.addRounds(rounds), test);
    return Array.from(test, (row) => {
      return { row, error: Math.abs((objective.target[row] ?? 0) - (values[row] ?? 0)) };
    });
  });
}

/** Measured on nine public tables: 0.84 in the smallest, 0.92 to 1 in the others. */
const USUAL_RATIO = 0.975;
const USUAL_DEVIATION = 0.025;

/**
 * Returns the ratio of the model's errors to those of the folds. The model's forest is trained on all rows, a
 * fold's on four fifths of them, so that the model's errors are smaller, and intervals that are calibrated on the
 * folds' errors would cover too much. The ratio is estimated from forests that are trained on four fifths of a
 * fold's training set: errors fall by about the same ratio with every such step (learning curves are power laws,
 * Cortes et al. 1993). The fewer rows the estimate has, the more it leans on the usual ratio. Half of the step is taken:
 * the part of errors that is noise does not fall, so that each step is smaller than the one before, and the number of
 * trees was chosen by the folds' errors, which flatters these.
 *
 * @param absoluteErrors of the folds' forests, by row.
 * @param predictedErrors by row: errors are compared in these, as intervals are calibrated.
 * @returns above 0, at most 1.
 */
function errorShrinkage(
  fromFewer: readonly RowError[],
  absoluteErrors: Float64Array,
  predictedErrors: Float64Array,
): number {
  const pairs = fromFewer.map(({ row, error }) => {
    const predicted = predictedErrors[row] ?? 1;
    return { now: (absoluteErrors[row] ?? 0) / predicted, before: error / predicted };
  });
  const before = pairs.reduce((sum, pair) => sum + pair.before, 0);
  if (before === 0) return 1;
  const ratio = pairs.reduce((sum, pair) => sum + pair.now, 0) / before;
  const squares = pairs.reduce((sum, pair) => sum + (pair.now - ratio * pair.before) ** 2, 0);
  if (squares === 0) return halfStep(ratio);
  const certainty = before ** 2 / squares;
  const usual = 1 / USUAL_DEVIATION ** 2;
  return halfStep((certainty * ratio + usual * USUAL_RATIO) / (certainty + usual));
}

function halfStep(ratio: number): number {
  return Math.sqrt(Math.min(1, ratio));
}
