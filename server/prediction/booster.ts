import type { BinnedFeatures } from './features.js';
import type { HistogramBuilder } from './histogram.js';
import type { GrowthLimits } from './split-finder.js';
import type { Forest, Tree } from './tree.js';
import { TreeGrower } from './tree-grower.js';

/** Each tree mends only a tenth of the error that it sees. */
const LEARNING_RATE = 0.1;

/**
 * Gradient boosting for squared error: every tree is fitted to what the trees before it leave over
 * (Friedman 2001). One round adds one tree, so that callers can decide when to stop.
 */
export class Booster {
  readonly #grower: TreeGrower;
  readonly #forest: Forest;
  /** By row of the whole table; only the booster's own rows are kept. */
  readonly #residuals: Float64Array;
  readonly #gains: (readonly number[])[] = [];

  /**
   * @param rows the rows to learn from, ascending.
   * @param target by row of the whole table.
   */
  constructor(
    features: BinnedFeatures,
    histograms: HistogramBuilder,
    rows: Uint32Array,
    target: Float64Array,
    limits: GrowthLimits,
  ) {
    this.#grower = new TreeGrower(features, histograms, rows, limits);
    let sum = 0;
    for (const row of rows) sum += target[row] ?? 0;
    const base = sum / rows.length;
    this.#forest = { base, trees: [] };
    this.#residuals = target.map((value) => value - base);
  }

  get forest(): Forest {
    return this.#forest;
  }

  /** For each tree, and each of its splits, by how much it lowered the squared error. */
  get gains(): readonly (readonly number[])[] {
    return this.#gains;
  }

  /** Adds one tree. */
  addTree(): Tree {
    const { tree, gains, ranges } = this.#grower.grow(this.#residuals, LEARNING_RATE);
    for (const [leaf, { start, end }] of ranges.entries()) {
      const value = tree.leaves[leaf] ?? 0;
      for (const row of this.#grower.rows.subarray(start, end)) {
        this.#residuals[row] = (this.#residuals[row] ?? 0) - value;
      }
    }
    this.#forest.trees.push(tree);
    this.#gains.push(gains);
    return tree;
  }
}
