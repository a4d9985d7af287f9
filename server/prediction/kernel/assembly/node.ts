/*
 * The node whose split is sought, and the best of its splits so far. There is one search at a time.
 */

export const MOST_BINS: i32 = 256;

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
export const GOES_LEFT: usize = memory.data(MOST_BINS);

export function beginSearch(sum: f64, rows: f64, fewest: f64, bits: i32): void {
  residualSum = sum;
  rowCount = rows;
  leafRows = fewest;
  countBits = bits;
  gain = 0;
}

/** Keeps a better split; its left bins are written by who found it. */
export function keepSplit(itsGain: f64, itsLeft: i64): void {
  gain = itsGain;
  left = itsLeft;
}

/** The gain of the split that was found last. */
export function splitGain(): f64 {
  return gain;
}

/** The sum of the quantised residuals on its left. */
export function leftSum(): f64 {
  return sumOf(left);
}

/** The number of rows on its left. */
export function leftRows(): f64 {
  return rowsOf(left);
}

/** Where the bins are told that it sends left: u8 by bin, 1 or 0. */
export function goesLeft(): usize {
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
