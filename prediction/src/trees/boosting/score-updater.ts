import { type LeafMasks, leafMasks, listFeatures, ruleOut } from '../forest/leaf-masks.js';
import { MAX_BINS, MAX_LEAVES, type Tree } from '../forest/tree.js';
import type { KernelDataset } from './kernel-dataset.js';

/** The most splits of a tree, and with it the most features. */
const MAX_FEATURES = MAX_LEAVES - 1;

const FEATURE_BYTES = 8;
const MASK_BYTES = 4 * MAX_BINS;

/** Adds single trees to sums in the memory of the table that they were grown on. */
export class ScoreUpdater {
  readonly #table: KernelDataset;
  readonly #features: number;
  readonly #masks: number;
  readonly #leaves: number;

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
    const featureCount = this.#layOut(leafMasks(tree));
    const { kernel } = this.#table.memory;
    kernel.addTree(this.#features, featureCount, this.#leaves, factor, rows, count, sums);
  }

  /**
   * Multiplies the powers of rows by e to the tree's values: see `ClassBooster`.
   *
   * @param powers address, by row of the table.
   */
  raise(tree: Tree, rows: number, count: number, powers: number): void {
    const { values, splits } = leafMasks(tree);
    const featureCount = this.#layOut({ values: values.map(Math.exp), splits });
    const { kernel } = this.#table.memory;
    kernel.multiplyByTree(this.#features, featureCount, this.#leaves, rows, count, powers);
  }

  /** Returns the number of features that the tree splits on. */
  #layOut({ values, splits }: LeafMasks): number {
    const { memory } = this.#table;
    memory.doubles.set(values, this.#leaves / 8);
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
    return features.length;
  }
}
