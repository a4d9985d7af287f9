import { type BinnedFeatures, takeRows } from '../binning/dataset.js';
import { ForestScorer } from '../forest/forest-scorer.js';
import type { Forest } from '../forest/tree.js';
import { shuffledRange } from '../random.js';
import { pick } from '../statistics.js';
import type { Importance } from '../table/column-profile.js';
import type { FittedTarget, OutOfFold } from './folds.js';

/** So many rows tell what matters. */
const MAX_ROWS = 2000;

/** With many columns fewer rows must do, since all of them are scored anew for each column. */
const MAX_SCORED = 200_000;
const MIN_ROWS = 200;

/**
 * How much each column matters: by its share of the gains of the trees' splits, and by permutation
 * (Breiman 2001) on rows that the trees have not seen. All features of a column are shuffled as one.
 *
 * @param toUnits turns a length into units of the target.
 * @returns by column, for those that features are read from.
 */
export function weighColumns(
  { forest, gains, outOfFold }: FittedTarget,
  random: () => number,
  toUnits: (length: number) => number,
): Map<number, Importance> {
  const gainOf = sumGains(forest, gains, outOfFold.features.columnOf);
  const total = [...gainOf.values()].reduce((sum, gain) => sum + gain, 0);
  const damageOf = permute(outOfFold, [...gainOf.keys()], random);
  return new Map(
    [...gainOf].map(([column, gain]) => [
      column,
      { gain: total > 0 ? gain / total : 0, permutation: toUnits(damageOf.get(column) ?? 0) },
    ]),
  );
}

function sumGains(
  { trees }: Forest,
  gains: FittedTarget['gains'],
  columnOf: readonly number[],
): Map<number, number> {
  const gainOf = new Map(columnOf.map((column) => [column, 0]));
  for (const [tree, { splits }] of trees.entries()) {
    for (const [index, { feature }] of splits.entries()) {
      const column = columnOf[feature] ?? 0;
      gainOf.set(column, (gainOf.get(column) ?? 0) + (gains[tree]?.[index] ?? 0));
    }
  }
  return gainOf;
}

/** By column, how much the root mean squared error grows when its values are shuffled. */
function permute(
  { features, target, folds }: OutOfFold,
  columns: readonly number[],
  random: () => number,
): Map<number, number> {
  const affordable = Math.max(MIN_ROWS, Math.floor(MAX_SCORED / columns.length));
  const samples = folds.map(({ test, forest }) => {
    const most = Math.ceil(Math.min(MAX_ROWS, affordable) / folds.length);
    const drawn = shuffledRange(test.length, random).subarray(0, most);
    const some = drawn.map((index) => test[index] ?? 0);
    return {
      sample: takeRows(features, some),
      actual: pick(target, some),
      order: shuffledRange(some.length, random),
      base: forest.base,
      scorer: new ForestScorer(forest.trees),
    };
  });
  const error = (column?: number) => {
    let squares = 0;
    let count = 0;
    for (const { sample, actual, order, base, scorer } of samples) {
      const bins = column === undefined ? sample.bins : shuffled(sample, column, order);
      const sums = new Float64Array(actual.length).fill(base);
      scorer.addTo(sums, order, bins, actual.length);
      for (const [row, value] of actual.entries()) squares += (value - (sums[row] ?? 0)) ** 2;
      count += actual.length;
    }
    return Math.sqrt(squares / count);
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
