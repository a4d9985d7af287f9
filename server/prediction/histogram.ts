import type { BinnedFeatures } from './features.js';

/**
 * Sums over the rows of a node, for every bin of every feature: at 2 × (offset + bin) the sum of
 * the residuals, after it the number of rows.
 */
export type Histogram = Float64Array;

/** Builds histograms and hands out the memory that they are kept in. */
export class HistogramBuilder {
  /** Where the bins of each feature begin, and last the number of all bins. */
  readonly offsets: readonly number[];
  readonly #columns: readonly Uint8Array[];
  readonly #binTotal: number;
  readonly #free: Histogram[] = [];
  readonly #residuals: Float64Array;

  constructor({ bins, binCounts, rowCount }: BinnedFeatures) {
    this.#columns = binCounts.map((_, feature) =>
      bins.subarray(feature * rowCount, (feature + 1) * rowCount),
    );
    let total = 0;
    this.offsets = binCounts.map((count) => {
      total += count;
      return total - count;
    });
    this.#binTotal = total;
    this.#residuals = new Float64Array(rowCount);
  }

  /** The histogram of rows[start … end − 1]. */
  build(rows: Uint32Array, start: number, end: number, residuals: Float64Array): Histogram {
    const histogram = this.#free.pop() ?? new Float64Array(2 * this.#binTotal);
    histogram.fill(0);
    const count = end - start;
    const nodeRows = rows.subarray(start, end);
    // Gathered once, so that the pass over each feature reads them in order.
    const nodeResiduals = this.#residuals;
    for (let index = 0; index < count; index++) {
      nodeResiduals[index] = residuals[nodeRows[index] ?? 0] ?? 0;
    }
    for (const [feature, column] of this.#columns.entries()) {
      addFeature(histogram, 2 * (this.offsets[feature] ?? 0), column, nodeRows, nodeResiduals);
    }
    return histogram;
  }

  /**
   * Turns the histogram of a node into that of one child, given the other child's: the smaller
   * child alone is summed over its rows (Ke et al. 2017, LightGBM).
   */
  subtract(parent: Histogram, child: Histogram): Histogram {
    for (let index = 0; index < parent.length; index++) {
      parent[index] = (parent[index] ?? 0) - (child[index] ?? 0);
    }
    return parent;
  }

  release(histogram: Histogram): void {
    this.#free.push(histogram);
  }
}

function addFeature(
  histogram: Histogram,
  offset: number,
  column: Uint8Array,
  rows: Uint32Array,
  residuals: Float64Array,
): void {
  for (let index = 0; index < rows.length; index++) {
    const at = offset + 2 * (column[rows[index] ?? 0] ?? 0);
    histogram[at] = (histogram[at] ?? 0) + (residuals[index] ?? 0);
    histogram[at + 1] = (histogram[at + 1] ?? 0) + 1;
  }
}
