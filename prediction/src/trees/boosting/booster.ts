import type { Forest, Tree } from '../forest/tree.js';
import type { TreeParams } from '../params.js';
import type { HistogramBuilder } from './histogram.js';
import type { KernelDataset } from './kernel-dataset.js';
import type { ScoreUpdater } from './score-updater.js';
import { type GrownTree, TreeLearner } from './tree-learner.js';

/** Rows and features that are drawn do not depend on what else was drawn in the training. */
const SAMPLE_SEED = 1;

/** The rows that a booster learns from, in the memory of their table. */
export interface BoostedRows {
  readonly table: KernelDataset;
  readonly adder: ScoreUpdater;
  /** Ascending. */
  readonly list: Uint32Array;
  /** Address of the list. */
  readonly address: number;
  /** The number of rows that a tree is not grown on, and their address: its ranges do not have them. */
  readonly left: { readonly count: number; readonly address: number };
}

/**
 * The aim of boosting on some rows of a table: it knows their targets and their scores, as LightGBM's
 * `ObjectiveFunction` does.
 */
export interface Loss {
  /** For each forest the score that it begins with. */
  readonly bases: readonly number[];
  /** Scales the values of a tree's leaves, which are the mean residuals of their rows. */
  readonly shrinkage: number;
  /**
   * Writes what the scores of a forest leave over; the forests of a round come in their order.
   *
   * @returns the address of the residuals, by row of the whole table.
   */
  findResiduals(forest: number, round: number): number;
  /** Adds a grown tree to the scores of its forest, and may change its leaves before. */
  addTree(forest: number, grown: GrownTree): void;
}

/** Begins a loss on some rows. */
export type CreateLoss = (rows: BoostedRows) => Loss;

/**
 * Gradient boosting: every tree is fitted to what the trees before it leave over (Friedman 2001). One round adds
 * one tree to each forest, so that callers can decide when to stop.
 */
export class Booster {
  readonly forests: readonly Forest[];
  /** For each forest and tree, and each of its splits, by how much it lowered the squared residuals. */
  readonly gains: readonly (readonly number[])[][];
  readonly #rows: BoostedRows;
  readonly #rowsPerTree: number;
  readonly #grower: TreeLearner;
  readonly #loss: Loss;
  /** Address of the state of the kernel's draws of rows. */
  readonly #sampling: number;

  /** @param rows the rows to learn from, ascending. */
  constructor(
    table: KernelDataset,
    histograms: HistogramBuilder,
    adder: ScoreUpdater,
    rows: Uint32Array,
    params: TreeParams,
    createLoss: CreateLoss,
  ) {
    const { memory } = table;
    const { rowsPerTree = rows.length, rowShare = 1 } = params;
    this.#rowsPerTree = Math.max(1, Math.min(rowsPerTree, Math.round(rowShare * rows.length)));
    const address = memory.allocate(4 * rows.length);
    memory.words.set(rows, address / 4);
    const count = rows.length - this.#rowsPerTree;
    this.#rows = { table, adder, list: rows, address, left: { count, address: memory.allocate(4 * (count + 1)) } };
    const seed = params.seed ?? SAMPLE_SEED;
    this.#sampling = memory.allocate(SAMPLING_BYTES);
    memory.words[this.#sampling / 4] = seed;
    this.#grower = new TreeLearner(table, histograms, { ...params, seed });
    this.#loss = createLoss(this.#rows);
    this.forests = this.#loss.bases.map((base) => ({ base, trees: [] }));
    this.gains = this.forests.map(() => []);
  }

  /** Adds a tree to each forest, and returns them. */
  addRound(): Tree[] {
    const round = this.forests[0]?.trees.length ?? 0;
    return this.forests.map((forest, index) => {
      const residuals = this.#loss.findResiduals(index, round);
      this.#chooseRows();
      const grown = this.#grower.grow(this.#rowsPerTree, residuals, this.#loss.shrinkage);
      this.#loss.addTree(index, grown);
      forest.trees.push(grown.tree);
      this.gains[index]?.push(grown.gains);
      return grown.tree;
    });
  }

  /** Adds a number of rounds; `onRound` receives the number of each when it is done. Returns the forests. */
  addRounds(rounds: number, onRound: (round: number) => void = () => {}): readonly Forest[] {
    for (let round = 1; round <= rounds; round++) {
      this.addRound();
      onRound(round);
    }
    return this.forests;
  }

  #chooseRows(): void {
    const { table, list, address, left } = this.#rows;
    const { memory, order } = table;
    if (left.count === 0) memory.words.set(list, order / 4);
    else memory.kernel.sampleRows(address, list.length, this.#rowsPerTree, order, left.address, this.#sampling);
  }
}

/** The state of the kernel's random numbers. */
const SAMPLING_BYTES = 4;
