import { maskBin } from '../model/model.js';
import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import { Learner } from '../trees/boosting/learner.js';
import type { Forest } from '../trees/forest/tree.js';
import type { TreeParams } from '../trees/params.js';
import { everyRow, type FittedForests, fitOutOfFold, type Objective, type OutOfFold, scoreOutOfFold } from './folds.js';

/** The least share of rows: trees have not learnt to judge what fewer rows have. */
const MIN_SHARE = 0.01;

/** Many patterns of gaps need rows to train on: each row of a small table is copied. */
const COPIED_ROWS = 20_000;
const MAX_COPIES = 3;

/**
 * For each feature, which of the bins that stand for no particular value are unseen: the one
 * for missing values, and that of a category for all the others.
 *
 * @param minRowsPerLeaf the fewest rows of a leaf: fewer cannot be distinguished, whatever their share.
 */
export function findUnseenBins(
  { bins, binCounts, isCategory, rowCount }: BinnedFeatures,
  minRowsPerLeaf: number,
): number[][] {
  const fewest = Math.max(MIN_SHARE * rowCount, minRowsPerLeaf);
  return binCounts.map((binCount, feature) => {
    const column = bins.subarray(feature * rowCount, (feature + 1) * rowCount);
    const candidates = isCategory[feature] ? [MISSING_BIN, binCount - 1] : [MISSING_BIN];
    return candidates.filter((bin) => countIn(column, bin) < fewest);
  });
}

function countIn(column: Uint8Array, bin: number): number {
  let count = 0;
  for (const value of column) if (value === bin) count++;
  return count;
}

/**
 * Returns copies of the out-of-fold rows in which values are masked at random. A confidence holds for rows that
 * are masked like these. Each copy is in the sets that the row is in; only the first copies calibrate: the others
 * add no evidence.
 *
 * @param unseenBins by feature; at least one has some.
 */
export function maskOutOfFold<O extends Objective<O>>(
  { learner: { features }, objective, folds, testRows, ...outOfFold }: OutOfFold<O>,
  unseenBins: readonly (readonly number[])[],
  random: () => number,
): OutOfFold<O> {
  const { rowCount } = features;
  const times = Math.min(Math.max(Math.floor(COPIED_ROWS / rowCount), 1), MAX_COPIES);
  const repeat = (rows: Uint32Array) =>
    Uint32Array.from(
      { length: times * rows.length },
      (_, index) => rowCount * Math.floor(index / rows.length) + (rows[index % rows.length] ?? 0),
    );
  const origins = repeat(everyRow(rowCount)).map((row) => row % rowCount);
  const learner = new Learner(maskRows(takeRows(features, origins), unseenBins, random));
  const copied = folds.map(({ train, test, forests }) => {
    return { train: repeat(train), test: repeat(test), forests };
  });
  const scores = scoreOutOfFold(learner, copied);
  return { ...outOfFold, learner, objective: objective.take(origins), scores, folds: copied, testRows };
}

/**
 * Boosts on from the scores that forests give masked rows. Where a forest sends values that it never met is chance,
 * so the forests of each fold have their own correction.
 *
 * @param paramsOf by the number of rows.
 */
export function correctForests<O extends Objective<O>>(
  masked: OutOfFold<O>,
  model: readonly Forest[],
  rounds: number,
  paramsOf: (rowCount: number) => TreeParams,
  onRound: (done: number) => void,
): FittedForests {
  const { learner, objective } = masked;
  let done = 0;
  return fitOutOfFold(masked, model, (forests, rows) => {
    const createLoss = objective.createCorrection(learner.score(forests, rows));
    const booster = learner.booster(rows, paramsOf(rows.length), createLoss);
    return booster.addRounds(rounds, () => onRound(++done));
  });
}

/**
 * A copy of the table in which every row is partial: one column that has unseen bins is masked
 * in it, and besides none to all of the columns, few more often than many, as it is with clients.
 *
 * @param unseenBins by feature; at least one has some.
 */
function maskRows(
  features: BinnedFeatures,
  unseenBins: readonly (readonly number[])[],
  random: () => number,
): BinnedFeatures {
  const { rowCount } = features;
  const bins = features.bins.slice();
  const columns = featuresByColumn(features.columnOf);
  const order = Uint32Array.from(columns, (_, index) => index);
  const unseen = order.filter((index) => columns[index]?.some((feature) => unseenBins[feature]?.length));
  const masks = unseenBins.map(maskBin);
  const mask = (index: number, row: number) => {
    for (const feature of columns[index] ?? []) {
      bins[feature * rowCount + row] = masks[feature] ?? MISSING_BIN;
    }
  };
  for (let row = 0; row < rowCount; row++) {
    mask(unseen[Math.floor(random() * unseen.length)] ?? 0, row);
    const count = Math.floor(random() ** 2 * (order.length + 1));
    for (let drawn = 0; drawn < count; drawn++) mask(drawFrom(order, drawn, random), row);
  }
  return { ...features, bins };
}

/** The features of each column together: they are there or missing as one. */
function featuresByColumn(columnOf: readonly number[]): number[][] {
  const columns = new Map<number, number[]>();
  for (const [feature, column] of columnOf.entries()) {
    columns.set(column, [...(columns.get(column) ?? []), feature]);
  }
  return [...columns.values()];
}

/** Moves one of the numbers from `first` on to that place (a step of Fisher–Yates). */
function drawFrom(order: Uint32Array, first: number, random: () => number): number {
  const at = first + Math.floor(random() * (order.length - first));
  const drawn = order[at] ?? 0;
  order[at] = order[first] ?? 0;
  order[first] = drawn;
  return drawn;
}
