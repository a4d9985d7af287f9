import type { TreeParams } from '../params.js';
import type { Histogram } from './histogram.js';
import type { KernelDataset } from './kernel-dataset.js';

const SPLIT_DOUBLES = 4;

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
  table: KernelDataset,
  histogram: Histogram,
  { residualSum, rowCount }: NodeTotals,
  { minRowsPerLeaf }: TreeParams,
  countBits: number,
): FoundSplit | undefined {
  if (rowCount < 2 * minRowsPerLeaf) return undefined;
  const { memory, splitFeatures, featureCount } = table;
  const feature = memory.kernel.findSplit(
    histogram,
    splitFeatures,
    featureCount,
    residualSum,
    rowCount,
    minRowsPerLeaf,
    countBits,
  );
  return feature < 0 ? undefined : readSplit(table, feature);
}

/** The best split, as the kernel tells it: see `splitAddress`. */
function readSplit({ memory: { doubles, bytes }, split }: KernelDataset, feature: number) {
  const at = split / 8;
  const ranges = split + SPLIT_DOUBLES * 8;
  const end = ranges + (doubles[at + 3] ?? 0);
  const leftBins: number[] = [];
  for (let index = ranges; index < end; index++) leftBins.push(bytes[index] ?? 0);
  const left = { residualSum: doubles[at + 1] ?? 0, rowCount: doubles[at + 2] ?? 0 };
  return { feature, gain: doubles[at] ?? 0, left, leftBins };
}
