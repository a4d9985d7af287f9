import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import { type ClassTarget, forestCount } from '../trees/boosting/class-booster.js';
import { EarlyStopping } from '../trees/boosting/early-stopping.js';
import { Learner } from '../trees/boosting/learner.js';
import type { Scores } from '../classes/probabilities.js';
import type { Forest, Tree } from '../trees/forest/tree.js';
import { classTreeParams, learningRate, maxClassRounds } from '../trees/params.js';
import { everyRow, splitFolds } from './folds.js';
import { partOf, TEST_SHARE, VALIDATION_SHARE } from './hold-out.js';
import type { Progress } from './progress.js';

/** A training set and a test set, as `Fold`, and the forests that were not trained on the test set. */
export interface ClassFold {
  train: Uint32Array;
  test: Uint32Array;
  forests: readonly Forest[];
}

/** Rows with scores of forests that were not trained on them, as a table of their own. */
export interface ClassOutOfFold {
  features: BinnedFeatures;
  target: ClassTarget;
  scores: Scores;
  folds: readonly ClassFold[];
  /** The rows that calibrate and measure, in random order; each is in the test set of one fold. */
  testRows: Uint32Array;
}

/** The forests of a model, and out-of-fold scores. */
export interface FittedClasses {
  forests: readonly Forest[];
  /** For each forest and tree, and each of its splits, by how much it lowered the squared residuals. */
  gains: readonly (readonly (readonly number[])[])[];
  outOfFold: ClassOutOfFold;
}

/**
 * Trains the forests of classes on every row of a table, and in each of five folds, as `crossValidate` does for
 * numbers. Rounds are added while the log loss of the folds' test sets falls.
 *
 * @param order all rows, in random order.
 */
export function crossValidateClasses(
  features: BinnedFeatures,
  target: ClassTarget,
  order: Uint32Array,
  progress: Progress,
): FittedClasses {
  const learner = new Learner(features);
  const params = classTreeParams(order.length);
  const rate = learningRate(target.classCount);
  const folds = splitFolds(order).map((fold) => ({
    ...fold,
    booster: learner.classBooster(fold.train, target, params, rate),
  }));
  const scores = emptyScores(forestCount(target.classCount), order.length);
  for (const { test, booster } of folds) addBases(scores, test, booster.forests);
  const stopping = stopEarly(scores, target, order);
  const inFolds = progress.openStage(0.6);
  while (!stopping.isOver) {
    for (const { test, booster } of folds) addRound(learner, scores, test, booster.addRound());
    inFolds(stopping.update());
  }
  const booster = learner.classBooster(everyRow(order.length), target, params, rate);
  const inAll = progress.stage(0.15, stopping.rounds);
  for (let round = 1; round <= stopping.rounds; round++) {
    booster.addRound();
    inAll(round);
  }
  return {
    forests: booster.forests,
    gains: booster.gains,
    outOfFold: {
      features,
      target,
      scores: { ...scores, values: stopping.predictions },
      folds: folds.map(({ train, test, booster: { forests } }) => ({
        train,
        test,
        forests: forests.map((forest) => stopping.truncate(forest)),
      })),
      testRows: order,
    },
  };
}

/**
 * Trains the forests of classes on most rows of a large table, as `trainWithHoldOut` does for numbers. The
 * validation set decides the number of rounds, and the test set calibrates the probabilities and the sets.
 *
 * @param order all rows, in random order.
 */
export function trainClassesWithHoldOut(
  features: BinnedFeatures,
  target: ClassTarget,
  order: Uint32Array,
  progress: Progress,
): FittedClasses {
  const validated = partOf(order.length, VALIDATION_SHARE);
  const heldOut = validated + partOf(order.length, TEST_SHARE);
  const rows = order.slice(0, heldOut);
  const held = {
    features: takeRows(features, rows),
    target: { ...target, labels: Uint16Array.from(rows, (row) => target.labels[row] ?? 0) },
  };
  const all = everyRow(heldOut);
  const validation = all.subarray(0, validated);
  const train = order.slice(heldOut).sort();
  const rate = learningRate(target.classCount);
  const params = classTreeParams(train.length);
  const booster = new Learner(features).classBooster(train, target, params, rate);
  const learner = new Learner(held.features);
  const scores = emptyScores(forestCount(target.classCount), heldOut);
  addBases(scores, validation, booster.forests);
  const stopping = stopEarly(scores, held.target, validation);
  const inRounds = progress.openStage(0.75);
  while (!stopping.isOver) {
    addRound(learner, scores, validation, booster.addRound());
    inRounds(stopping.update());
  }
  const forests = booster.forests.map((forest) => stopping.truncate(forest));
  return {
    forests,
    gains: booster.gains.map((ofForest) => ofForest.slice(0, stopping.rounds)),
    outOfFold: {
      ...held,
      scores: scoreRows(learner, forests, all),
      folds: [{ train: validation, test: all.subarray(validated), forests }],
      testRows: all.subarray(validated),
    },
  };
}

function emptyScores(forests: number, stride: number): Scores {
  return { values: new Float64Array(forests * stride), stride };
}

function addBases({ values, stride }: Scores, rows: Uint32Array, forests: readonly Forest[]): void {
  for (const [index, { base }] of forests.entries()) {
    for (const row of rows) values[index * stride + row] = base;
  }
}

/** @param trees one for each forest. */
function addRound(
  learner: Learner,
  { values, stride }: Scores,
  rows: Uint32Array,
  trees: readonly Tree[],
): void {
  for (const [index, tree] of trees.entries()) {
    learner.addTo(values.subarray(index * stride, (index + 1) * stride), rows, [tree]);
  }
}

/** Returns the scores of some rows of a learner's table; other rows have 0. */
export function scoreRows(learner: Learner, forests: readonly Forest[], rows: Uint32Array): Scores {
  const scores = emptyScores(forests.length, learner.rowCount);
  for (const [index, forest] of forests.entries()) {
    const sums = learner.predict(forest, rows);
    const begin = index * scores.stride;
    for (const [at, row] of rows.entries()) scores.values[begin + row] = sums[at] ?? 0;
  }
  return scores;
}

function stopEarly(scores: Scores, target: ClassTarget, rows: Uint32Array): EarlyStopping {
  const loss = () => logLossOfScores(scores, target, rows);
  return new EarlyStopping(scores.values, loss, maxClassRounds(target.classCount));
}

/** Returns the log loss of the softmax of the scores, as a sum over the rows. */
function logLossOfScores(
  { values, stride }: Scores,
  { labels, classCount }: ClassTarget,
  rows: Uint32Array,
): number {
  let loss = 0;
  if (classCount === 2) {
    for (const row of rows) {
      const score = values[row] ?? 0;
      loss += Math.log1p(Math.exp(labels[row] === 1 ? -score : score));
    }
    return loss;
  }
  for (const row of rows) {
    let sum = 0;
    for (let at = row; at < values.length; at += stride) sum += Math.exp(values[at] ?? 0);
    loss += Math.log(sum) - (values[(labels[row] ?? 0) * stride + row] ?? 0);
  }
  return loss;
}
