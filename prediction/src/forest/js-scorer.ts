import { leafMasks } from './leaf-masks.js';
import { MAX_BINS, MAX_LEAVES, type Tree } from './tree.js';

/** What the bins of one feature rule out. */
interface FeatureMasks {
  feature: number;
  /** The trees that split on the feature, ascending. */
  trees: Uint16Array;
  /** For each bin, at bin × trees.length, and each of those trees, the leaves that stay possible. */
  masks: Int32Array;
}

/**
 * Scores rows without walking trees (QuickScorer, Lucchese et al. 2015): every feature's bin rules
 * out leaves of every tree, by one AND each, and of the leaves that stay possible the leftmost is
 * the row's. A tree of 30 splits takes part in at most 30 features, so that the masks of 300 trees
 * stay below 10 MB however many columns there are.
 *
 * It needs no WebAssembly, and is what the kernel's scores are held against.
 */
export class MaskScorer {
  readonly #features: readonly FeatureMasks[];
  /** The value of a leaf is at 32 × tree + leaf; leaves are counted from the left. */
  readonly #leafValues: Float64Array;
  /** For each tree the leaves that are possible for the row at hand. */
  readonly #possible: Int32Array;

  constructor(trees: readonly Tree[]) {
    this.#possible = new Int32Array(trees.length);
    this.#leafValues = new Float64Array(MAX_LEAVES * trees.length);
    const treesOf = new Map<number, Map<number, Int32Array>>();
    for (const [index, tree] of trees.entries()) {
      const { values, features, masks } = leafMasks(tree);
      this.#leafValues.set(values, MAX_LEAVES * index);
      for (const [at, feature] of features.entries()) {
        const ofFeature = treesOf.get(feature) ?? new Map<number, Int32Array>();
        const byBin = masks.subarray(MAX_BINS * at, MAX_BINS * (at + 1));
        treesOf.set(feature, ofFeature.set(index, byBin));
      }
    }
    this.#features = [...treesOf].map(([feature, ofFeature]) => ({
      feature,
      trees: Uint16Array.from(ofFeature.keys()),
      masks: interleave([...ofFeature.values()]),
    }));
  }

  /** As `ForestScorer.addToAll`. */
  addToAll(sums: Float64Array, bins: Uint8Array, count: number): void {
    this.addTo(
      sums,
      Uint32Array.from({ length: count }, (_, row) => row),
      bins,
      count,
    );
  }

  /** As `ForestScorer.addTo`. */
  addTo(sums: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const possible = this.#possible;
    const leafValues = this.#leafValues;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      possible.fill(-1);
      for (const { feature, trees, masks } of this.#features) {
        ruleOut(possible, trees, masks, bins[feature * stride + row] ?? 0);
      }
      let sum = sums[row] ?? 0;
      for (let tree = 0; tree < possible.length; tree++) {
        const leaves = possible[tree] ?? 0;
        const leftmost = 31 - Math.clz32(leaves & -leaves);
        sum += leafValues[MAX_LEAVES * tree + leftmost] ?? 0;
      }
      sums[row] = sum;
    }
  }
}

function ruleOut(possible: Int32Array, trees: Uint16Array, masks: Int32Array, bin: number): void {
  const offset = bin * trees.length;
  for (let index = 0; index < trees.length; index++) {
    const tree = trees[index] ?? 0;
    possible[tree] = (possible[tree] ?? 0) & (masks[offset + index] ?? 0);
  }
}

/** From masks by bin, one array a tree, to masks by tree for each bin. */
function interleave(ofTrees: readonly Int32Array[]): Int32Array {
  const interleaved = new Int32Array(MAX_BINS * ofTrees.length);
  for (const [index, byBin] of ofTrees.entries()) {
    for (let bin = 0; bin < MAX_BINS; bin++) {
      interleaved[bin * ofTrees.length + index] = byBin[bin] ?? 0;
    }
  }
  return interleaved;
}
