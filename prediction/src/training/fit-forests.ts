import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import { Learner } from '../trees/boosting/learner.js';
import { boostToBest } from './boost-to-best.js';
import { type BoostingPlan, planBoosting } from './boosting-plan.js';
import type { TrainingEffort } from './effort.js';
import { everyRow, type Fitted, type FoldableSplit, isForFolds, type Objective, splitFolds } from './folds.js';
import { fitMean } from './mean-of-forests.js';
import type { Progress } from './progress.js';
import { holdOut, type RowSplit, thinOut } from './row-split.js';
import { searchPlan } from './search-plan.js';

/** Trains the forests of a model: in folds or, if the table is large or the last rows measure the model, with a hold-out. */
export function fitForests<O extends Objective<O>>(
  features: BinnedFeatures,
  objective: O,
  split: RowSplit,
  effort: TrainingEffort,
  progress: Progress,
): Fitted<O> {
  return split.method !== 'last' && isForFolds(features, objective.forestCount)
    ? crossValidate(features, objective, split, effort, progress)
    : trainWithHoldOut(features, objective, split, effort, progress);
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
  { effort, isLate }: TrainingEffort,
  progress: Progress,
): Fitted<O> {
  const { order, method } = split;
  const learner = new Learner(features);
  const sets = splitFolds(split);
  const planned = planBoosting(order.length, objective.forestCount, true, effort);
  const shares = SHARES[planned.search];
  const isLarge = objective.forestCount * order.length > MAX_ROWS_OF_ALL_FOLDS;
  const tried = planned.search === 'short' && isLarge ? sets.slice(0, FEW_FOLDS) : sets;
  const isLateToSearch = () => isLate('search');
  const plan = searchPlan(learner, objective, tried, planned, isLateToSearch, progress.stage(shares.search, 1));
  const folds = sets.map((fold) => ({ ...fold, booster: begin(learner, objective, fold.train, plan) }));
  const limits = { ...plan, isLate: () => isLate('rounds') };
  const stopping = boostToBest(learner, objective, order, folds, limits, openRounds(progress, shares.folds, plan));
  const { rounds } = stopping;
  const isOver = () => isLate('forests');
  const { forests, gains } = fitMean(learner, objective, everyRow(order.length), plan, rounds, isOver, (count) =>
    progress.stage(shares.model, count * rounds),
  );
  return {
    forests,
    gains,
    outOfFold: {
      learner,
      objective,
      scores: { values: stopping.predictions, stride: order.length },
      folds: folds.map(({ train, test, booster }) => ({
        train,
        test,
        forests: booster.forests.map((forest) => stopping.truncate(forest)),
      })),
      testRows: order,
      method,
      isOfModel: false,
    },
    plan,
    rounds,
    testedRows: order,
  };
}

/** The shares of a training in folds that its parts take, by the search. */
const SHARES = {
  none: { search: 0, folds: 0.6, model: 0.15 },
  short: { search: 0.3, folds: 0.35, model: 0.1 },
  whole: { search: 0.3, folds: 0.25, model: 0.2 },
};

/** A short search takes fewer folds of larger tables, and of many classes: so many rows × forests. */
const MAX_ROWS_OF_ALL_FOLDS = 5000;
const FEW_FOLDS = 2;

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
  { effort, isLate }: TrainingEffort,
  progress: Progress,
): Fitted<O> {
  const { method } = split;
  const isOfModel = method === 'random';
  const parts = holdOut(split);
  const planned = planBoosting(features.rowCount, objective.forestCount, false, effort);
  const isSearched = planned.search !== 'none';
  const plan = isSearched
    ? searchOnSample(features, objective, parts, planned, () => isLate('search'), progress.stage(0.25, 1))
    : planned;
  const rows = new Uint32Array(parts.validation.length + parts.test.length);
  rows.set(parts.validation);
  rows.set(parts.test, parts.validation.length);
  const held = objective.take(rows);
  const all = everyRow(rows.length);
  const validation = all.subarray(0, parts.validation.length);
  const test = all.subarray(parts.validation.length);
  const whole = new Learner(features);
  const booster = begin(whole, objective, parts.train, plan);
  const learner = new Learner(takeRows(features, rows));
  const tested = [{ test: validation, booster }];
  const share = (isOfModel ? 0.75 : 0.5) - (isSearched ? 0.25 : 0);
  const limits = { ...plan, isLate: () => isLate('rounds') };
  const stopping = boostToBest(learner, held, validation, tested, limits, openRounds(progress, share, plan));
  const { rounds } = stopping;
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
  const found = { outOfFold, plan, rounds, testedRows: parts.test };
  if (isOfModel) {
    const gains = booster.gains.map((ofForest) => ofForest.slice(0, rounds));
    return { ...found, forests, gains };
  }
  const isOver = () => isLate('forests');
  const own = fitMean(whole, objective, everyRow(features.rowCount), plan, rounds, isOver, (count) =>
    progress.stage(0.25, count * rounds),
  );
  return { ...found, ...own };
}

/** Begins a stage of rounds, whose number is the larger the lower the learning rate is. */
function openRounds(progress: Progress, share: number, { learningRate }: BoostingPlan): (done: number) => void {
  return progress.openStage(share, USUAL_RATE_SUM / learningRate);
}

/** The usual sum of the learning rates of all rounds. */
const USUAL_RATE_SUM = 10;

function begin<O extends Objective<O>>(learner: Learner, objective: O, rows: Uint32Array, plan: BoostingPlan) {
  return learner.booster(rows, plan.tree, objective.createLoss(plan.learningRate));
}

/** The most rows that plans are searched with: those that are best for so many are good for more. */
const MAX_SEARCHED_ROWS = 40_000;

/** Searches a plan with some of the rows of a large table. */
function searchOnSample<O extends Objective<O>>(
  features: BinnedFeatures,
  objective: O,
  { train, validation }: { readonly train: Uint32Array; readonly validation: Uint32Array },
  plan: BoostingPlan,
  isLate: () => boolean,
  onShare: (done: number) => void,
): BoostingPlan {
  const [learnt, tested] = [thinOut(train, MAX_SEARCHED_ROWS), thinOut(validation, MAX_SEARCHED_ROWS / 4)];
  const rows = new Uint32Array(learnt.length + tested.length);
  rows.set(learnt);
  rows.set(tested, learnt.length);
  const all = everyRow(rows.length);
  const set = { train: all.subarray(0, learnt.length), test: all.subarray(learnt.length) };
  return searchPlan(new Learner(takeRows(features, rows)), objective.take(rows), [set], plan, isLate, onShare);
}
