import { leafMasks, listFeatures, ruleOut } from '../forest/leaf-masks.js';
import { MAX_BINS, MAX_LEAVES, type Tree } from '../forest/tree.js';
import type { KernelDataset } from './kernel-dataset.js';

/** The most splits of a tree, and with it the most features. */
const MAX_FEATURES = MAX_LEAVES - 1;

const FEATURE_BYTES = 8;
const MASK_BYTES = 4 * MAX_BINS;

/** The number of rows up to which walking down a tree takes less time than laying out its masks. */
const FEW_ROWS = 128;

/**
 * Adds single trees to sums in the memory of the table that they were grown on. A tree's leaves do not change after it
 * was added for the first time.
 */
export class ScoreUpdater {
  readonly #table: KernelDataset;
  readonly #features: number;
  readonly #masks: number;
  readonly #leaves: number;
  /** The tree whose masks are in memory, and the number of features that it splits on. */
  #laidOut: { readonly tree: Tree; readonly values: readonly number[]; readonly featureCount: number } | undefined;

  constructor(table: KernelDataset) {
    this.#table = table;
    this.#features = table.memory.allocate(FEATURE_BYTES * MAX_FEATURES);
    this.#masks = table.memory.allocate(MASK_BYTES * MAX_FEATURES);
    this.#leaves = table.memory.allocate(8 * MAX_LEAVES);
  }

  /**
   * Adds the tree's values, times a factor, to the sums of rows.
   *
   * @param rows address of `count` rows.
   * @param sums address, by row of the table.
   */
  add(tree: Tree, factor: number, rows: number, count: number, sums: number): void {
    if (count <= FEW_ROWS) {
      const { doubles } = this.#table.memory;
      this.#walk(tree, rows, count, (row, leaf) => {
        const at = sums / 8 + row;
        doubles[at] = (doubles[at] ?? 0) + factor * (tree.leaves[leaf] ?? 0);
      });
      return;
    }
    const { values, featureCount } = this.#layOut(tree);
    const { kernel, doubles } = this.#table.memory;
    doubles.set(values, this.#leaves / 8);
    kernel.addTree(this.#features, featureCount, this.#leaves, factor, rows, count, sums);
  }

  /**
   * Multiplies the powers of rows by e to the tree's values: see `ClassBooster`.
   *
   * @param powers address, by row of the table.
   */
  raise(tree: Tree, rows: number, count: number, powers: number): void {
    if (count <= FEW_ROWS) {
      const { doubles } = this.#table.memory;
      const factors = tree.leaves.map(Math.exp);
      this.#walk(tree, rows, count, (row, leaf) => {
        const at = powers / 8 + row;
        doubles[at] = (doubles[at] ?? 0) * (factors[leaf] ?? 1);
      });
      return;
    }
    const { values, featureCount } = this.#layOut(tree);
    const { kernel, doubles } = this.#table.memory;
    doubles.set(values.map(Math.exp), this.#leaves / 8);
    kernel.multiplyByTree(this.#features, featureCount, this.#leaves, rows, count, powers);
  }

  /** Calls back with each of the rows and the index of its leaf. */
  #walk({ splits }: Tree, rows: number, count: number, onRow: (row: number, leaf: number) => void): void {
    const { bytes, words } = this.#table.memory;
    const columns = splits.map(({ feature }) => this.#table.column(feature));
    for (let index = 0; index < count; index++) {
      const row = words[rows / 4 + index] ?? 0;
      let child = splits.length > 0 ? 0 : ~0;
      while (child >= 0) {
        const split = splits[child];
        if (split === undefined) break;
        const bin = bytes[(columns[child] ?? 0) + row] ?? 0;
        child = goesLeft(split.left_bins, bin) ? split.left : split.right;
      }
      onRow(row, ~child);
    }
  }

  /**
   * Lays out the masks of a tree, unless it was the last one: a tree is added to several sets of rows. Returns the values
   * of its leaves, from left to right, and the number of features that it splits on.
   */
  #layOut(tree: Tree) {
    if (this.#laidOut?.tree === tree) return this.#laidOut;
    const { memory } = this.#table;
    const { values, splits } = leafMasks(tree);
    const features = listFeatures(splits);
    for (const [index, feature] of features.entries()) {
      const at = (this.#features + index * FEATURE_BYTES) / 4;
      memory.words[at] = this.#table.column(feature);
      memory.words[at + 1] = this.#masks + index * MASK_BYTES;
    }
    const masks = this.#masks / 4;
    memory.words.fill(-1, masks, masks + MAX_BINS * features.length);
    for (const split of splits) {
      ruleOut(memory.words, masks + MAX_BINS * features.indexOf(split.feature), split);
    }
    this.#laidOut = { tree, values, featureCount: features.length };
    return this.#laidOut;
  }
}

/** @param leftBins ascending ranges: see `Split.left_bins`. */
function goesLeft(leftBins: readonly number[], bin: number): boolean {
  for (let at = 0; at < leftBins.length; at += 2) {
    if (bin < (leftBins[at] ?? 0)) return false;
    if (bin <= (leftBins[at + 1] ?? 0)) return true;
  }
  return false;
}
