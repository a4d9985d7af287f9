import { leafMasks, ruleOut } from './leaf-masks.js';
import { MAX_BINS, MAX_LEAVES, type Tree } from './tree.js';

/** The leaves that each bin of one feature rules out. */
interface FeatureMasks {
  feature: number;
  /** The trees that split on the feature, ascending. */
  trees: Uint16Array;
  /**
   * The leaves that remain possible for each bin (at bin × trees.length) and each of those trees.
   */
  masks: Int32Array;
}

/**
 * Scores rows without walking trees (QuickScorer, Lucchese et al. 2015). The bin of every feature
 * rules out leaves of every tree with one AND each; the leftmost remaining leaf is the row's. A
 * tree of 30 splits uses at most 30 features, so the masks of 300 trees stay below 10 MB for any
 * number of columns.
 *
 * It needs no WebAssembly, and is the reference for the kernel's scores.
 */
export class JsScorer {
  readonly #features: readonly FeatureMasks[];
  /** The leaf values, at 32 × tree + leaf; leaves are numbered from the left. */
  readonly #leafValues: Float64Array;
  /** The possible leaves of each tree for the current row. */
  readonly #possible: Int32Array;

  constructor(trees: readonly Tree[]) {
    this.#possible = new Int32Array(trees.length);
    this.#leafValues = new Float64Array(MAX_LEAVES * trees.length);
    const treesOf = new Map<number, Map<number, Int32Array>>();
    for (const [index, tree] of trees.entries()) {
      const { values, splits } = leafMasks(tree);
      this.#leafValues.set(values, MAX_LEAVES * index);
      for (const split of splits) {
        const ofFeature = treesOf.get(split.feature) ?? new Map<number, Int32Array>();
        const byBin = ofFeature.get(index) ?? new Int32Array(MAX_BINS).fill(-1);
        ruleOut(byBin, 0, split);
        treesOf.set(split.feature, ofFeature.set(index, byBin));
      }
    }
    this.#features = [...treesOf].map(([feature, ofFeature]) => ({
      feature,
      trees: Uint16Array.from(ofFeature.keys()),
      masks: interleave([...ofFeature.values()]),
    }));
  }

  /** The bytes of memory that the forest takes. */
  get bytes(): number {
    const ofMasks = ({ trees, masks }: FeatureMasks) => trees.byteLength + masks.byteLength;
    const ofLeaves = this.#leafValues.byteLength + this.#possible.byteLength;
    return this.#features.reduce((sum, masks) => sum + ofMasks(masks), ofLeaves);
  }

  /**
   * Adds the trees' values to the sums of the rows 0 to count − 1.
   *
   * @param bins feature by feature, `count` bins each.
   */
  addToAll(sums: Float64Array, bins: Uint8Array, count: number): void {
    this.addTo(
      sums,
      Uint32Array.from({ length: count }, (_, row) => row),
      bins,
      count,
    );
  }

  /**
   * Adds the trees' values to the sums of the given rows.
   *
   * @param bins feature by feature, `stride` bins each: the bin of a row is at feature × stride + row.
   */
  addTo(sums: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const possible = this.#possible;
    const leafValues = this.#leafValues;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      possible.fill(-1);
      for (const { feature, trees, masks } of this.#features) {
        keepPossible(possible, trees, masks, bins[feature * stride + row] ?? 0);
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

function keepPossible(possible: Int32Array, trees: Uint16Array, masks: Int32Array, bin: number): void {
  const offset = bin * trees.length;
  for (let index = 0; index < trees.length; index++) {
    const tree = trees[index] ?? 0;
    possible[tree] = (possible[tree] ?? 0) & (masks[offset + index] ?? 0);
  }
}

/** Rearranges masks by tree and bin into masks by bin and tree. */
function interleave(ofTrees: readonly Int32Array[]): Int32Array {
  const interleaved = new Int32Array(MAX_BINS * ofTrees.length);
  for (const [index, byBin] of ofTrees.entries()) {
    for (let bin = 0; bin < MAX_BINS; bin++) {
      interleaved[bin * ofTrees.length + index] = byBin[bin] ?? 0;
    }
  }
  return interleaved;
}
