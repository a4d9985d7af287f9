import { KernelMemory } from '../../kernel/kernel-memory.js';
import type { BinnedFeatures } from '../binning/dataset.js';

/**
 * Features whose bins lie next to each other, row by row: what a row adds to their histograms is
 * read at once, and the histograms of a block stay in the processor's first cache.
 */
export interface Block {
  /** Address of the first row's bins. */
  bins: number;
  width: number;
  /** The place in a histogram where the block begins, and its size for each feature, in bytes. */
  histogram: number;
  stride: number;
}

const WIDEST_BLOCK = 16;

/** The kernel reads so many bytes where the bins of a row begin. */
const READ_BYTES = 16;

/** Of a sum in a histogram: see `sumRows`. */
const SUM_BYTES = 8;

/** A binned table in a kernel's memory, and what is needed there to grow trees on it. */
export class KernelDataset {
  readonly memory = new KernelMemory();
  readonly rowCount: number;
  /** Address of the bins feature by feature, as in `BinnedFeatures`. */
  readonly #columns: number;
  readonly featureCount: number;
  readonly blocks: readonly Block[];
  readonly histogramBytes: number;
  /** Address of the features as `findSplit` reads them. */
  readonly splitFeatures: number;
  /** Address, by feature, of 1 if the next split may use it, else 0 (u8). */
  readonly drawnFeatures: number;
  /** Addresses where the kernel writes a split, and reads one. */
  readonly split: number;
  readonly goesLeft: number;
  /** Addresses of what a tree is grown in: u32 by row twice, i32 by row the quantised residuals. */
  readonly order: number;
  readonly moved: number;
  readonly quantised: number;

  /** @throws {Error} as `KernelMemory`. */
  constructor({ bins, binCounts, isCategory, rowCount }: BinnedFeatures) {
    const { memory } = this;
    this.rowCount = rowCount;
    this.featureCount = binCounts.length;
    this.#columns = memory.allocate(bins.length);
    memory.bytes.set(bins, this.#columns);
    const blocks: Block[] = [];
    const features: number[] = [];
    let histogram = 0;
    for (let first = 0; first < binCounts.length; first += WIDEST_BLOCK) {
      const counts = binCounts.slice(first, first + WIDEST_BLOCK);
      const width = counts.length;
      const stride = SUM_BYTES * evenUp(Math.max(...counts));
      for (const [index, count] of counts.entries()) {
        features.push(histogram + index * stride, count, isCategory[first + index] ? 1 : 0);
      }
      const address = memory.allocate(width * rowCount + READ_BYTES);
      const columns = bins.subarray(first * rowCount, (first + width) * rowCount);
      interleave(memory.bytes.subarray(address), columns, width, rowCount);
      blocks.push({ bins: address, width, histogram, stride });
      histogram += width * stride;
    }
    this.blocks = blocks;
    this.histogramBytes = histogram;
    this.splitFeatures = memory.allocate(4 * features.length);
    memory.words.set(features, this.splitFeatures / 4);
    this.drawnFeatures = memory.allocate(binCounts.length);
    this.split = memory.kernel.splitAddress();
    this.goesLeft = memory.kernel.goesLeftAddress();
    this.order = memory.allocate(4 * rowCount);
    this.moved = memory.allocate(4 * rowCount);
    this.quantised = memory.allocate(4 * rowCount);
  }

  /** Address of a feature's bins by row. */
  column(feature: number): number {
    return this.#columns + feature * this.rowCount;
  }
}

/** Histograms are subtracted two sums at a time. */
function evenUp(count: number): number {
  return count + (count % 2);
}

/** From column by column to row by row. */
function interleave(target: Uint8Array, columns: Uint8Array, width: number, rowCount: number) {
  for (let feature = 0; feature < width; feature++) {
    const column = columns.subarray(feature * rowCount, (feature + 1) * rowCount);
    for (let row = 0, at = feature; row < rowCount; row++, at += width) {
      target[at] = column[row] ?? 0;
    }
  }
}
