import type { BinnedTable } from './binned-table.js';
import type { Histogram } from './histogram.js';
import { MOST_BINS } from './tree.js';

/** What trees are grown within. */
export interface GrowthLimits {
  /** At most 32. */
  leaves: number;
  /** The fewest rows of a leaf. */
  leafRows: number;
  /**
   * The most rows that a tree is grown on: if there are more, each tree sees others of them, drawn
   * at random (Friedman 2002, stochastic gradient boosting). All of them if left out.
   */
  treeRows?: number;
}

/** The rows of a node, summed up. */
export interface NodeTotals {
  /** Of the quantised residuals: a whole number. */
  residualSum: number;
  rowCount: number;
}

export interface FoundSplit {
  feature: number;
  /** By how much it lowers the node's sum of squared quantised residuals. */
  gain: number;
  /** As `Split.left_bins`. */
  leftBins: number[];
  left: NodeTotals;
}

/**
 * The split that lowers the squared error most, over all features; undefined if none does.
 *
 * @param countBits as for `quantise`.
 */
export function findSplit(
  table: BinnedTable,
  histogram: Histogram,
  { residualSum, rowCount }: NodeTotals,
  { leafRows }: GrowthLimits,
  countBits: number,
): FoundSplit | undefined {
  if (rowCount < 2 * leafRows) return undefined;
  const { memory, splitFeatures, featureCount } = table;
  const { kernel } = memory;
  const feature = kernel.findSplit(
    histogram,
    splitFeatures,
    featureCount,
    residualSum,
    rowCount,
    leafRows,
    countBits,
  );
  if (feature < 0) return undefined;
  return {
    feature,
    gain: kernel.splitGain(),
    leftBins: toRanges(memory.bytes(kernel.goesLeft(), MOST_BINS)),
    left: { residualSum: kernel.leftSum(), rowCount: kernel.leftRows() },
  };
}

/** A set of bins as ascending ranges [first, last, …]. */
function toRanges(isIn: Uint8Array): number[] {
  const ranges: number[] = [];
  let before = 0;
  for (let bin = 0; bin < isIn.length; bin++) {
    const now = isIn[bin] ?? 0;
    if (now > before) ranges.push(bin);
    else if (now < before) ranges.push(bin - 1);
    before = now;
  }
  if (before === 1) ranges.push(isIn.length - 1);
  return ranges;
}
