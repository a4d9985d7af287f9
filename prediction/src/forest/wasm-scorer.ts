import { KernelMemory } from '../kernel/kernel-memory.js';
import { writeMaskTables } from './mask-tables.js';
import type { Tree } from './tree.js';

/** The number of rows scored together: their bins and sums fit into the L1 cache. */
const BLOCK = 256;

/** Scores rows with the mask tables of a forest, in its own memory. */
export class KernelScorer {
  readonly #memory = new KernelMemory();
  readonly #groups: number;
  readonly #groupCount: number;
  /** The features that the forest splits on. */
  readonly #features: readonly number[];
  /** The bins of a block of rows, by feature. */
  readonly #bins: Uint8Array;
  readonly #sums: Float64Array;

  /** @throws {Error} if a `KernelMemory` cannot be created. */
  constructor(trees: readonly Tree[]) {
    const { groups, groupCount, features } = writeMaskTables(this.#memory, trees);
    this.#groups = groups;
    this.#groupCount = groupCount;
    this.#features = features;
    const bins = this.#memory.allocate(BLOCK * features.length);
    const sums = this.#memory.allocate(8 * BLOCK);
    this.#bins = this.#memory.bytes.subarray(bins, bins + BLOCK * features.length);
    this.#sums = this.#memory.doubles.subarray(sums / 8, sums / 8 + BLOCK);
  }

  /** See `ForestScorer.addTo`. */
  addTo(sums: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    for (let start = 0; start < rows.length; start += BLOCK) {
      const block = rows.subarray(start, start + BLOCK);
      for (const [slot, feature] of this.#features.entries()) {
        gather(this.#bins, slot * block.length, bins, feature * stride, block);
      }
      for (let index = 0; index < block.length; index++) {
        this.#sums[index] = sums[block[index] ?? 0] ?? 0;
      }
      this.#addTrees(block.length);
      for (let index = 0; index < block.length; index++) {
        sums[block[index] ?? 0] = this.#sums[index] ?? 0;
      }
    }
  }

  /** See `ForestScorer.addToAll`. */
  addToAll(sums: Float64Array, bins: Uint8Array, count: number): void {
    for (let start = 0; start < count; start += BLOCK) {
      const length = Math.min(BLOCK, count - start);
      for (const [slot, feature] of this.#features.entries()) {
        const first = feature * count + start;
        this.#bins.set(bins.subarray(first, first + length), slot * length);
      }
      this.#sums.set(sums.subarray(start, start + length));
      this.#addTrees(length);
      sums.set(this.#sums.subarray(0, length), start);
    }
  }

  #addTrees(rowCount: number): void {
    const { kernel } = this.#memory;
    const { byteOffset: bins } = this.#bins;
    kernel.addForest(this.#groups, this.#groupCount, bins, this.#sums.byteOffset, rowCount);
  }
}

function gather(
  target: Uint8Array,
  targetOffset: number,
  source: Uint8Array,
  sourceOffset: number,
  rows: Uint32Array,
): void {
  for (let index = 0; index < rows.length; index++) {
    target[targetOffset + index] = source[sourceOffset + (rows[index] ?? 0)] ?? 0;
  }
}
