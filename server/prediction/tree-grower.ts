import type { BinnedFeatures } from './features.js';
import type { Histogram, HistogramBuilder } from './histogram.js';
import type { NodeTotals } from './split-candidate.js';
import { type FoundSplit, findSplit, type GrowthLimits } from './split-finder.js';
import { MOST_BINS, type Split, type Tree } from './tree.js';

/** A leaf of the tree under growth: the rows from `start` up to, not including, `end`. */
interface GrowingLeaf extends NodeTotals {
  start: number;
  end: number;
  histogram: Histogram;
  split: FoundSplit | undefined;
  /** Where the tree refers to the leaf; undefined at the root. */
  parent: { split: Split; side: 'left' | 'right' } | undefined;
}

/** A grown tree and the row range of each of its leaves in the grower's order. */
export interface GrownTree {
  tree: Tree;
  /** For each of the tree's splits, by how much it lowered the sum of squared residuals. */
  gains: readonly number[];
  ranges: readonly { start: number; end: number }[];
}

/**
 * Grows trees leaf-wise: always the leaf whose split lowers the error most is split next (Ke et
 * al. 2017), until there are enough leaves or no split helps.
 */
export class TreeGrower {
  /** The rows, leaf by leaf in the order of the last tree. */
  readonly rows: Uint32Array;
  readonly #features: BinnedFeatures;
  readonly #histograms: HistogramBuilder;
  readonly #limits: GrowthLimits;
  readonly #allRows: Uint32Array;
  readonly #moved: Uint32Array;
  /** By bin, while a leaf is split. */
  readonly #goesLeft = new Uint8Array(MOST_BINS);

  constructor(
    features: BinnedFeatures,
    histograms: HistogramBuilder,
    rows: Uint32Array,
    limits: GrowthLimits,
  ) {
    this.#features = features;
    this.#histograms = histograms;
    this.#limits = limits;
    this.#allRows = rows;
    this.rows = new Uint32Array(rows.length);
    this.#moved = new Uint32Array(rows.length);
  }

  /**
   * Fits a tree to the residuals of the grower's rows; `shrinkage` scales the values of its leaves.
   *
   * @param residuals by row of the whole table.
   */
  grow(residuals: Float64Array, shrinkage: number): GrownTree {
    this.rows.set(this.#allRows);
    const leaves = [this.#plantRoot(residuals)];
    const splits: Split[] = [];
    const gains: number[] = [];
    while (leaves.length < this.#limits.leaves) {
      const index = indexOfBest(leaves);
      const leaf = leaves[index];
      if (leaf?.split === undefined) break;
      gains.push(leaf.split.gain);
      const [left, right] = this.#splitLeaf(leaf, leaf.split, splits, residuals);
      leaves[index] = left;
      leaves.push(right);
    }
    for (const [index, { parent, histogram }] of leaves.entries()) {
      if (parent !== undefined) parent.split[parent.side] = ~index;
      this.#histograms.release(histogram);
    }
    const values = leaves.map((leaf) => (shrinkage * leaf.residualSum) / leaf.rowCount + 0);
    return { tree: { splits, leaves: values }, gains, ranges: leaves };
  }

  #plantRoot(residuals: Float64Array): GrowingLeaf {
    const end = this.rows.length;
    const histogram = this.#histograms.build(this.rows, 0, end, residuals);
    let residualSum = 0;
    for (const row of this.rows) residualSum += residuals[row] ?? 0;
    const totals = { residualSum, rowCount: end };
    const split = this.#findSplit(histogram, totals);
    return { ...totals, start: 0, end, histogram, split, parent: undefined };
  }

  #splitLeaf(
    leaf: GrowingLeaf,
    found: FoundSplit,
    splits: Split[],
    residuals: Float64Array,
  ): [GrowingLeaf, GrowingLeaf] {
    const { feature, leftBins } = found;
    const split: Split = { feature, left_bins: leftBins, left: 0, right: 0 };
    if (leaf.parent !== undefined) leaf.parent.split[leaf.parent.side] = splits.length;
    splits.push(split);

    const { start, end } = leaf;
    const middle = this.#partition(start, end, split);
    const left = found.left;
    const right = {
      residualSum: leaf.residualSum - left.residualSum,
      rowCount: leaf.rowCount - left.rowCount,
    };
    const leftIsSmaller = middle - start < end - middle;
    const smaller = leftIsSmaller
      ? this.#histograms.build(this.rows, start, middle, residuals)
      : this.#histograms.build(this.rows, middle, end, residuals);
    const larger = this.#histograms.subtract(leaf.histogram, smaller);
    const grown = (totals: NodeTotals, side: 'left' | 'right', from: number, to: number) => {
      const histogram = leftIsSmaller === (side === 'left') ? smaller : larger;
      const next = this.#findSplit(histogram, totals);
      return { ...totals, start: from, end: to, histogram, split: next, parent: { split, side } };
    };
    return [grown(left, 'left', start, middle), grown(right, 'right', middle, end)];
  }

  #findSplit(histogram: Histogram, node: NodeTotals): FoundSplit | undefined {
    return findSplit(this.#features, this.#histograms.offsets, histogram, node, this.#limits);
  }

  /** Puts the rows that go left first, in stable order; returns where the others begin. */
  #partition(start: number, end: number, { feature, left_bins }: Split): number {
    const { bins, rowCount } = this.#features;
    const goesLeft = this.#goesLeft;
    goesLeft.fill(0);
    for (let at = 0; at < left_bins.length; at += 2) {
      goesLeft.fill(1, left_bins[at], (left_bins[at + 1] ?? 0) + 1);
    }
    const offset = feature * rowCount;
    const rows = this.rows;
    const moved = this.#moved;
    let middle = start;
    let movedCount = 0;
    for (let index = start; index < end; index++) {
      const row = rows[index] ?? 0;
      if ((goesLeft[bins[offset + row] ?? 0] ?? 0) === 1) rows[middle++] = row;
      else moved[movedCount++] = row;
    }
    rows.set(moved.subarray(0, movedCount), middle);
    return middle;
  }
}

function indexOfBest(leaves: readonly GrowingLeaf[]): number {
  let best = 0;
  for (const [index, { split }] of leaves.entries()) {
    if ((split?.gain ?? 0) > (leaves[best]?.split?.gain ?? 0)) best = index;
  }
  return best;
}
