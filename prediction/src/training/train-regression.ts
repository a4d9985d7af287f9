import { prepareTable } from '../trees/binning/dataset.js';
import { Learner } from '../trees/boosting/learner.js';
import { ForestScorer } from '../trees/forest/forest-scorer.js';
import {
  chooseScale,
  findSupport,
  fromStandard,
  lengthFromStandard,
  nearestTo,
  reachTo,
  settle,
  type TargetScale,
  type TargetSupport,
  toStandard,
} from '../intervals/target-range.js';
import { measure } from '../model/metrics.js';
import type { RegressionModel } from '../model/model.js';
import { valueTreeParams } from '../trees/params.js';
import { seededRandom, shuffledRange } from '../trees/random.js';
import { pick, standardDeviation } from '../intervals/statistics.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { RegressionTable } from '../table/table.js';
import { crossValidate } from './cross-validation.js';
import { fitErrorModel } from './fit-error-model.js';
import { roundsOf } from './fit-out-of-fold.js';
import { fitPartialRows } from './fit-partial-rows.js';
import { type Fold, isForFolds, type OutOfFold } from './folds.js';
import { trainWithHoldOut } from './hold-out.js';
import { weighColumns } from './importance.js';
import type { Progress } from './progress.js';
import { findUnfamiliarBins } from './rare-bins.js';

const ERROR_ROUNDS = 40;

/**
 * Trains a regressor: a forest of gradient-boosted trees that predicts the target, and a smaller one that
 * predicts the size of its error; two more for rows that leave out what the table always had. The model's errors
 * are measured on rows that forests were not trained on, in folds or, in a large table, held out.
 */
export function trainRegression(
  table: RegressionTable,
  progress: Progress,
  seed: number,
): RegressionModel {
  const inColumns = progress.stage(0.04, table.columns.length);
  const { columns, features, binned } = prepareTable(table, inColumns);
  const scale = chooseScale(table.targetValues);
  const toUnits = (length: number) => lengthFromStandard(scale, length);
  const target = table.targetValues.map((value) => toStandard(scale, value));
  const random = seededRandom(seed);
  const order = shuffledRange(table.rowCount, random);

  const fitTarget = isForFolds(binned) ? crossValidate : trainWithHoldOut;
  const values = fitTarget(binned, target, order, progress);
  const { forest, outOfFold } = values;
  const support = findSupport(table.targetValues);
  const reachOf = reachInStandard(scale, support);
  const reaches = outOfFold.target.map((actual, row) =>
    reachOf(outOfFold.predictions[row] ?? 0, actual),
  );
  const { errorModel, predictedErrors } = fitErrorModel(
    new Learner(outOfFold.features),
    outOfFold,
    forest,
    outOfFold.target.map((value, row) => Math.abs(value - (outOfFold.predictions[row] ?? 0))),
    reaches,
    ERROR_ROUNDS,
    progress.stage(0.06, roundsOf(outOfFold, ERROR_ROUNDS)),
  );
  const { minRowsPerLeaf } = valueTreeParams(table.rowCount);
  const unfamiliar = findUnfamiliarBins(binned, minRowsPerLeaf);
  const partial_rows = fitPartialRows(values, unfamiliar, reachOf, random, progress);
  const importance = weighColumns(
    outOfFold.features,
    [{ trees: forest.trees, gains: values.gains }],
    outOfFold.folds.map((fold) => ({ test: fold.test, judge: judgeBySquares(outOfFold, fold) })),
    random,
    (squares) => toUnits(Math.sqrt(squares)),
  );
  const tested = {
    targets: pick(outOfFold.target, outOfFold.testRows),
    predictions: pick(outOfFold.predictions, outOfFold.testRows).map((standard) =>
      toStandard(scale, settle(support, fromStandard(scale, standard))),
    ),
    predictedErrors,
    reaches: pick(reaches, outOfFold.testRows),
  };
  const target_deviation = standardDeviation(target);
  return {
    task: 'regression',
    target: table.target,
    target_reading: table.targetReading ?? null,
    row_count: table.rowCount,
    columns: columns.map(
      (column, index): ColumnSummary => ({ ...column, importance: importance.get(index) ?? null }),
    ),
    metrics: measure(tested, forest.base, target_deviation, scale),
    features,
    target_scale: scale,
    target_support: support,
    value_forest: forest,
    ...errorModel,
    target_deviation,
    partial_rows,
  };
}

/** Sums up the squared errors of a fold's forest. */
function judgeBySquares({ target }: OutOfFold, { forest }: Fold) {
  const scorer = ForestScorer.of(forest.trees);
  return (rows: Uint32Array) => (bins: Uint8Array) => {
    const sums = new Float64Array(rows.length).fill(forest.base);
    scorer.addToAll(sums, bins, rows.length);
    return rows.reduce(
      (squares, row, index) => squares + ((target[row] ?? 0) - (sums[index] ?? 0)) ** 2,
      0,
    );
  };
}

/** Returns `reachTo` for values in standard units. */
function reachInStandard(scale: TargetScale, support: TargetSupport) {
  if (support.values === null && !support.is_whole) {
    return (predicted: number, actual: number) => Math.abs(actual - predicted);
  }
  // In units and back again, a value of the target is itself only almost.
  const exact = (standard: number) => {
    const value = fromStandard(scale, standard);
    return support.is_whole ? Math.round(value) + 0 : nearestTo(support, value);
  };
  return (predicted: number, actual: number) => {
    const reach = reachTo(support, fromStandard(scale, predicted), exact(actual));
    // Two doubles may be further apart than any double says; their distance in standard units does as well.
    return Number.isFinite(reach)
      ? reach / scale.magnitude / scale.spread
      : Math.abs(actual - predicted);
  };
}
