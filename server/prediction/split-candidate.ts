import type { Histogram } from './histogram.js';

/** The rows of a node, summed up. */
export interface NodeTotals {
  residualSum: number;
  rowCount: number;
}

/** The part of a node's histogram that one feature has. */
export interface FeatureBins {
  histogram: Histogram;
  /** The feature's first bin; its sum of residuals is at 2 × first, its number of rows after it. */
  first: number;
  count: number;
}

/** A way to part a node in two. */
export interface SplitCandidate {
  /** By how much it lowers the node's sum of squared residuals. */
  gain: number;
  /** As `Split.left_bins`. */
  leftBins: number[];
  left: NodeTotals;
}

/** How much the sum of squares falls when rows are predicted by their mean instead of by zero. */
export function squaresExplained(residualSum: number, rowCount: number): number {
  return (residualSum * residualSum) / rowCount;
}
