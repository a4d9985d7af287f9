import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import type { Forest } from '../trees/forest/tree.js';
import { shuffledRange } from '../trees/random.js';
import type { Importance } from '../table/column-profile.js';

/** So many rows tell what matters. */
const MAX_ROWS = 2000;

/** With many columns fewer rows must do, since all of them are scored anew for each column. */
const MAX_SCORED = 200_000;
const MIN_ROWS = 200;

/** Trees of one forest, and for each tree and each of its splits by how much it lowered the squared residuals. */
export interface GrownForest {
  trees: Forest['trees'];
  gains: readonly (readonly number[])[];
}

/** Rows that forests were not trained on, and how these do on them. */
export interface JudgedFold {
  test: Uint32Array;
  /**
   * Makes ready to measure some of the test rows: what is returned sums up the losses of their predictions.
   *
   * @param rows of the test set.
   */
  judge: (rows: Uint32Array) => (bins: Uint8Array) => number;
}

/**
 * The importance of each column: its share of the gains of the trees' splits, and by permutation
 * (Breiman 2001) on rows that the trees have not seen. All features of a column are shuffled as one.
 *
 * @param toUnits turns a mean loss into what is told.
 * @returns by column, for those that features are read from.
 */
export function weighColumns(
  features: BinnedFeatures,
  forests: readonly GrownForest[],
  folds: readonly JudgedFold[],
  random: () => number,
  toUnits: (loss: number) => number,
): Map<number, Importance> {
  const gainOf = sumGains(forests, features.columnOf);
  const total = [...gainOf.values()].reduce((sum, gain) => sum + gain, 0);
  const damageOf = permute(features, folds, [...gainOf.keys()], forests.length, random, toUnits);
  return new Map(
    [...gainOf].map(([column, gain]) => [
      column,
      { gain: total > 0 ? gain / total : 0, permutation: damageOf.get(column) ?? 0 },
    ]),
  );
}

function sumGains(
  forests: readonly GrownForest[],
  columnOf: readonly number[],
): Map<number, number> {
  const gainOf = new Map(columnOf.map((column) => [column, 0]));
  for (const { trees, gains } of forests) {
    for (const [tree, { splits }] of trees.entries()) {
      for (const [index, { feature }] of splits.entries()) {
        const column = columnOf[feature] ?? 0;
        gainOf.set(column, (gainOf.get(column) ?? 0) + (gains[tree]?.[index] ?? 0));
      }
    }
  }
  return gainOf;
}

/** By column, how much the loss grows when its values are shuffled. */
function permute(
  features: BinnedFeatures,
  folds: readonly JudgedFold[],
  columns: readonly number[],
  forestCount: number,
  random: () => number,
  toUnits: (loss: number) => number,
): Map<number, number> {
  const affordable = Math.max(MIN_ROWS, Math.floor(MAX_SCORED / columns.length / forestCount));
  const samples = folds.map(({ test, judge }) => {
    const most = Math.ceil(Math.min(MAX_ROWS, affordable) / folds.length);
    const drawn = shuffledRange(test.length, random).subarray(0, most);
    const some = drawn.map((index) => test[index] ?? 0);
    const order = shuffledRange(some.length, random);
    return { sample: takeRows(features, some), order, lossOf: judge(some) };
  });
  const error = (column?: number) => {
    let losses = 0;
    let count = 0;
    for (const { sample, order, lossOf } of samples) {
      losses += lossOf(column === undefined ? sample.bins : shuffled(sample, column, order));
      count += sample.rowCount;
    }
    return toUnits(losses / count);
  };
  const before = error();
  return new Map(columns.map((column) => [column, error(column) - before]));
}

/** The bins of a table in which the features of one column come from other rows. */
function shuffled(
  { bins, columnOf, rowCount }: BinnedFeatures,
  column: number,
  order: Uint32Array,
): Uint8Array {
  const changed = bins.slice();
  for (const [feature, owner] of columnOf.entries()) {
    if (owner !== column) continue;
    const begin = feature * rowCount;
    for (const [row, other] of order.entries()) changed[begin + row] = bins[begin + other] ?? 0;
  }
  return changed;
}
