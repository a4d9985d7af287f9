import type { KernelDataset } from './kernel-dataset.js';

/** Address of the sums over the rows of a node, for every bin of every feature: see `sumRows`. */
export type Histogram = number;

/** Builds histograms and hands out the memory that they are kept in. */
export class HistogramBuilder {
  readonly #free: Histogram[] = [];

  constructor(private readonly table: KernelDataset) {}

  /**
   * The histogram of `count` rows of the order, from `start` on.
   *
   * @param countBits as for `quantise`.
   */
  build(start: number, count: number, countBits: number): Histogram {
    const { memory, blocks, order, quantised, histogramBytes } = this.table;
    const rows = order + 4 * start;
    const histogram = this.#free.pop() ?? memory.allocate(histogramBytes);
    for (const { bins, width, histogram: offset, stride } of blocks) {
      const at = histogram + offset;
      memory.kernel.sumRows(at, stride, bins, width, rows, count, quantised, countBits);
    }
    return histogram;
  }

  /**
   * Turns the histogram of a node into that of one child, given the other child's: the smaller
   * child alone is summed over its rows (Ke et al. 2017, LightGBM).
   */
  subtract(parent: Histogram, child: Histogram): Histogram {
    const { memory, histogramBytes } = this.table;
    memory.kernel.subtract(parent, child, histogramBytes);
    return parent;
  }

  release(histogram: Histogram): void {
    this.#free.push(histogram);
  }
}
