/* The node being split, and its best split so far. Only one search runs at a time. */

export const MAX_BINS: i32 = 256;

/** The sum of the node's quantised residuals, an integer, and its number of rows. */
export let residualSum: f64 = 0;
export let rowCount: f64 = 0;
/** The fewest rows of a leaf. */
export let leafRows: f64 = 0;
/** The number of rows with a residual of zero that are added to each side of a split. */
export let lambda: f64 = 0;
/** The number of low bits of a histogram's sums that count rows. */
let countBits: i32 = 0;

/** The reduction of the node's sum of squares by the best split. */
export let gain: f64 = 0;
let left: i64 = 0;

/** By bin: 1 if the best split sends it left, else 0. */
export const GOES_LEFT: usize = memory.data(MAX_BINS);

/** The best split: see `splitAddress`. */
const SPLIT: usize = memory.data(32 + MAX_BINS, 8);

export function beginSearch(sum: f64, rows: f64, fewest: f64, zeroRows: f64, bits: i32): void {
  residualSum = sum;
  rowCount = rows;
  leafRows = fewest;
  lambda = zeroRows;
  countBits = bits;
  gain = 0;
}

/** Records a better split; the caller writes which bins go left. */
export function keepSplit(itsGain: f64, itsLeft: i64): void {
  gain = itsGain;
  left = itsLeft;
}

/** Returns the number of rows on the left of the best split. */
export function leftRows(): f64 {
  return unpackRows(left);
}

/**
 * Returns the address of the best split. It consists of, as f64, its gain, the sum of the quantised
 * residuals and the number of rows on its left, and the number of bytes that follow. These are the
 * bins that go left, as ascending ranges: first, last, first, last, …
 */
export function splitAddress(): usize {
  return SPLIT;
}

export function tellSplit(): void {
  let end = SPLIT + 32;
  let before: u8 = 0;
  for (let bin = 0; bin < MAX_BINS; bin++) {
    const now = load<u8>(GOES_LEFT + bin);
    if (now !== before) store<u8>(end++, now ? bin : bin - 1);
    before = now;
  }
  if (before) store<u8>(end++, MAX_BINS - 1);
  store<f64>(SPLIT, gain);
  store<f64>(SPLIT, unpackSum(left), 8);
  store<f64>(SPLIT, unpackRows(left), 16);
  store<f64>(SPLIT, <f64>(end - SPLIT - 32), 24);
}

/** Returns the address at which `partition` reads the bins that go left. */
export function goesLeftAddress(): usize {
  return GOES_LEFT;
}

/** Returns the residuals' part of a histogram's sum. */
export function unpackSum(packed: i64): f64 {
  return <f64>(packed >> countBits);
}

/** Returns the row count of a histogram's sum. */
export function unpackRows(packed: i64): f64 {
  return <f64>(<i32>packed & ((1 << countBits) - 1));
}

/**
 * Returns the reduction of the sum of squares if rows are predicted by their mean instead of zero.
 */
export function squaresExplained(sum: f64, rows: f64): f64 {
  return (sum * sum) / rows;
}
