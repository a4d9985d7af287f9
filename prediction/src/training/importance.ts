import type { Importance } from '../table/column-profile.js';
import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import { ForestScorers, scorerMemory } from '../trees/forest/forest-scorer.js';
import { emptyScores, type Scores } from '../trees/forest/tree.js';
import { shuffledRange } from '../trees/random.js';
import { finish } from '../trees/steps.js';
import type { Fitted } from './folds.js';

/** So many rows tell what matters. */
const MAX_ROWS = 2000;

/** With many columns fewer rows must do, since all of them are scored anew for each column. */
const MAX_SCORED = 200_000;
const MIN_ROWS = 200;

/** Sums up the losses of some rows: the scores of a row are at its index in `rows`. */
type Judge = (scores: Scores, rows: Uint32Array) => number;

/**
 * The importance of each column: its share of the gains of the trees' splits, and by permutation
 * (Breiman 2001) on rows that the trees have not seen. All features of a column are shuffled as one.
 *
 * @param toUnits turns a mean loss into the unit of the report.
 * @returns by column, for those that features are read from.
 */
export function weighColumns(
  fitted: Fitted<unknown>,
  judge: Judge,
  random: () => number,
  toUnits: (loss: number) => number,
): Map<number, Importance> {
  const gainOf = sumGains(fitted);
  const total = [...gainOf.values()].reduce((sum, gain) => sum + gain, 0);
  const damageOf = permute(fitted, [...gainOf.keys()], judge, random, toUnits);
  return new Map(
    [...gainOf].map(([column, gain]) => [
      column,
      { gain: total > 0 ? gain / total : 0, permutation: damageOf.get(column) ?? 0 },
    ]),
  );
}

function sumGains({ forests, gains, outOfFold }: Fitted<unknown>): Map<number, number> {
  const { columnOf } = outOfFold.learner.features;
  const gainOf = new Map(columnOf.map((column) => [column, 0]));
  for (const [forest, { trees }] of forests.entries()) {
    for (const [tree, { splits }] of trees.entries()) {
      for (const [index, { feature }] of splits.entries()) {
        const column = columnOf[feature] ?? 0;
        const gain = gains[forest]?.[tree]?.[index] ?? 0;
        gainOf.set(column, (gainOf.get(column) ?? 0) + gain);
      }
    }
  }
  return gainOf;
}

/** By column, how much the loss grows when its values are shuffled. */
function permute(
  { forests, outOfFold: { learner, folds } }: Fitted<unknown>,
  columns: readonly number[],
  judge: Judge,
  random: () => number,
  toUnits: (loss: number) => number,
): Map<number, number> {
  const affordable = Math.max(MIN_ROWS, Math.floor(MAX_SCORED / columns.length / forests.length));
  const memory = scorerMemory();
  const samples = folds.map(({ test, forests: ofFold }) => {
    const most = Math.ceil(Math.min(MAX_ROWS, affordable) / folds.length);
    const drawn = shuffledRange(test.length, random).subarray(0, most);
    const some = drawn.map((index) => test[index] ?? 0);
    const order = shuffledRange(some.length, random);
    const scorers = finish(ForestScorers.create(ofFold, memory));
    const scores = emptyScores(ofFold.length, some.length);
    const lossOf = (bins: Uint8Array) => {
      scorers.write(scores.values, bins, some.length);
      return judge(scores, some);
    };
    return { sample: takeRows(learner.features, some), order, lossOf };
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
function shuffled({ bins, columnOf, rowCount }: BinnedFeatures, column: number, order: Uint32Array): Uint8Array {
  const changed = bins.slice();
  for (const [feature, owner] of columnOf.entries()) {
    if (owner !== column) continue;
    const begin = feature * rowCount;
    for (const [row, other] of order.entries()) changed[begin + row] = bins[begin + other] ?? 0;
  }
  return changed;
}
