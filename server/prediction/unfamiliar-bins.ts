import { MISSING_BIN } from './encoder.js';
import type { BinnedFeatures } from './features.js';

/** Of the rows learnt from: what fewer have, trees have not learnt to judge. */
const LEAST_SHARE = 0.01;

/**
 * For each feature, which of the bins that stand for no value of its own are unfamiliar: the one
 * for missing values, and that of a category for all the others.
 *
 * @param rows the rows that are learnt from.
 * @param leafRows the fewest rows of a leaf: fewer cannot be told apart, whatever their share.
 */
export function findUnfamiliarBins(
  { bins, binCounts, isCategory, rowCount }: BinnedFeatures,
  rows: Uint32Array,
  leafRows: number,
): number[][] {
  const fewest = Math.max(LEAST_SHARE * rows.length, leafRows);
  return binCounts.map((binCount, feature) => {
    const column = bins.subarray(feature * rowCount, (feature + 1) * rowCount);
    const candidates = isCategory[feature] ? [MISSING_BIN, binCount - 1] : [MISSING_BIN];
    return candidates.filter((bin) => rowsIn(column, rows, bin) < fewest);
  });
}

function rowsIn(column: Uint8Array, rows: Uint32Array, bin: number): number {
  let count = 0;
  for (const row of rows) if (column[row] === bin) count++;
  return count;
}
