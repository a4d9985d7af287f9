import type { BinnedFeatures } from '../trees/binning/dataset.js';
import { expectedScore, ForestExplainer, hasCovers } from '../trees/explaining/explainer.js';
import { scorerMemory } from '../trees/forest/forest-scorer.js';
import { finish } from '../trees/steps.js';
import type { OutOfFold } from './folds.js';

/** A score of a held-out row: that of a row of which nothing is known, and what each column adds. */
export interface ExplainedScore {
  readonly base: number;
  readonly added: Float64Array;
}

/**
 * Explains scores of rows by the forests that gave them, which were not trained on these rows.
 *
 * @param players the number of columns.
 * @param playerOf the index of the column of each feature.
 * @param rows of the learner, each in the test set of a fold.
 * @param forestOf the forest whose score of a row is explained, by the place of the row in `rows`.
 */
export function explainOutOfFold(
  { learner, folds }: Pick<OutOfFold<unknown>, 'learner' | 'folds'>,
  players: number,
  playerOf: readonly number[],
  rows: readonly number[],
  forestOf: (place: number) => number,
): ExplainedScore[] {
  const bins = takeBins(learner.features, rows);
  const explained: ExplainedScore[] = rows.map(() => ({ base: 0, added: new Float64Array(players) }));
  const values = new Float64Array(rows.length * players);
  for (const { test, forests } of folds) {
    const tested = new Set(test);
    for (const [index, forest] of forests.entries()) {
      const places = [...rows.keys()].filter((place) => tested.has(rows[place] ?? -1) && forestOf(place) === index);
      if (places.length === 0 || !hasCovers(forest.trees)) continue;
      // Without tables, which would take longer to lay out.
      const explainer = finish(ForestExplainer.create(forest.trees, playerOf, scorerMemory(), 0));
      explainer.addTo(values, players, Uint32Array.from(places), bins, rows.length);
      const base = expectedScore(forest);
      for (const place of places) {
        explained[place] = { base, added: values.slice(place * players, (place + 1) * players) };
      }
    }
  }
  return explained;
}

/** Returns the bins of some rows, feature by feature. */
function takeBins({ bins, rowCount }: BinnedFeatures, rows: readonly number[]): Uint8Array {
  const taken = new Uint8Array((bins.length / rowCount) * rows.length);
  for (let at = 0; at < taken.length; at++) {
    const feature = Math.floor(at / rows.length);
    taken[at] = bins[feature * rowCount + (rows[at % rows.length] ?? 0)] ?? 0;
  }
  return taken;
}
