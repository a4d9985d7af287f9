import { prepareTable } from '../trees/binning/dataset.js';
import { type ClassTarget, forestCount } from '../trees/boosting/class-booster.js';
import { ProbabilityEstimator } from '../classes/probabilities.js';
import { ForestScorer, scorerMemory } from '../trees/forest/forest-scorer.js';
import type { Forest } from '../trees/forest/tree.js';
import { measureClasses } from '../model/class-metrics.js';
import type { ClassificationModel } from '../model/class-model.js';
import { valueTreeParams } from '../trees/params.js';
import { seededRandom, shuffledRange } from '../trees/random.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { ClassificationTable } from '../table/table.js';
import { calibrateClasses } from './class-calibration.js';
import { crossValidateClasses, trainClassesWithHoldOut } from './class-folds.js';
import { fitClassPartialRows } from './class-partial-rows.js';
import { isForFolds } from './folds.js';
import { weighColumns } from './importance.js';
import type { Progress } from './progress.js';
import { findUnfamiliarBins } from './rare-bins.js';

/**
 * Trains a classifier: forests of gradient-boosted trees whose scores become probabilities and sets of classes,
 * calibrated on rows that forests were not trained on, in folds or, in a large table, held out.
 */
export function trainClassification(
  table: ClassificationTable,
  progress: Progress,
  seed: number,
): ClassificationModel {
  const inColumns = progress.stage(0.04, table.columns.length);
  const { columns, features, binned } = prepareTable(table, inColumns);
  const classCount = table.classes.length;
  const target: ClassTarget = {
    labels: table.targetClasses,
    classCount,
    shares: Float64Array.from(table.classes, ({ rows }) => rows / table.rowCount),
  };
  const random = seededRandom(seed);
  const order = shuffledRange(table.rowCount, random);

  const fitForests = isForFolds(binned, forestCount(classCount))
    ? crossValidateClasses
    : trainClassesWithHoldOut;
  const fitted = fitForests(binned, target, order, progress);
  const { forests, gains, outOfFold } = fitted;
  const scored = {
    scores: outOfFold.scores,
    rows: outOfFold.testRows,
    labels: outOfFold.target.labels,
    classCount,
  };
  const calibration = calibrateClasses(scored);
  const { minRowsPerLeaf } = valueTreeParams(table.rowCount);
  const unfamiliar = findUnfamiliarBins(binned, minRowsPerLeaf);
  const partial_rows = fitClassPartialRows(fitted, unfamiliar, random, progress);
  const estimator = new ProbabilityEstimator(calibration.probabilities);
  const importance = weighColumns(
    outOfFold.features,
    forests.map(({ trees }, index) => ({ trees, gains: gains[index] ?? [] })),
    outOfFold.folds.map((fold) => ({
      test: fold.test,
      judge: judgeByLogLoss(fold.forests, outOfFold.target.labels, estimator),
    })),
    random,
    (loss) => loss,
  );
  return {
    task: 'classification',
    target: table.target,
    row_count: table.rowCount,
    classes: table.classes,
    columns: columns.map(
      (column, index): ColumnSummary => ({ ...column, importance: importance.get(index) ?? null }),
    ),
    metrics: measureClasses(
      scored,
      table.classes.map(({ name }) => name),
      calibrateClasses,
    ),
    features,
    class_forests: forests,
    ...calibration,
    partial_rows,
  };
}

/** Sums up the log losses of a fold's forests. */
function judgeByLogLoss(
  forests: readonly Forest[],
  labels: Uint16Array,
  estimator: ProbabilityEstimator,
) {
  const memory = scorerMemory();
  const scorers = forests.map(({ trees }) => ForestScorer.of(trees, memory));
  return (rows: Uint32Array) => (bins: Uint8Array) => {
    const stride = rows.length;
    const values = new Float64Array(forests.length * stride);
    for (const [index, scorer] of scorers.entries()) {
      const sums = values.subarray(index * stride, (index + 1) * stride);
      sums.fill(forests[index]?.base ?? 0);
      scorer.addToAll(sums, bins, stride);
    }
    const ofRow = new Float64Array(estimator.classCount);
    let sum = 0;
    for (const [index, row] of rows.entries()) {
      estimator.write(ofRow, 0, { values, stride }, index);
      sum -= Math.log(ofRow[labels[row] ?? 0] ?? 1);
    }
    return sum;
  };
}
