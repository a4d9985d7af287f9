import type { UnseenRows } from './folds.js';

/** As it was in nine public tables: 0.84 in the smallest, 0.92 to 1 in the others. */
const USUAL_RATIO = 0.975;
const USUAL_DEVIATION = 0.025;

/**
 * By what the errors that folds show are to be multiplied, for the forest that answers. That one
 * has learnt from all rows, where a fold's lacks one part in five, so that its errors are smaller
 * and intervals that are calibrated in folds would hold more than they say. How much smaller is
 * told by a forest that lacks one part in five of what a fold has: errors fall by about the same
 * share with every step (a power law, as learning curves are; Cortes et al. 1993). The fewer rows
 * have told it, the more what is usual counts.
 *
 * @param absoluteErrors of the folds' forests, by row.
 * @param predictedErrors by row: errors are compared in these, as intervals are calibrated.
 * @returns above 0, at most 1.
 */
export function errorShrinkage(
  { target, fromFewer }: UnseenRows,
  absoluteErrors: Float64Array,
  predictedErrors: Float64Array,
): number {
  if (fromFewer === null) return 1;
  const pairs = Array.from(fromFewer.rows, (row, index) => {
    const predicted = predictedErrors[row] ?? 1;
    const error = Math.abs((target[row] ?? 0) - (fromFewer.predictions[index] ?? 0));
    return { now: (absoluteErrors[row] ?? 0) / predicted, before: error / predicted };
  });
  const before = pairs.reduce((sum, pair) => sum + pair.before, 0);
  if (before === 0) return 1;
  const ratio = pairs.reduce((sum, pair) => sum + pair.now, 0) / before;
  const squares = pairs.reduce((sum, pair) => sum + (pair.now - ratio * pair.before) ** 2, 0);
  if (squares === 0) return Math.min(1, ratio);
  const certainty = before ** 2 / squares;
  const usual = 1 / USUAL_DEVIATION ** 2;
  return Math.min(1, (certainty * ratio + usual * USUAL_RATIO) / (certainty + usual));
}
