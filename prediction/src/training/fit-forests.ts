import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import type { Booster } from '../trees/boosting/booster.js';
import { Learner } from '../trees/boosting/learner.js';
import { emptyScores, type Forest, viewScores } from '../trees/forest/tree.js';
import { valueTreeParams } from '../trees/params.js';
import { everyRow, type Fitted, type FoldableSplit, isForFolds, type Objective, splitFolds } from './folds.js';
import type { Progress } from './progress.js';
import { holdOut, type RowSplit } from './row-split.js';

/** Trains the forests of a model: in folds or, if the table is large or the last rows measure the model, with a hold-out. */
export function fitForests<O extends Objective<O>>(
  features: BinnedFeatures,
  objective: O,
  split: RowSplit,
  progress: Progress,
): Fitted<O> {
  return split.method !== 'last' && isForFolds(features, objective.forestCount)
    ? crossValidate(features, objective, split, progress)
    : trainWithHoldOut(features, objective, split, progress);
}

/**
 * Trains forests on every row of a table, and others in each of five folds, whose scores of the fold's test set
 * show how well the model does on new rows. The number of rounds is the one after which they do best.
 * Predictions are calibrated on every row, too (cross-conformal prediction, Vovk 2015): errors of forests with
 * four fifths of the rows are a little larger than those of the model's.
 */
function crossValidate<O extends Objective<O>>(
  features: BinnedFeatures,
  objective: O,
  split: FoldableSplit,
  progress: Progress,
): Fitted<O> {
  const { order, method } = split;
  const learner = new Learner(features);
  const params = valueTreeParams(order.length);
  const folds = splitFolds(split).map((fold) => ({
    ...fold,
    booster: learner.booster(fold.train, params, objective.createLoss),
  }));
  const stopping = boostToBest(learner, objective, order, folds, progress.openStage(0.6));
  const booster = learner.booster(everyRow(order.length), params, objective.createLoss);
  booster.addRounds(stopping.rounds, progress.stage(0.15, stopping.rounds));
  return {
    forests: booster.forests,
    gains: booster.gains,
    outOfFold: {
      learner,
      objective,
      scores: { values: stopping.predictions, stride: order.length },
      folds: folds.map(({ train, test, booster: { forests } }) => ({
        train,
        test,
        forests: forests.map((forest) => stopping.truncate(forest)),
      })),
      testRows: order,
      method,
      isOfModel: false,
    },
    testedRows: order,
  };
}

/**
 * Trains forests on most rows of a table. Some rows, the validation set, decide the number of rounds, and are what error
 * models are trained on; a test set calibrates the predictions and measures the model. One training where folds take
 * six. If the parts were drawn at random, these forests are the model's. The last rows, and whole groups, are worth too
 * much to be left out: the model's forests are trained once more, with as many rounds, on all rows.
 */
function trainWithHoldOut<O extends Objective<O>>(
  features: BinnedFeatures,
  objective: O,
  split: RowSplit,
  progress: Progress,
): Fitted<O> {
  const { method } = split;
  const isOfModel = method === 'random';
  const parts = holdOut(split);
  const rows = new Uint32Array(parts.validation.length + parts.test.length);
  rows.set(parts.validation);
  rows.set(parts.test, parts.validation.length);
  const held = objective.take(rows);
  const all = everyRow(rows.length);
  const validation = all.subarray(0, parts.validation.length);
  const test = all.subarray(parts.validation.length);
  const whole = new Learner(features);
  const booster = whole.booster(parts.train, valueTreeParams(parts.train.length), objective.createLoss);
  const learner = new Learner(takeRows(features, rows));
  const tested = [{ test: validation, booster }];
  const stopping = boostToBest(learner, held, validation, tested, progress.openStage(isOfModel ? 0.75 : 0.5));
  const forests = booster.forests.map((forest) => stopping.truncate(forest));
  const outOfFold = {
    learner,
    objective: held,
    scores: learner.score(forests, all),
    folds: [{ train: validation, test, forests }],
    testRows: test,
    method,
    isOfModel,
  };
  if (isOfModel) {
    const gains = booster.gains.map((ofForest) => ofForest.slice(0, stopping.rounds));
    return { forests, gains, outOfFold, testedRows: parts.test };
  }
  const { rowCount } = features;
  const own = whole.booster(everyRow(rowCount), valueTreeParams(rowCount), objective.createLoss);
  own.addRounds(stopping.rounds, progress.stage(0.25, stopping.rounds));
  return { forests: own.forests, gains: own.gains, outOfFold, testedRows: parts.test };
}

/**
 * Adds rounds to boosters while the loss of some rows falls.
 *
 * @param parts each booster with the rows, of the learner's, that it is tested on.
 */
function boostToBest<O extends Objective<O>>(
  learner: Learner,
  objective: O,
  rows: Uint32Array,
  parts: readonly { test: Uint32Array; booster: Booster }[],
  onRound: (done: number) => void,
): EarlyStopping {
  const scores = emptyScores(objective.forestCount, learner.rowCount);
  for (const { test, booster } of parts) learner.score(booster.forests, test, scores);
  const loss = () => objective.loss(scores, rows);
  const stopping = new EarlyStopping(scores.values, loss, objective.maxRounds);
  while (!stopping.isOver) {
    for (const { test, booster } of parts) {
      for (const [forest, tree] of booster.addRound().entries()) {
        learner.addTo(viewScores(scores, forest), test, [tree]);
      }
    }
    onRound(stopping.update());
  }
  return stopping;
}

/** Rounds without a better prediction after which the search ends. */
const PATIENCE = 20;

/** A round counts as better when it lowers the loss by this share: less is not worth a tree. */
const MIN_GAIN = 1e-4;

/** Finds the number of boosting rounds that predicts a validation set best (early stopping). */
class EarlyStopping {
  readonly #predictions: Float64Array;
  readonly #loss: () => number;
  readonly #maxRounds: number;
  #round = 0;
  #best: { round: number; loss: number; predictions: Float64Array };

  /**
   * @param predictions brought up to date by the caller, who boosts, before each `update`.
   * @param loss measures them: the less, the better.
   */
  constructor(predictions: Float64Array, loss: () => number, maxRounds: number) {
    this.#predictions = predictions;
    this.#loss = loss;
    this.#maxRounds = maxRounds;
    this.#best = { round: 0, loss: loss(), predictions: predictions.slice() };
  }

  get isOver(): boolean {
    return this.#round === this.#maxRounds || this.#round - this.#best.round > PATIENCE;
  }

  /** Measures the predictions after one more round; returns the number of rounds. */
  update(): number {
    this.#round++;
    const loss = this.#loss();
    if (loss < this.#best.loss * (1 - MIN_GAIN)) {
      this.#best.predictions.set(this.#predictions);
      this.#best = { ...this.#best, round: this.#round, loss };
    }
    return this.#round;
  }

  /** The best number of rounds. */
  get rounds(): number {
    return this.#best.round;
  }

  /** The predictions after that many. */
  get predictions(): Float64Array {
    return this.#best.predictions;
  }

  /** Returns a forest as it was after that many. */
  truncate({ base, trees }: Forest): Forest {
    return { base, trees: trees.slice(0, this.rounds) };
  }
}
