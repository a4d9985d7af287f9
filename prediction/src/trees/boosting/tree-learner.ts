import { MAX_BINS, type Split, type Tree } from '../forest/tree.js';
import type { TreeParams } from '../params.js';
import { seededRandom } from '../random.js';
import type { Histogram, HistogramBuilder } from './histogram.js';
import type { KernelDataset } from './kernel-dataset.js';

/** A leaf of the tree under growth: the rows from `start` up to, not including, `end`. */
interface GrowingLeaf extends NodeTotals {
  start: number;
  end: number;
  /** Undefined if the leaf will not be split. */
  histogram: Histogram | undefined;
  split: FoundSplit | undefined;
  /** The place in the tree that refers to the leaf; undefined at the root. */
  parent: { split: Split; side: 'left' | 'right' } | undefined;
}

/** A grown tree, and what is known of it only then. */
export interface GrownTree {
  tree: Tree;
  /** For each of the tree's splits, by how much it lowered the sum of squared residuals. */
  gains: readonly number[];
  /** By leaf: where its rows are in the table's order. */
  ranges: readonly { start: number; end: number }[];
  /** The number of rows with a residual of zero that are added to each leaf. */
  lambda: number;
}

/**
 * Grows trees leaf-wise: always the leaf whose split lowers the error most is split next (Ke et
 * al. 2017), until there are enough leaves or no split helps.
 */
export class TreeLearner {
  readonly #random: () => number;
  /** The number of features that are tried at a node. */
  readonly #featuresPerNode: number;

  constructor(
    private readonly table: KernelDataset,
    private readonly histograms: HistogramBuilder,
    private readonly limits: TreeParams,
  ) {
    const { featureShare = 1, seed = 0 } = limits;
    this.#featuresPerNode = Math.max(1, Math.round(featureShare * table.featureCount));
    this.#random = seededRandom(~seed);
  }

  /**
   * Fits a tree to the residuals of the first rows in the table's order, which it sorts by leaf;
   * `shrinkage` scales the values of the leaves.
   *
   * @param residuals address, by row of the whole table.
   */
  grow(rowCount: number, residuals: number, shrinkage: number): GrownTree {
    const { order, quantised, memory } = this.table;
    const countBits = 32 - Math.clz32(rowCount);
    const unit = memory.kernel.quantise(order, rowCount, residuals, quantised, countBits);
    const totals = { residualSum: memory.kernel.quantisedSum(), rowCount };
    const leaves = [this.#plantRoot(totals, countBits)];
    const splits: Split[] = [];
    const gains: number[] = [];
    while (leaves.length < this.limits.maxLeaves) {
      const index = indexOfBest(leaves);
      const leaf = leaves[index];
      if (leaf?.split === undefined) break;
      gains.push(leaf.split.gain * unit * unit);
      const isLast = leaves.length + 1 === this.limits.maxLeaves;
      const [left, right] = this.#splitLeaf(leaf, leaf.split, splits, countBits, isLast);
      leaves[index] = left;
      leaves.push(right);
    }
    for (const [index, { parent, histogram }] of leaves.entries()) {
      if (parent !== undefined) parent.split[parent.side] = ~index;
      if (histogram !== undefined) this.histograms.release(histogram);
    }
    const { lambda = 0 } = this.limits;
    const values = leaves.map((leaf) => ((shrinkage * leaf.residualSum) / (leaf.rowCount + lambda)) * unit + 0);
    const covers = leaves.map(({ rowCount: rows }) => rows);
    return { tree: { splits, leaves: values, covers }, gains, ranges: leaves, lambda };
  }

  #plantRoot(totals: NodeTotals, countBits: number): GrowingLeaf {
    const histogram = this.histograms.build(0, totals.rowCount, countBits);
    const split = this.#findSplit(histogram, totals, countBits);
    return { ...totals, start: 0, end: totals.rowCount, histogram, split, parent: undefined };
  }

