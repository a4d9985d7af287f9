import {
  type FeatureBins,
  type NodeTotals,
  type SplitCandidate,
  squaresExplained,
} from './split-candidate.js';

/** Up to this many categories, one against the rest is tried, and no larger sets. */
const MOST_ONE_HOT = 4;

/** The most categories that are moved to the left. */
const LONGEST_LEFT = 32;

/** Rows of mean zero that steady the order and the fit of small categories. */
const SMOOTHING = 10;

/**
 * The best set of categories to go left, if it gains more than `leastGain`. In the order of their
 * mean residuals, only the beginnings and the ends of the sequence need be tried (Fisher 1958, as
 * in LightGBM, Ke et al. 2017). Missing values are a category of their own; categories that the
 * node lacks go right, with the rest.
 */
export function findCategorySplit(
  bins: FeatureBins,
  node: NodeTotals,
  leafRows: number,
  leastGain: number,
): SplitCandidate | undefined {
  // A category with fewer rows cannot be judged: it stays right.
  const order = sortByMean(bins, leafRows / 2);
  let best: LeftSet | undefined;
  const tryOrder = (sets: readonly number[], longest: number, rule: SetRule) => {
    best = bestBeginning(bins, node, sets, longest, rule, best?.gain ?? leastGain) ?? best;
  };
  if (bins.count - 2 <= MOST_ONE_HOT) {
    const rule = { leafRows, stepRows: leafRows, smoothing: 0 };
    for (const bin of order) tryOrder([bin], 1, rule);
  } else {
    const rule = { leafRows, stepRows: 5 * leafRows, smoothing: SMOOTHING };
    const longest = Math.min(LONGEST_LEFT, (order.length + 1) >> 1);
    tryOrder(order, longest, rule);
    tryOrder(order.toReversed(), longest, rule);
  }
  return best && { gain: best.gain, left: best.left, leftBins: toRanges(best.bins) };
}

/** The bins that have rows enough, by ascending mean residual. */
function sortByMean({ histogram, first, count }: FeatureBins, fewestRows: number): number[] {
  const means: number[] = [];
  const order: number[] = [];
  for (let bin = 0; bin < count; bin++) {
    const at = 2 * (first + bin);
    const rows = histogram[at + 1] ?? 0;
    means.push((histogram[at] ?? 0) / (rows + SMOOTHING));
    if (rows > 0 && rows >= fewestRows) order.push(bin);
  }
  return order.sort((a, b) => (means[a] ?? 0) - (means[b] ?? 0));
}

interface SetRule {
  leafRows: number;
  /** The rows on the right, and those added between two tries, are at least so many. */
  stepRows: number;
  smoothing: number;
}

interface LeftSet {
  gain: number;
  bins: readonly number[];
  left: NodeTotals;
}

/** The best of the sets that hold the first bins of an order, up to `longest` of them. */
function bestBeginning(
  { histogram, first }: FeatureBins,
  { residualSum, rowCount }: NodeTotals,
  order: readonly number[],
  longest: number,
  { leafRows, stepRows, smoothing }: SetRule,
  leastGain: number,
): LeftSet | undefined {
  const explained = squaresExplained(residualSum, rowCount);
  let leftSum = 0;
  let leftRows = 0;
  let triedRows = 0;
  let bestGain = leastGain;
  let bestLength = 0;
  let left: NodeTotals = { residualSum: 0, rowCount: 0 };
  for (const [index, bin] of order.entries()) {
    if (index >= longest) break;
    const at = 2 * (first + bin);
    leftSum += histogram[at] ?? 0;
    leftRows += histogram[at + 1] ?? 0;
    const rightRows = rowCount - leftRows;
    if (rightRows < stepRows) break;
    if (leftRows < leafRows || leftRows - triedRows < stepRows) continue;
    triedRows = leftRows;
    const gain =
      squaresExplained(leftSum, leftRows + smoothing) +
      squaresExplained(residualSum - leftSum, rightRows + smoothing) -
      explained;
    if (gain <= bestGain) continue;
    bestGain = gain;
    bestLength = index + 1;
    left = { residualSum: leftSum, rowCount: leftRows };
  }
  if (bestLength === 0) return undefined;
  return { gain: bestGain, bins: order.slice(0, bestLength), left };
}

/** A set of bins as ascending ranges [first, last, …]. */
function toRanges(bins: readonly number[]): number[] {
  const ranges: number[] = [];
  for (const bin of bins.toSorted((a, b) => a - b)) {
    if (ranges.length > 0 && ranges.at(-1) === bin - 1) ranges[ranges.length - 1] = bin;
    else ranges.push(bin, bin);
  }
  return ranges;
}
