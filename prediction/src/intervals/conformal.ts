/**
 * The ratio of errors to their predicted size, as counted on rows that the model has not
 * seen. Kept apart by the predicted size of the error, so that a level holds among easy rows and
 * hard rows alike (Mondrian conformal regressors, Boström & Johansson 2020).
 */
export interface Calibration {
  /**
   * Group g holds the rows whose predicted error is above bound g − 1 and up to bound g; the last
   * group has no upper bound.
   */
  upper_bounds: number[];
  /** The scores |error| ÷ predicted error of each group, ascending; no group is empty. */
  scores: number[][];
}

/** Levels are told in hundredths. */
const LEVELS = 99;
export const LOWEST_LEVEL = 0.01;
export const HIGHEST_LEVEL = 0.99;

const MAX_GROUPS = 10;
/** A group of 150 can promise 0.99, and its 0.9 is true to within some 2 %. */
const GROUP_ROWS = 150;

/**
 * Sorts held-out rows into groups of predicted error.
 *
 * @param predictedErrors positive, one a row.
 * @param absoluteErrors |target − prediction| of the same rows.
 */
export function calibrate(
  predictedErrors: Float64Array,
  absoluteErrors: Float64Array,
): Calibration {
  const groupCount = Math.min(
    MAX_GROUPS,
    Math.max(1, Math.floor(predictedErrors.length / GROUP_ROWS)),
  );
  const upper_bounds = chooseBounds(predictedErrors, groupCount);
  const scores: number[][] = Array.from({ length: upper_bounds.length + 1 }, () => []);
  for (const [row, predicted] of predictedErrors.entries()) {
    scores[groupOf(upper_bounds, predicted)]?.push((absoluteErrors[row] ?? 0) / predicted);
  }
  for (const group of scores) group.sort((a, b) => a - b);
  return { upper_bounds, scores };
}

/** Quantiles of the predicted error. Equal values stay together, and no group is much smaller. */
function chooseBounds(predictedErrors: Float64Array, groupCount: number): number[] {
  const sorted = predictedErrors.toSorted();
  const size = sorted.length / groupCount;
  const bounds: number[] = [];
  let begin = 0;
  for (const [index, value] of sorted.entries()) {
    const end = index + 1;
    const isFull = end >= (bounds.length + 1) * size && end - begin >= size / 2;
    const leavesEnough = sorted.length - end >= size / 2;
    if (!isFull || !leavesEnough || sorted[end] === value) continue;
    bounds.push(value);
    begin = end;
  }
  return bounds;
}

export function groupOf(upperBounds: readonly number[], predictedError: number): number {
  let group = 0;
  for (const bound of upperBounds) {
    if (predictedError <= bound) break;
    group++;
  }
  return group;
}

/** Half of the widest interval that an answer of its own accord gives: one standard deviation. */
export function widestReach(deviation: number): number {
  return deviation / 2;
}

/** Half the width of an interval, in predicted errors, and the level that it keeps. */
export interface Width {
  level: number;
  score: number;
}

/**
 * The width for a level in one group: the k-th smallest of its n scores, k = ⌈(n + 1) × level⌉
 * (split-conformal prediction: Papadopoulos et al. 2002; normalised: Lei et al. 2018). Few scores
 * cannot vouch for a high level: then it is the highest hundredth that they can. Where scores are equal, the
 * level is that of the last of them.
 */
export function widthAt(scores: readonly number[], level: number): Width {
  const count = scores.length;
  const highest = Math.floor((100 * count) / (count + 1)) / 100;
  const kept = Math.min(level, highest);
  // Guards k against the rounding of (n + 1) × level, as in 100 × 0.07 = 7.000000000000001.
  const rank = Math.max(Math.ceil((count + 1) * kept - 1e-9), 1);
  const score = scores[rank - 1] ?? 0;
  // Answers that are rounded hold many truths without any reach: such a width keeps more than was asked for.
  let last = rank;
  while (last < count && scores[last] === score) last++;
  const reached = last > rank ? Math.floor((100 * last) / (count + 1)) / 100 : kept;
  return { level: Math.max(kept, reached), score };
}

/** The widths of a group at 0.01, 0.02 … 0.99, as far as it can vouch for them. */
export function allWidths(scores: readonly number[]): Width[] {
  const widths = Array.from({ length: LEVELS }, (_, index) => widthAt(scores, (index + 1) / 100));
  return widths.filter(({ level }, index) => level >= (index + 1) / 100);
}

/** The width with the highest level whose score is at most `most`; the narrowest if none is. */
export function highestWithin(widths: readonly Width[], most: number): Width {
  let low = 0;
  let high = widths.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((widths[middle]?.score ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return widths[Math.max(low, 1) - 1] ?? { level: LOWEST_LEVEL, score: 0 };
}
