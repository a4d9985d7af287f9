import { findCategorySplit } from './category-split';
import { beginSearch, tellSplit } from './node';
import { findOrderedSplit } from './ordered-split';

/**
 * Finds the split of a node that reduces the squared error most, over the features that are drawn.
 *
 * @param histogram of the node.
 * @param features three words per feature: the offset of its bins in a histogram in bytes, its
 *   number of bins, and 1 for categories, else 0.
 * @param drawn by feature, 1 if the split may use it, else 0 (u8).
 * @param residualSum the node's sum of quantised residuals.
 * @param rowCount the number of rows of the node.
 * @param leafRows the fewest rows of a leaf.
 * @param lambda the number of rows with a residual of zero that are added to each side.
 * @param countBits the number of low bits of a histogram's sums that count rows.
 * @returns the index of the split's feature, or −1 if no split gains anything; the rest of the
 *   split is at `splitAddress`.
 */
export function findSplit(
  histogram: usize,
  features: usize,
  featureCount: i32,
  drawn: usize,
  residualSum: f64,
  rowCount: f64,
  leafRows: f64,
  lambda: f64,
  countBits: i32,
): i32 {
  beginSearch(residualSum, rowCount, leafRows, lambda, countBits);
  let best = -1;
  for (let feature = 0; feature < featureCount; feature++, features += 12) {
    if (!load<u8>(drawn + feature)) continue;
    const bins = histogram + <usize>load<u32>(features);
    const count = load<i32>(features, 4);
    const isCategory = load<u32>(features, 8) === 1;
    const found = isCategory ? findCategorySplit(bins, count) : findOrderedSplit(bins, count);
    if (found) best = feature;
  }
  if (best >= 0) tellSplit();
  return best;
}
