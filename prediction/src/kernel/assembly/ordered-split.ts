import {
  GOES_LEFT,
  gain as gainSoFar,
  keepSplit,
  lambda,
  leafRows,
  leftRows,
  MAX_BINS,
  residualSum,
  rowCount,
  squaresExplained,
  unpackRows,
  unpackSum,
} from './node';

/**
 * Keeps the best threshold of a number or a date, if it gains more than the best split so far.
 * Missing values are tried on either side; if the node has none, they follow the larger child.
 *
 * @returns whether a better split was kept.
 */
export function findOrderedSplit(bins: usize, count: i32): bool {
  const missing = load<i64>(bins);
  let lastLeft = bestThreshold(bins, count, 0);
  let missingGoesLeft = 2 * leftRows() > rowCount;
  if (unpackRows(missing) > 0) {
    const withMissing = bestThreshold(bins, count, missing);
    missingGoesLeft = withMissing > 0;
    if (missingGoesLeft) lastLeft = withMissing;
  }
  if (lastLeft === 0) return false;
  memory.fill(GOES_LEFT, 0, MAX_BINS);
  memory.fill(GOES_LEFT + 1, 1, lastLeft);
  store<u8>(GOES_LEFT, missingGoesLeft ? 1 : 0);
  return true;
}

/**
 * Moves one bin after another to the left, beginning with the sum `start`. The explained squares,
 * left² ÷ left rows + right² ÷ right rows, are compared as fractions, because divisions would take
 * most of the time.
 *
 * @returns the last bin that goes left, or 0 if no threshold gains more than the best split so far.
 */
function bestThreshold(bins: usize, count: i32, start: i64): i32 {
  const sum = residualSum;
  const zeroRows = lambda;
  const rows = rowCount + 2 * zeroRows;
  const fewest = leafRows + zeroRows;
  const explained = squaresExplained(sum, rowCount + zeroRows);
  let bestNumerator = gainSoFar + explained;
  let bestDenominator: f64 = 1;
  let bestBin = 0;
  let bestLeft: i64 = 0;
  let left = start;
  for (let bin = 1; bin < count; bin++) {
    const packed = load<i64>(bins + 8 * <usize>bin);
    if (packed === 0) continue;
    left += packed;
    const leftRows = unpackRows(left) + zeroRows;
    if (leftRows < fewest) continue;
    const rightRows = rows - leftRows;
    if (rightRows < fewest) break;
    const leftSum = unpackSum(left);
    const rightSum = sum - leftSum;
    const numerator = leftSum * leftSum * rightRows + rightSum * rightSum * leftRows;
    const denominator = leftRows * rightRows;
    if (numerator * bestDenominator > bestNumerator * denominator) {
      bestNumerator = numerator;
      bestDenominator = denominator;
      bestBin = bin;
      bestLeft = left;
    }
  }
  if (bestBin > 0) keepSplit(bestNumerator / bestDenominator - explained, bestLeft);
  return bestBin;
}