  /** @param isLast whether no leaf of the tree will be split after this one. */
  #splitLeaf(
    leaf: GrowingLeaf,
    found: FoundSplit,
    splits: Split[],
    countBits: number,
    isLast: boolean,
  ): [GrowingLeaf, GrowingLeaf] {
    const { feature, leftBins } = found;
    const split: Split = { feature, left_bins: leftBins, left: 0, right: 0 };
    if (leaf.parent !== undefined) leaf.parent.split[leaf.parent.side] = splits.length;
    splits.push(split);

    const { start, end } = leaf;
    const middle = start + this.#partition(start, end - start, split);
    const left = found.left;
    const right = { residualSum: leaf.residualSum - left.residualSum, rowCount: leaf.rowCount - left.rowCount };
    const mayBeSplit = !isLast && Math.max(left.rowCount, right.rowCount) >= 2 * this.limits.minRowsPerLeaf;
    const [ofLeft, ofRight] = this.#divide(leaf, middle, mayBeSplit, countBits);
    const grown = (totals: NodeTotals, side: 'left' | 'right', from: number, to: number) => {
      const histogram = side === 'left' ? ofLeft : ofRight;
      const next = this.#findSplit(histogram, totals, countBits);
      const parent = { split, side };
      // Written out: to spread the totals would take a third of a training.
      const { residualSum, rowCount } = totals;
      return { residualSum, rowCount, start: from, end: to, histogram, split: next, parent };
    };
    return [grown(left, 'left', start, middle), grown(right, 'right', middle, end)];
  }

  /** Turns the histogram of a node into those of its children, or releases it if none of them will be split. */
  #divide({ start, end, histogram }: GrowingLeaf, middle: number, mayBeSplit: boolean, countBits: number) {
    if (histogram === undefined) return [];
    if (!mayBeSplit) {
      this.histograms.release(histogram);
      return [];
    }
    if (middle - start < end - middle) {
      const left = this.histograms.build(start, middle - start, countBits);
      return [left, this.histograms.subtract(histogram, left)];
    }
    const right = this.histograms.build(middle, end - middle, countBits);
    return [this.histograms.subtract(histogram, right), right];
  }

  /**
   * Returns the split that lowers the squared error most, over the features that are drawn for the node; undefined if
   * none does. They are drawn for nodes that will not be split, too.
   *
   * @param histogram undefined if the node will not be split.
   * @param countBits as for `quantise`.
   */
  #findSplit(
    histogram: Histogram | undefined,
    { residualSum, rowCount }: NodeTotals,
    countBits: number,
  ): FoundSplit | undefined {
    const { minRowsPerLeaf, lambda = 0 } = this.limits;
    if (rowCount < 2 * minRowsPerLeaf) return undefined;
    const { memory, splitFeatures, featureCount, drawnFeatures } = this.table;
    this.#drawFeatures();
    if (histogram === undefined) return undefined;
    const feature = memory.kernel.findSplit(
      histogram,
      splitFeatures,
      featureCount,
      drawnFeatures,
      residualSum,
      rowCount,
      minRowsPerLeaf,
      lambda,
      countBits,
    );
    return feature < 0 ? undefined : readSplit(this.table, feature);
  }

  /** Draws the features of a node (Fan, Muller & Rezucha 1962; Knuth's algorithm S). */
  #drawFeatures(): void {
    const { memory, featureCount, drawnFeatures } = this.table;
    const { bytes } = memory;
    let needed = this.#featuresPerNode;
    if (needed === featureCount) {
      bytes.fill(1, drawnFeatures, drawnFeatures + featureCount);
      return;
    }
    for (let index = 0; index < featureCount; index++) {
      const isDrawn = (featureCount - index) * this.#random() < needed;
      bytes[drawnFeatures + index] = isDrawn ? 1 : 0;
      if (isDrawn) needed--;
    }
  }

  /** Puts the rows that go left first, in stable order; returns how many they are. */
  #partition(start: number, count: number, { feature, left_bins }: Split): number {
    const { memory, order, moved, goesLeft } = this.table;
    const column = this.table.column(feature);
    memory.bytes.fill(0, goesLeft, goesLeft + MAX_BINS);
    for (let at = 0; at < left_bins.length; at += 2) {
      const first = left_bins[at] ?? 0;
      const last = left_bins[at + 1] ?? 0;
      memory.bytes.fill(1, goesLeft + first, goesLeft + last + 1);
    }
    return memory.kernel.partition(order + 4 * start, count, moved, column, goesLeft);
  }
}

function indexOfBest(leaves: readonly GrowingLeaf[]): number {
  let best = 0;
  let most = 0;
  for (let index = 0; index < leaves.length; index++) {
    const gain = leaves[index]?.split?.gain ?? 0;
    if (gain <= most) continue;
    best = index;
    most = gain;
  }
  return best;
}

const SPLIT_DOUBLES = 4;

/** The rows of a node, summed up. */
export interface NodeTotals {
  /** Of the quantised residuals: a whole number. */
  residualSum: number;
  rowCount: number;
}

export interface FoundSplit {
  feature: number;
  /** By how much it lowers the node's sum of squared quantised residuals. */
  gain: number;
  /** As `Split.left_bins`. */
  leftBins: number[];
  left: NodeTotals;
}

/** The best split, as the kernel reports it: see `splitAddress`. */
function readSplit({ memory: { doubles, bytes }, split }: KernelDataset, feature: number) {
  const at = split / 8;
  const ranges = split + SPLIT_DOUBLES * 8;
  const end = ranges + (doubles[at + 3] ?? 0);
  const leftBins: number[] = [];
  for (let index = ranges; index < end; index++) leftBins.push(bytes[index] ?? 0);
  const left = { residualSum: doubles[at + 1] ?? 0, rowCount: doubles[at + 2] ?? 0 };
  return { feature, gain: doubles[at] ?? 0, left, leftBins };
}
