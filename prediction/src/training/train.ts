import { prepareTable } from '../binning/dataset.js';
import { Learner } from '../boosting/learner.js';
import { findSupport } from '../intervals/target-range.js';
import { chooseScale, lengthFromStandard, toStandard } from '../intervals/target-scale.js';
import { measure } from '../model/metrics.js';
import type { Model } from '../model/model.js';
import { valueTreeParams } from '../params.js';
import { seededRandom, shuffledRange } from '../random.js';
import { pick, standardDeviation } from '../statistics.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { Table } from '../table/table.js';
import { crossValidate } from './cross-validation.js';
import { fitErrorModel } from './fit-error-model.js';
import { roundsOf } from './fit-out-of-fold.js';
import { fitPartialRows } from './fit-partial-rows.js';
import { trainWithHoldOut } from './hold-out.js';
import { weighColumns } from './importance.js';
import { Progress } from './progress.js';
import { findUnfamiliarBins } from './rare-bins.js';

export interface TrainOptions {
  /** Told the share of the work that is done, 0 to 1, ascending; the last call says 1. */
  onProgress?: (share: number) => void;
  /** Decides which rows are held out, the folds, and what is masked. The same seed gives the same model. */
  seed?: number;
}

/** Smaller tables are trained in folds. */
const MAX_ROWS_FOR_FOLDS = 20_000;
const MAX_BINS_FOR_FOLDS = 2_000_000;

const ERROR_ROUNDS = 40;

/**
 * Trains a model on a table: a forest of gradient-boosted trees that predicts the target, and a
 * smaller one that predicts the size of its error; two more for rows that leave out what the table
 * always had. The model's errors are measured on rows that forests were not trained on, in folds or, in a large
 * table, held out. Occupies its thread.
 */
export function train(table: Table, options: TrainOptions = {}): Model {
  const progress = new Progress(options.onProgress ?? (() => {}));
  const inColumns = progress.stage(0.04, table.columns.length);
  const { columns, features, binned } = prepareTable(table, inColumns);
  const scale = chooseScale(table.targetValues);
  const toUnits = (length: number) => lengthFromStandard(scale, length);
  const target = table.targetValues.map((value) => toStandard(scale, value));
  const random = seededRandom(options.seed ?? 1);
  const order = shuffledRange(table.rowCount, random);

  const isSmall = table.rowCount <= MAX_ROWS_FOR_FOLDS && binned.bins.length <= MAX_BINS_FOR_FOLDS;
  const fitTarget = isSmall ? crossValidate : trainWithHoldOut;
  const values = fitTarget(binned, target, order, progress);
  const { forest, outOfFold } = values;
  const { errorModel, predictedErrors } = fitErrorModel(
    new Learner(outOfFold.features),
    outOfFold,
    forest,
    outOfFold.target.map((value, row) => Math.abs(value - (outOfFold.predictions[row] ?? 0))),
    ERROR_ROUNDS,
    progress.stage(0.06, roundsOf(outOfFold, ERROR_ROUNDS)),
  );
  const { minRowsPerLeaf } = valueTreeParams(table.rowCount);
  const unfamiliar = findUnfamiliarBins(binned, minRowsPerLeaf);
  const partial_rows = fitPartialRows(values, unfamiliar, random, progress);
  const importance = weighColumns(values, random, toUnits);
  const tested = {
    targets: pick(outOfFold.target, outOfFold.testRows),
    predictions: pick(outOfFold.predictions, outOfFold.testRows),
    predictedErrors,
  };
  const target_deviation = standardDeviation(target);
  progress.finish();
  return {
    target: table.target,
    row_count: table.rowCount,
    columns: columns.map(
      (column, index): ColumnSummary => ({ ...column, importance: importance.get(index) ?? null }),
    ),
    metrics: measure(tested, forest.base, target_deviation, toUnits),
    features,
    target_scale: scale,
    target_support: findSupport(table.targetValues),
    value_forest: forest,
    ...errorModel,
    target_deviation,
    partial_rows,
  };
}
