import {
  GOES_LEFT,
  gain as gainSoFar,
  keepSplit,
  lambda,
  leafRows,
  MAX_BINS,
  residualSum,
  rowCount,
  squaresExplained,
  unpackRows,
  unpackSum,
} from './node';
import { sortByKey } from './sort';

/** Up to this many categories, only splits of one category against the rest are tried. */
const MAX_ONE_HOT: i32 = 4;

/** The most categories that one split sends left. */
const MAX_LEFT_CATEGORIES: i32 = 32;

/**
 * The number of rows of mean zero that are added to steady the order and the fit of small
 * categories.
 */
const SMOOTHING: f64 = 10;

/** The bins with enough rows (u8), and their mean residuals by bin (f64). */
const ORDER: usize = memory.data(MAX_BINS);
const MEANS: usize = memory.data(8 * MAX_BINS, 8);

/**
 * Keeps the best set of categories to send left, if it gains more than the best split so far. In
 * the order of mean residuals, only the beginnings and the ends of the sequence need to be tried
 * (Fisher 1958, as in LightGBM, Ke et al. 2017). Missing values are a separate category.
 * Categories with too few rows go right, with the rest. Categories that the node lacks go with the
 * larger child, because nothing suggests that they resemble the smaller one.
 *
 * @returns whether a better split was kept.
 */
export function findCategorySplit(bins: usize, count: i32): bool {
  const known = listCategories(bins, count);
  if (count - 2 <= MAX_ONE_HOT) {
    let found = false;
    for (let index = 0; index < known; index++) {
      if (bestBeginning(bins, count, ORDER + index, 1, 1, leafRows, lambda)) found = true;
    }
    return found;
  }
  sortByKey(ORDER, known, MEANS);
  const longest = min(MAX_LEFT_CATEGORIES, (known + 1) >> 1);
  const stepRows = 5 * leafRows;
  const fromLow = bestBeginning(bins, count, ORDER, 1, longest, stepRows, SMOOTHING);
  const fromHigh = bestBeginning(bins, count, ORDER + known - 1, -1, longest, stepRows, SMOOTHING);
  return fromLow || fromHigh;
}

/** Lists the bins with enough rows. A category with fewer cannot be judged and stays right. */
function listCategories(bins: usize, count: i32): i32 {
  let known = 0;
  for (let bin = 0; bin < count; bin++) {
    const packed = load<i64>(bins + 8 * <usize>bin);
    const rows = unpackRows(packed);
    if (rows === 0 || 2 * rows < leafRows) continue;
    store<u8>(ORDER + known, bin);
    store<f64>(MEANS + 8 * <usize>bin, unpackSum(packed) / (rows + SMOOTHING));
    known++;
  }
  return known;
}

/**
 * Finds the best of the sets that hold the first bins of an order, up to `longest` of them.
 *
 * @param order u8; `step` is 1, or −1 to walk it backwards.
 * @param stepRows the fewest rows on the right, and the fewest added between two tries.
 */
function bestBeginning(
  bins: usize,
  count: i32,
  order: usize,
  step: i32,
  longest: i32,
  stepRows: f64,
  smoothing: f64,
): bool {
  const explained = squaresExplained(residualSum, rowCount);
  let bestGain = gainSoFar;
  let bestLength = 0;
  let bestLeft: i64 = 0;
  let left: i64 = 0;
  let triedRows: f64 = 0;
  for (let index = 0; index < longest; index++) {
    left += load<i64>(bins + 8 * <usize>load<u8>(order + index * step));
    const leftRows = unpackRows(left);
    const rightRows = rowCount - leftRows;
    if (rightRows < stepRows) break;
    if (leftRows < leafRows || leftRows - triedRows < stepRows) continue;
    triedRows = leftRows;
    const leftSum = unpackSum(left);
    const gain =
      squaresExplained(leftSum, leftRows + smoothing) +
      squaresExplained(residualSum - leftSum, rightRows + smoothing) -
      explained;
    if (gain <= bestGain) continue;
    bestGain = gain;
    bestLength = index + 1;
    bestLeft = left;
  }
  if (bestLength === 0) return false;
  keepSplit(bestGain, bestLeft);
  const leftIsLarger = 2 * unpackRows(bestLeft) > rowCount;
  memory.fill(GOES_LEFT, 0, MAX_BINS);
  for (let bin = 0; bin < count; bin++) {
    const isLacking = load<i64>(bins + 8 * <usize>bin) === 0;
    store<u8>(GOES_LEFT + bin, isLacking && leftIsLarger ? 1 : 0);
  }
  for (let index = 0; index < bestLength; index++) {
    store<u8>(GOES_LEFT + load<u8>(order + index * step), 1);
  }
  return true;
}
