/*
 * The node whose split is sought, and the best of its splits so far. There is one search at a time.
 */

export const MAX_BINS: i32 = 256;

/** The sum of the node's quantised residuals, a whole number, and its rows. */
export let residualSum: f64 = 0;
export let rowCount: f64 = 0;
/** The fewest rows of a leaf. */
export let leafRows: f64 = 0;
/** How many low bits of a histogram's sums count rows. */
let countBits: i32 = 0;

/** By how much the best split lowers the node's sum of squares. */
export let gain: f64 = 0;
let left: i64 = 0;

/** By bin: 1 if the best split sends it left, else 0. */
export const GOES_LEFT: usize = memory.data(MAX_BINS);

/** The best split: see `splitAddress`. */
const SPLIT: usize = memory.data(32 + MAX_BINS, 8);

export function beginSearch(sum: f64, rows: f64, fewest: f64, bits: i32): void {
  residualSum = sum;
  rowCount = rows;
  leafRows = fewest;
  countBits = bits;
  gain = 0;
}

/** Keeps a better split; which bins go left is written by who found it. */
export function keepSplit(itsGain: f64, itsLeft: i64): void {
  gain = itsGain;
  left = itsLeft;
}

/** The number of rows on the left of the best split. */
export function leftRows(): f64 {
  return rowsOf(left);
}

/**
 * Where the best split is told: as f64 its gain, the sum of the quantised residuals and the number
 * of rows on its left, and the number of the bytes that follow. These are the bins that go left, as
 * ascending ranges: first, last, first, last, …
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
  store<f64>(SPLIT, sumOf(left), 8);
  store<f64>(SPLIT, rowsOf(left), 16);
  store<f64>(SPLIT, <f64>(end - SPLIT - 32), 24);
}

/** Where there is room to tell `partition` which bins go left. */
export function goesLeftAddress(): usize {
  return GOES_LEFT;
}

/** The residuals' part of one of a histogram's sums. */
export function sumOf(packed: i64): f64 {
  return <f64>(packed >> countBits);
}

/** The rows' part of one of a histogram's sums. */
export function rowsOf(packed: i64): f64 {
  return <f64>(<i32>packed & ((1 << countBits) - 1));
}

/** How much the sum of squares falls when rows are predicted by their mean instead of by zero. */
export function squaresExplained(sum: f64, rows: f64): f64 {
  return (sum * sum) / rows;
}
