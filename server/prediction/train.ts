import { calibrate } from './calibration.js';
import { crossValidate, MOST_ROUNDS } from './cross-validation.js';
import { chooseErrorFloor, predictedError } from './error-model.js';
import { prepareTable } from './features.js';
import { Learner } from './learner.js';
import { measure } from './metrics.js';
import type { Model } from './model.js';
import { Progress } from './progress.js';
import { seededRandom, shuffledRange } from './random.js';
import type { GrowthLimits } from './split-finder.js';
import { average, standardDeviation } from './statistics.js';
import type { Table } from './table.js';
import { chooseScale, lengthFromStandard, toStandard } from './target-scale.js';

export interface TrainOptions {
  /** Told the share of the work that is done, 0 to 1, ascending; the last call says 1. */
  onProgress?: (share: number) => void;
  /** Decides which rows are held out, and the folds. The same seed gives the same model. */
  seed?: number;
}

const LEAVES = 31;
const ERROR_ROUNDS = 40;

/**
 * Trains a model on a table: a forest of gradient-boosted trees that predicts the target, and a
 * smaller one that predicts the size of its error, learnt from errors out of fold. A fifth of the
 * rows is held out, to calibrate the intervals and to measure the model. Occupies its thread.
 */
export function train(table: Table, options: TrainOptions = {}): Model {
  const { columns, features, binned } = prepareTable(table);
  const scale = chooseScale(table.targetValues);
  const target = table.targetValues.map((value) => toStandard(scale, value));
  const { heldOut, training } = splitRows(table.rowCount, options.seed ?? 1);
  const rows = training.toSorted();

  const learner = new Learner(binned);
  const limits = valueLimits(rows.length);
  const progress = new Progress(options.onProgress ?? (() => {}));
  const { rounds, absoluteErrors } = crossValidate(
    learner,
    training,
    target,
    limits,
    progress.stage(0.7, MOST_ROUNDS),
  );
  const inValue = progress.stage(0.2, rounds);
  const value_forest = learner.boost(rows, target, limits, rounds, inValue);
  const inError = progress.stage(0.1, ERROR_ROUNDS);
  const errorLimits = errorModelLimits(rows.length);
  const error_forest = learner.boost(rows, absoluteErrors, errorLimits, ERROR_ROUNDS, inError);
  const error_floor = chooseErrorFloor(average(pick(absoluteErrors, rows)));

  const targets = pick(target, heldOut);
  const predictions = learner.predict(value_forest, heldOut);
  const errors = targets.map((value, row) => Math.abs(value - (predictions[row] ?? 0)));
  const predictedErrors = learner
    .predict(error_forest, heldOut)
    .map((sum) => predictedError(sum, error_floor));
  progress.finish();
  return {
    target: table.target,
    row_count: table.rowCount,
    columns,
    metrics: measure({ targets, predictions, predictedErrors }, value_forest.base, (length) =>
      lengthFromStandard(scale, length),
    ),
    features,
    target_scale: scale,
    value_forest,
    error_forest,
    error_floor,
    calibration: calibrate(predictedErrors, errors),
    target_deviation: standardDeviation(target),
  };
}

const HELD_OUT_SHARE = 0.2;

/** Twenty scores can promise a level of 0.95, and each half of them 0.9. */
const FEWEST_HELD_OUT = 20;

/** Parts the rows at random; both parts stay in random order. */
function splitRows(rowCount: number, seed: number) {
  const shuffled = shuffledRange(rowCount, seededRandom(seed));
  const heldOutCount = Math.max(Math.round(HELD_OUT_SHARE * rowCount), FEWEST_HELD_OUT);
  return { heldOut: shuffled.slice(0, heldOutCount), training: shuffled.slice(heldOutCount) };
}

/** Trees of LightGBM's size; in small tables their leaves hold fewer rows. */
function valueLimits(rowCount: number): GrowthLimits {
  return { leaves: LEAVES, leafRows: clamp(Math.round(rowCount / 25), 5, 20) };
}

/**
 * The size of an error is a noisier thing to learn, and what is read into noise makes intervals
 * narrow where they should not be: larger leaves.
 */
function errorModelLimits(rowCount: number): GrowthLimits {
  return { leaves: LEAVES, leafRows: clamp(Math.round(rowCount / 10), 10, 50) };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

function pick(values: Float64Array, rows: Uint32Array): Float64Array {
  return Float64Array.from(rows, (row) => values[row] ?? 0);
}
