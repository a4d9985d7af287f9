import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import type { Booster } from '../trees/boosting/booster.js';
import { Learner } from '../trees/boosting/learner.js';
import { emptyScores, type Forest, viewScores } from '../trees/forest/tree.js';
import { valueTreeParams } from '../trees/params.js';
import { everyRow, type Fitted, isForFolds, type Objective, splitFolds } from './folds.js';
import type { Progress } from './progress.js';

const VALIDATION_SHARE = 0.1;
const TEST_SHARE = 0.18;

/** The most rows of either set: more rows are worth more for training. */
const MAX_IN_PART = 25_000;

/**
 * Trains the forests of a model: in folds or, on a large table, with a hold-out.
 *
 * @param order all rows, in random order.
 */
export function fitForests<O extends Objective<O>>(
  features: BinnedFeatures,
  objective: O,
  order: Uint32Array,
  progress: Progress,
): Fitted<O> {
  const fit = isForFolds(features, objective.forestCount) ? crossValidate : trainWithHoldOut;
  return fit(features, objective, order, progress);
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
  order: Uint32Array,
  progress: Progress,
): Fitted<O> {
  const learner = new Learner(features);
  const params = valueTreeParams(order.length);
  const folds = splitFolds(order).map((fold) => ({
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
    },
  };
}

/**
 * Trains forests on most rows of a large table. A tenth of the rows, the validation set, decides the number of
 * rounds, and is what error models are trained on; a test set calibrates the predictions and measures the model.
 * One training where folds take six.
 */
function trainWithHoldOut<O extends Objective<O>>(
  features: BinnedFeatures,
  objective: O,
  order: Uint32Array,
  progress: Progress,
): Fitted<O> {
  const validated = countPart(order.length, VALIDATION_SHARE);
  const heldOut = validated + countPart(order.length, TEST_SHARE);
  const rows = order.slice(0, heldOut);
  const held = objective.take(rows);
  const all = everyRow(heldOut);
  const validation = all.subarray(0, validated);
  const test = all.subarray(validated);
  const train = order.slice(heldOut).sort();
  const params = valueTreeParams(train.length);
  const booster = new Learner(features).booster(train, params, objective.createLoss);
  const learner = new Learner(takeRows(features, rows));
  const parts = [{ test: validation, booster }];
  const stopping = boostToBest(learner, held, validation, parts, progress.openStage(0.75));
  const forests = booster.forests.map((forest) => stopping.truncate(forest));
  return {
    forests,
    gains: booster.gains.map((ofForest) => ofForest.slice(0, stopping.rounds)),
    outOfFold: {
      learner,
      objective: held,
      scores: learner.score(forests, all),
      folds: [{ train: validation, test, forests }],
      testRows: test,
    },
  };
}

function countPart(rowCount: number, share: number): number {
  return Math.min(Math.round(share * rowCount), MAX_IN_PART);
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
