import type { BinnedFeatures } from '../binning/dataset.js';
import { emptyScores, type Forest, type Scores, viewScores } from '../forest/tree.js';
import type { TreeParams } from '../params.js';
import { Booster, type CreateLoss } from './booster.js';
import { HistogramBuilder } from './histogram.js';
import { KernelDataset } from './kernel-dataset.js';
import { ScoreUpdater } from './score-updater.js';

/** Learns from, and scores, chosen rows of one binned table. */
export class Learner {
  /** One for all boosters, which grow their trees in the same memory. */
  readonly #table: KernelDataset;
  readonly #histograms: HistogramBuilder;
  readonly #adder: ScoreUpdater;
  /** Address of sums by row. */
  readonly #sums: number;

  /** @throws {Error} if this process has no WebAssembly with vector instructions. */
  constructor(readonly features: BinnedFeatures) {
    this.#table = new KernelDataset(features);
    this.#histograms = new HistogramBuilder(this.#table);
    this.#adder = new ScoreUpdater(this.#table);
    this.#sums = this.#table.memory.allocate(8 * features.rowCount);
  }

  get rowCount(): number {
    return this.features.rowCount;
  }

  /** @param rows ascending. */
  booster(rows: Uint32Array, params: TreeParams, createLoss: CreateLoss): Booster {
    return new Booster(this.#table, this.#histograms, this.#adder, rows, params, createLoss);
  }

  /** Adds what a few trees say of the given rows, each of them once, to their sums. */
  addTo(sums: Float64Array, rows: Uint32Array, trees: Forest['trees']): void {
    const { memory, order } = this.#table;
    memory.words.set(rows, order / 4);
    const { doubles } = memory;
    const ofTable = this.#sums / 8;
    for (const row of rows) doubles[ofTable + row] = sums[row] ?? 0;
    for (const tree of trees) this.#adder.add(tree, 1, order, rows.length, this.#sums);
    for (const row of rows) sums[row] = doubles[ofTable + row] ?? 0;
  }

  /** Writes what forests say of the given rows; without scores to be written to, other rows have 0. */
  score(forests: readonly Forest[], rows: Uint32Array, scores = emptyScores(forests.length, this.rowCount)): Scores {
    for (const [index, { base, trees }] of forests.entries()) {
      const sums = viewScores(scores, index);
      for (const row of rows) sums[row] = base;
      this.addTo(sums, rows, trees);
    }
    return scores;
  }
}
