import { MaskScorer } from './js-scorer.js';
import type { Tree } from './tree.js';
import { KernelScorer } from './wasm-scorer.js';

/**
 * Scores rows with the kernel, or without it in a process that cannot load it. Both give the same
 * bits.
 */
export class ForestScorer {
  readonly #scorer: KernelScorer | MaskScorer;

  constructor(trees: readonly Tree[]) {
    this.#scorer = createScorer(trees);
  }

  /**
   * Adds the trees' values to the sums of the given rows.
   *
   * @param bins feature by feature, `stride` bins each: the bin of a row is at
   *   feature × stride + row.
   */
  addTo(sums: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    this.#scorer.addTo(sums, rows, bins, stride);
  }

  /**
   * Adds the trees' values to the sums of the rows 0 to count − 1.
   *
   * @param bins feature by feature, `count` bins each.
   */
  addToAll(sums: Float64Array, bins: Uint8Array, count: number): void {
    this.#scorer.addToAll(sums, bins, count);
  }
}

function createScorer(trees: readonly Tree[]): KernelScorer | MaskScorer {
  try {
    return new KernelScorer(trees);
  } catch {
    return new MaskScorer(trees);
  }
}
