import { minRowsPerLeaf } from '../table/column-profile.js';
import { clamp, type TreeParams } from '../trees/params.js';

/** The time that a training may take: `fast` about half of `standard`, `best` up to ten times as long. */
export type Effort = 'fast' | 'standard' | 'best';

/** The settings of a boosting, of which the number of rounds is found by early stopping. */
export interface BoostingPlan {
  readonly tree: TreeParams;
  /** The share of its step that a tree takes (shrinkage, Friedman 2001), above 0, at most 1. */
  readonly learningRate: number;
  /** The most rounds. */
  readonly maxRounds: number;
  /** The number of rounds without a better prediction after which the search ends. */
  readonly patience: number;
  /** The most boostings of all rows whose mean the model is. */
  readonly maxForests: number;
  /** Whether trees are chosen by their results, of a few settings or of all: see `searchPlan`. */
  readonly search: 'none' | 'short' | 'whole';
}

/** A tree's sample in large tables: more rows take longer and gain nothing. */
const MAX_ROWS_PER_TREE = 100_000;

const SEED = 1;

interface EffortSettings {
  readonly maxLeaves: number;
  /** The fewest rows of a leaf; undefined for a number by the size of the table. */
  readonly minRowsPerLeaf: number | undefined;
  readonly rowShare: number;
  readonly featureShare: number;
  /** The learning rates of tables of fewer than `SMALL_ROWS` rows, of others in folds, and of larger ones. */
  readonly learningRates: readonly [small: number, middle: number, large: number];
  readonly maxForests: number;
}

/**
 * Small trees on samples of rows and features, with a low learning rate, predict better than larger trees on all of them
 * (Friedman 2002; Bühlmann & Hothorn 2007): see the decision on stochastic boosting for the figures.
 */
const SETTINGS: Readonly<Record<Effort, EffortSettings>> = {
  fast: {
    maxLeaves: 16,
    minRowsPerLeaf: 5,
    rowShare: 0.5,
    featureShare: 0.6,
    learningRates: [0.1, 0.1, 0.15],
    maxForests: 1,
  },
  standard: {
    maxLeaves: 16,
    minRowsPerLeaf: 5,
    rowShare: 0.8,
    featureShare: 0.6,
    learningRates: [0.05, 0.03, 0.05],
    maxForests: 4,
  },
  best: {
    maxLeaves: 16,
    minRowsPerLeaf: 5,
    rowShare: 0.8,
    featureShare: 0.6,
    learningRates: [0.03, 0.02, 0.03],
    maxForests: 8,
  },
};

/** The means of several forests of smaller tables gain what a lower learning rate would. */
const SMALL_ROWS = 2000;

/** The sum of the learning rates of all rounds of one forest is at most this. */
const MAX_RATE_SUM = 60;

/** The most trees of a model of classes: each adds to the time of an answer and of loading the model. */
const MAX_CLASS_TREES = 6000;
const MIN_CLASS_ROUNDS = 100;

/** A tree takes more of its step where there are fewer rounds. */
const LEAST_RATE_SUM = 20;
const MAX_CLASS_RATE = 0.2;

/** Smaller tables are not searched unless the effort asks for it: which settings do best there is mostly chance. */
const LEAST_ROWS = 300;

/** The sum of the learning rates of the rounds that may pass without a better prediction. */
const PATIENCE_SUM = 2;

/**
 * Returns how a table is learnt from.
 *
 * @param rowCount the number of rows.
 * @param forestCount the number of forests that are grown side by side.
 * @param isForFolds whether the table is small enough to be trained in folds.
 */
export function planBoosting(rowCount: number, forestCount: number, isForFolds: boolean, effort: Effort): BoostingPlan {
  const { rowShare, featureShare, maxLeaves, learningRates, maxForests, ...settings } = SETTINGS[effort];
  const tree = {
    maxLeaves,
    minRowsPerLeaf: settings.minRowsPerLeaf ?? minRowsPerLeaf(rowCount),
    rowsPerTree: MAX_ROWS_PER_TREE,
    rowShare,
    featureShare,
    seed: SEED,
  };
  const [small, middle, large] = learningRates;
  const usualRate = !isForFolds ? large : rowCount < SMALL_ROWS ? small : middle;
  const most = Math.max(MIN_CLASS_ROUNDS, Math.floor(MAX_CLASS_TREES / forestCount));
  const learningRate = clamp(LEAST_RATE_SUM / most, usualRate, MAX_CLASS_RATE);
  return {
    tree,
    learningRate,
    maxRounds: Math.min(Math.round(MAX_RATE_SUM / learningRate), forestCount === 1 ? Infinity : most),
    patience: Math.round(PATIENCE_SUM / learningRate),
    maxForests: isForFolds ? maxForests : 1,
    search:
      effort === 'best' ? 'whole' : effort === 'standard' && isForFolds && rowCount >= LEAST_ROWS ? 'short' : 'none',
  };
}

/** The most trees of a mean of forests, which are stored, loaded and scored; one forest may have more. */
const MAX_MEAN_TREES = { none: 1000, short: 1000, whole: 4000 };

/** The most trees of a mean for each row: a model is no larger than its table needs. */
const MEAN_TREES_PER_ROW = 2;

/**
 * Returns the number of boostings of all rows whose mean the model is.
 *
 * @param trees the number of trees of one boosting.
 */
export function countForests({ maxForests, search }: BoostingPlan, trees: number, rowCount: number): number {
  const most = Math.min(MAX_MEAN_TREES[search], MEAN_TREES_PER_ROW * rowCount);
  return clamp(Math.floor(most / Math.max(trees, 1)), 1, maxForests);
}
