import { crossValidate, MOST_ROUNDS } from './cross-validation.js';
import { prepareTable } from './features.js';
import { learnErrors } from './learn-errors.js';
import { learnPartialRows, PARTIAL_ROUNDS } from './learn-partial-rows.js';
import { Learner } from './learner.js';
import { measure } from './metrics.js';
import type { Model } from './model.js';
import { Progress } from './progress.js';
import { seededRandom, shuffledRange } from './random.js';
import type { GrowthLimits } from './split-finder.js';
import { pick, standardDeviation } from './statistics.js';
import type { Table } from './table.js';
import { chooseScale, lengthFromStandard, toStandard } from './target-scale.js';
import { findUnfamiliarBins } from './unfamiliar-bins.js';

export interface TrainOptions {
  /** Told the share of the work that is done, 0 to 1, ascending; the last call says 1. */
  onProgress?: (share: number) => void;
  /** Decides which rows are held out, the folds, and what is masked. The same seed gives the same model. */
  seed?: number;
}

const LEAVES = 31;
const ERROR_ROUNDS = 40;

/**
 * Trains a model on a table: a forest of gradient-boosted trees that predicts the target, and a
 * smaller one that predicts the size of its error, learnt from errors out of fold; two more for
 * rows that leave out what the table always had. A fifth of the rows is held out, to calibrate the
 * intervals and to measure the model. Occupies its thread.
 */
export function train(table: Table, options: TrainOptions = {}): Model {
  const { columns, features, binned } = prepareTable(table);
  const scale = chooseScale(table.targetValues);
  const target = table.targetValues.map((value) => toStandard(scale, value));
  const random = seededRandom(options.seed ?? 1);
  const { heldOut, training } = splitRows(table.rowCount, random);
  const rows = training.toSorted();

  const learner = new Learner(binned);
  const limits = valueLimits(rows.length);
  const progress = new Progress(options.onProgress ?? (() => {}));
  const inValidation = progress.stage(0.65, MOST_ROUNDS);
  const outOfFold = crossValidate(learner, training, target, limits, inValidation);
  const { rounds, absoluteErrors, folds } = outOfFold;
  const inValue = progress.stage(0.2, rounds);
  const value_forest = learner.boost(rows, target, limits, rounds, inValue);

  const targets = pick(target, heldOut);
  const predictions = learner.predict(value_forest, heldOut);
  const heldOutErrors = targets.map((value, row) => Math.abs(value - (predictions[row] ?? 0)));
  const errorLimits = errorModelLimits(rows.length);
  const { errorModel, predictedErrors } = learnErrors(
    learner,
    { rows, absoluteErrors, heldOut, heldOutErrors },
    errorLimits,
    ERROR_ROUNDS,
    progress.stage(0.05, ERROR_ROUNDS),
  );
  const partial_rows = learnPartialRows(
    { binned, target, training, folds, heldOut, valueForest: value_forest },
    findUnfamiliarBins(binned, rows, limits.leafRows),
    errorLimits,
    random,
    progress.stage(0.09, PARTIAL_ROUNDS),
  );
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
    ...errorModel,
    target_deviation: standardDeviation(target),
    partial_rows,
  };
}

const HELD_OUT_SHARE = 0.2;

/** Twenty scores can promise a level of 0.95, and each half of them 0.9. */
const FEWEST_HELD_OUT = 20;

/** Parts the rows at random; both parts stay in random order. */
function splitRows(rowCount: number, random: () => number) {
  const shuffled = shuffledRange(rowCount, random);
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
