import type { BinnedFeatures } from '../binning/dataset.js';
import type { Forest } from '../forest/tree.js';
import type { TreeParams } from '../params.js';
import { Booster } from './booster.js';
import { ClassBooster, type ClassTarget } from './class-booster.js';
import { HistogramBuilder } from './histogram.js';
import { KernelDataset } from './kernel-dataset.js';
import { ScoreUpdater } from './score-updater.js';

/** Learns from, and scores, chosen rows of one binned table. */
export class Learner {
  readonly #features: BinnedFeatures;
  /** One for all boosters, which grow their trees in the same memory. */
  readonly #table: KernelDataset;
  readonly #histograms: HistogramBuilder;
  readonly #adder: ScoreUpdater;
  /** Address of sums by row. */
  readonly #sums: number;

  /** @throws {Error} if this process has no WebAssembly with vector instructions. */
  constructor(features: BinnedFeatures) {
    this.#features = features;
    this.#table = new KernelDataset(features);
    this.#histograms = new HistogramBuilder(this.#table);
    this.#adder = new ScoreUpdater(this.#table);
    this.#sums = this.#table.memory.allocate(8 * features.rowCount);
  }

  get rowCount(): number {
    return this.#features.rowCount;
  }

  /** @param target by row of the whole table, as all numbers by row here. */
  booster(rows: Uint32Array, target: Float64Array, limits: TreeParams): Booster {
    return new Booster(this.#table, this.#histograms, this.#adder, rows, target, limits);
  }

  /**
   * @param learningRate the share of its step that a tree takes.
   * @param start as for `ClassBooster`.
   */
  classBooster(
    rows: Uint32Array,
    target: ClassTarget,
    params: TreeParams,
    learningRate: number,
    start?: Float64Array,
  ): ClassBooster {
    return new ClassBooster(
      this.#table,
      this.#histograms,
      this.#adder,
      rows,
      target,
      params,
      learningRate,
      start,
    );
  }

  /** Boosts for a number of rounds; `onRound` is told the number of each when it is done. */
  boost(
    rows: Uint32Array,
    target: Float64Array,
    limits: TreeParams,
    rounds: number,
    onRound: (round: number) => void,
  ): Forest {
    const booster = this.booster(rows, target, limits);
    for (let round = 1; round <= rounds; round++) {
      booster.addTree();
      onRound(round);
    }
    return booster.forest;
  }

  /** Adds what a few trees say of the given rows, each of them once, to their sums. */
  addTo(sums: Float64Array, rows: Uint32Array, trees: Forest['trees']): void {
    const { memory, order } = this.#table;
    memory.words.set(rows, order / 4);
    const ofTable = memory.doubles.subarray(this.#sums / 8);
    for (const row of rows) ofTable[row] = sums[row] ?? 0;
    for (const tree of trees) this.#adder.add(tree, 1, order, rows.length, this.#sums);
    for (const row of rows) sums[row] = ofTable[row] ?? 0;
  }

  /** Returns the predictions of a forest for the given rows, in their order. */
  predict(forest: Forest, rows: Uint32Array): Float64Array {
    const sums = new Float64Array(this.rowCount).fill(forest.base);
    this.addTo(sums, rows, forest.trees);
    return Float64Array.from(rows, (row) => sums[row] ?? 0);
  }
}
