import type { Forest } from '../trees/forest/tree.js';
import { predictedError } from './conformal.js';
import { average } from './statistics.js';

/** Shares are compared in tenths. */
const STEPS = 10;

/** The trust in a forest of errors: its sums are drawn towards their mean. */
export interface ErrorSpread {
  /** The share of the differences between rows that is kept, 0 to 1. With 0, all rows have the same predicted error. */
  readonly share: number;
  /** The mean of the sums, in the units of the error. */
  readonly mean: number;
}

/**
 * Chooses how much of the differences between predicted errors to keep. A forest that learnt the size of errors from
 * few rows has learnt chance as well: the errors that it predicts differ more between rows than the errors do, so that
 * the narrowest intervals hold too few values and the widest too many.
 *
 * The share is that under which the errors are likeliest, if each has a Laplace distribution whose scale is its
 * predicted error times a common factor. Unlike squared differences, this weighs a small predicted error that
 * is wrong as much as a large one. The smallest of equal shares wins, so that noise gets intervals of one width.
 *
 * @param sums of the forest, for rows that it was not trained on.
 * @param errors of the same rows: at least 0, in one unit with the sums.
 */
export function chooseSpread(sums: Float64Array, errors: Float64Array, errorFloor: number): ErrorSpread {
  const mean = average(sums);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let step = 0; step <= STEPS; step++) {
    const share = step / STEPS;
    let ratios = 0;
    let logs = 0;
    for (const [row, sum] of sums.entries()) {
      const predicted = predictedError(spreadSum(sum, { share, mean }), errorFloor);
      ratios += (errors[row] ?? 0) / predicted;
      logs += Math.log(predicted);
    }
    // The negative log-likelihood of a row, with the likeliest factor, less a constant.
    const loss = Math.log(ratios / sums.length) + logs / sums.length;
    if (loss >= least) continue;
    best = share;
    least = loss;
  }
  return { share: best, mean };
}

/** Returns the sum of a row in a forest of `spreadForest`. */
export function spreadSum(sum: number, { share, mean }: ErrorSpread): number {
  return mean + share * (sum - mean);
}

/** Returns a forest whose sums are those of the given one, drawn towards their mean. */
export function spreadForest({ base, trees }: Forest, spread: ErrorSpread): Forest {
  if (spread.share === 1) return { base, trees };
  return {
    base: spreadSum(base, spread),
    trees: spread.share === 0 ? [] : trees.map((tree) => scaleLeaves(tree, spread.share)),
  };
}

function scaleLeaves(tree: Forest['trees'][number], factor: number): Forest['trees'][number] {
  return { ...tree, leaves: tree.leaves.map((leaf) => factor * leaf) };
}
