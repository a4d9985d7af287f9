import type { Forest, Tree } from '../forest/tree.js';
import type { TreeParams } from '../params.js';
import { seededRandom } from '../random.js';
import type { HistogramBuilder } from './histogram.js';
import type { KernelDataset } from './kernel-dataset.js';
import { sampleInOrder } from './row-sample.js';
import type { ScoreUpdater } from './score-updater.js';
import { type GrownTree, TreeLearner } from './tree-learner.js';

/** Each tree corrects only a tenth of the error (the learning rate). */
const LEARNING_RATE = 0.1;

/** Which rows a tree is grown on does not depend on what else was drawn in the training. */
const SAMPLE_SEED = 1;

/**
 * Gradient boosting for squared error: every tree is fitted to what the trees before it leave over
 * (Friedman 2001). One round adds one tree, so that callers can decide when to stop.
 */
export class Booster {
  readonly #table: KernelDataset;
  readonly #adder: ScoreUpdater;
  readonly #grower: TreeLearner;
  readonly #forest: Forest;
  /** Addresses of the rows, and of the residuals by row of the whole table. */
  readonly #rows: number;
  readonly #residuals: number;
  readonly #rowCount: number;
  readonly #rowsPerTree: number;
  readonly #random = seededRandom(SAMPLE_SEED);
  readonly #gains: (readonly number[])[] = [];

  /**
   * @param rows the rows to learn from, ascending.
   * @param target by row of the whole table.
   */
  constructor(
    table: KernelDataset,
    histograms: HistogramBuilder,
    adder: ScoreUpdater,
    rows: Uint32Array,
    target: Float64Array,
    limits: TreeParams,
  ) {
    const { memory, rowCount } = table;
    this.#table = table;
    this.#adder = adder;
    this.#grower = new TreeLearner(table, histograms, limits);
    this.#rowCount = rows.length;
    this.#rowsPerTree = Math.min(limits.rowsPerTree ?? rows.length, rows.length);
    let sum = 0;
    for (const row of rows) sum += target[row] ?? 0;
    const base = sum / rows.length;
    this.#forest = { base, trees: [] };
    this.#rows = memory.allocate(4 * rows.length);
    this.#residuals = memory.allocate(8 * rowCount);
    memory.words.set(rows, this.#rows / 4);
    const residuals = memory.doubles.subarray(this.#residuals / 8);
    for (const row of rows) residuals[row] = (target[row] ?? 0) - base;
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
    this.#chooseRows();
    const grown = this.#grower.grow(this.#rowsPerTree, this.#residuals, LEARNING_RATE);
    this.#takeOff(grown);
    this.#forest.trees.push(grown.tree);
    this.#gains.push(grown.gains);
    return grown.tree;
  }

  #chooseRows(): void {
    const { memory, order } = this.#table;
    const rows = memory.words.subarray(this.#rows / 4, this.#rows / 4 + this.#rowCount);
    const chosen = memory.words.subarray(order / 4, order / 4 + this.#rowsPerTree);
    if (this.#rowsPerTree === this.#rowCount) chosen.set(rows);
    else sampleInOrder(rows, chosen, this.#random);
  }

  /** Subtracts what a tree says from the residuals. */
  #takeOff({ tree, ranges }: GrownTree): void {
    const { memory, order } = this.#table;
    if (this.#rowsPerTree < this.#rowCount) {
      this.#adder.add(tree, -1, this.#rows, this.#rowCount, this.#residuals);
      return;
    }
    for (const [leaf, { start, end }] of ranges.entries()) {
      const value = -(tree.leaves[leaf] ?? 0);
      memory.kernel.addToRows(this.#residuals, order + 4 * start, end - start, value);
    }
  }
}
