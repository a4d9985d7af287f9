import { Booster } from './booster.js';
import type { BinnedFeatures } from './features.js';
import { ForestScorer } from './forest-scorer.js';
import { HistogramBuilder } from './histogram.js';
import type { GrowthLimits } from './split-finder.js';
import type { Forest } from './tree.js';

/** Learns from, and scores, chosen rows of one binned table. */
export class Learner {
  readonly #features: BinnedFeatures;
  /** One for all boosters, so that they grow their trees in the same memory. */
  readonly #histograms: HistogramBuilder;

  constructor(features: BinnedFeatures) {
    this.#features = features;
    this.#histograms = new HistogramBuilder(features);
  }

  get rowCount(): number {
    return this.#features.rowCount;
  }

  /** @param target by row of the whole table, as all numbers by row here. */
  booster(rows: Uint32Array, target: Float64Array, limits: GrowthLimits): Booster {
    return new Booster(this.#features, this.#histograms, rows, target, limits);
  }

  /** Boosts for a number of rounds; `onRound` is told the number of each when it is done. */
  boost(
    rows: Uint32Array,
    target: Float64Array,
    limits: GrowthLimits,
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

  /** Adds what the trees say of the given rows to their sums. */
  addTo(sums: Float64Array, rows: Uint32Array, trees: Forest['trees']): void {
    const scorer = new ForestScorer(trees);
    scorer.addTo(sums, rows, this.#features.bins, this.#features.rowCount);
  }

  /** The predictions of a forest for the given rows, in their order. */
  predict(forest: Forest, rows: Uint32Array): Float64Array {
    const sums = new Float64Array(this.rowCount).fill(forest.base);
    this.addTo(sums, rows, forest.trees);
    return Float64Array.from(rows, (row) => sums[row] ?? 0);
  }
}
