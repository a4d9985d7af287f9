import { type BinnedFeatures, takeRows } from '../binning/dataset.js';
import type { Forest } from '../forest/tree.js';
import { pick } from '../statistics.js';

/** What was learnt of the target, and what it says of rows that it was not learnt from. */
export interface LearntValues {
  /** Answers for the model. */
  forest: Forest;
  /** For each tree, and each of its splits, by how much it lowered the squared error. */
  gains: readonly (readonly number[])[];
  unseen: UnseenRows;
}

/** Rows of which each was kept from some forest, as a table of their own. */
export interface UnseenRows {
  features: BinnedFeatures;
  /** In standard units, by row. */
  target: Float64Array;
  /** By row, what a forest says that has not learnt from it. */
  predictions: Float64Array;
  trials: readonly Trial[];
  /** The rows that intervals and metrics are counted on, in random order; some trial judges each. */
  judged: Uint32Array;
  /**
   * What a forest says of some judged rows that learnt from fewer than the trials' do, by as much
   * as these learnt from fewer than the one that answers; null if that is one of theirs.
   */
  fromFewer: { rows: Uint32Array; predictions: Float64Array } | null;
}

/**
 * A way to learn from some rows and to be judged by others; both ascending. A single trial parts
 * the rows for good. Of several, each judges rows that the others learn from, so that the last
 * word may be learnt from all.
 */
export interface Trial {
  learnt: Uint32Array;
  judged: Uint32Array;
  /** Predicts the target; has not learnt from the judged rows, and if it is the only trial, from none here. */
  forest: Forest;
}

/** The rows, ascending, from which the last word is learnt. */
export function rowsToLearn({ trials, features }: UnseenRows): Uint32Array {
  const [only] = trials;
  return only !== undefined && trials.length === 1 ? only.learnt : everyRow(features.rowCount);
}

/** The numbers of all rows. */
export function everyRow(count: number): Uint32Array {
  return new Uint32Array(count).map((_, row) => row);
}

/**
 * Every row so many times, each copy learnt from and judged where the row is. Intervals are
 * calibrated on the first copies alone: more would vouch for no more than the rows do.
 */
export function repeatRows(unseen: UnseenRows, times: number): UnseenRows {
  const { rowCount } = unseen.features;
  const repeat = (rows: Uint32Array) =>
    Uint32Array.from(
      { length: times * rows.length },
      (_, index) => rowCount * Math.floor(index / rows.length) + (rows[index % rows.length] ?? 0),
    );
  const origins = repeat(everyRow(rowCount)).map((row) => row % rowCount);
  return {
    features: takeRows(unseen.features, origins),
    target: pick(unseen.target, origins),
    predictions: pick(unseen.predictions, origins),
    trials: unseen.trials.map(({ learnt, judged, forest }) => ({
      learnt: repeat(learnt),
      judged: repeat(judged),
      forest,
    })),
    judged: unseen.judged,
    fromFewer: null,
  };
}
