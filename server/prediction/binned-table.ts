import type { BinnedFeatures } from './features.js';
import { KernelMemory } from './kernel/kernel-memory.js';

/**
 * Features whose bins lie next to each other, row by row: what a row adds to their histograms is
 * read at once, and the histograms of a block stay in the processor's first cache.
 */
export interface Block {
  /** Address of the first row's bins. */
  bins: number;
  /** The number of features. */
  width: number;
  /** Where in a histogram the block begins, in bytes, and how many each feature has of it. */
  histogram: number;
  stride: number;
}

const WIDEST_BLOCK = 16;

/** Of a sum in a histogram: see `sumRows`. */
const SUM_BYTES = 8;

/** A binned table in a kernel's memory, and what is needed there to grow trees on it. */
export class BinnedTable {
  readonly memory = new KernelMemory();
  readonly rowCount: number;
  readonly featureCount: number;
  readonly blocks: readonly Block[];
  readonly histogramBytes: number;
  /** Address of the features as `findSplit` reads them. */
  readonly splitFeatures: number;
  /** Addresses of what a tree is grown in: u32 by row twice, and the quantised residuals by row. */
  readonly order: number;
  readonly moved: number;
  readonly quantised: number;

  /** @throws {Error} as `KernelMemory`. */
  constructor({ bins, binCounts, isCategory, rowCount }: BinnedFeatures) {
    const { memory } = this;
    this.rowCount = rowCount;
    this.featureCount = binCounts.length;
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
      const address = memory.allocate(width * rowCount);
      const columns = bins.subarray(first * rowCount, (first + width) * rowCount);
      interleave(memory.bytes(address, columns.length), columns, width, rowCount);
      blocks.push({ bins: address, width, histogram, stride });
      histogram += width * stride;
    }
    this.blocks = blocks;
    this.histogramBytes = histogram;
    this.splitFeatures = memory.allocate(4 * features.length);
    memory.words(this.splitFeatures, features.length).set(features);
    this.order = memory.allocate(4 * rowCount);
    this.moved = memory.allocate(4 * rowCount);
    this.quantised = memory.allocate(8 * rowCount);
  }

  /** Where the bins of a feature are: that of the first row, and how far it is to the next row's. */
  binsOf(feature: number): { address: number; width: number } {
    const block = this.blocks[Math.floor(feature / WIDEST_BLOCK)];
    if (block === undefined) throw new RangeError(`The table has no feature ${feature}.`);
    return { address: block.bins + (feature % WIDEST_BLOCK), width: block.width };
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
