import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import type { BinnedFeatures } from '../trees/binning/dataset.js';

/** Of the rows: what fewer have, trees have not learnt to judge. */
const MIN_SHARE = 0.01;

/**
 * For each feature, which of the bins that stand for no value of its own are unfamiliar: the one
 * for missing values, and that of a category for all the others.
 *
 * @param minRowsPerLeaf the fewest rows of a leaf: fewer cannot be told apart, whatever their share.
 */
export function findUnfamiliarBins(
  { bins, binCounts, isCategory, rowCount }: BinnedFeatures,
  minRowsPerLeaf: number,
): number[][] {
  const fewest = Math.max(MIN_SHARE * rowCount, minRowsPerLeaf);
  return binCounts.map((binCount, feature) => {
    const column = bins.subarray(feature * rowCount, (feature + 1) * rowCount);
    const candidates = isCategory[feature] ? [MISSING_BIN, binCount - 1] : [MISSING_BIN];
    return candidates.filter((bin) => rowsIn(column, bin) < fewest);
  });
}

function rowsIn(column: Uint8Array, bin: number): number {
  let count = 0;
  for (const value of column) if (value === bin) count++;
  return count;
}
