import { MAX_BINS, type Tree } from './tree.js';

/**
 * The leaves of a tree from left to right, one bit each, and the leaves that each bin leaves
 * possible.
 */
export interface LeafMasks {
  values: number[];
  /** The features that the tree splits on. */
  features: number[];
  /** The bits of the possible leaves, for each of these features in order, and each bin. */
  masks: Int32Array;
}

/**
 * Returns the masks of a tree. Where a split sends a row right, the leaves on its left are
 * impossible. Possible leaves that the row cannot reach lie right of its own leaf, because some
 * split sent the row left of them. The leftmost possible leaf is therefore the row's.
 */
export function leafMasks(tree: Tree): LeafMasks {
  const values: number[] = [];
  const features = [...new Set(tree.splits.map(({ feature }) => feature))];
  const masks = new Int32Array(MAX_BINS * features.length).fill(-1);
  /** Numbers the leaves under a child from the left. */
  const visit = (child: number) => {
    const split = tree.splits[child];
    if (split === undefined) {
      values.push(tree.leaves[~child] ?? 0);
      return;
    }
    const first = values.length;
    visit(split.left);
    const ofFeature = MAX_BINS * features.indexOf(split.feature);
    ruleOutLeft(masks, ofFeature, split.left_bins, bitsBetween(first, values.length));
    visit(split.right);
  };
  visit(tree.splits.length > 0 ? 0 : ~0);
  return { values, features, masks };
}

function ruleOutLeft(
  masks: Int32Array,
  offset: number,
  leftBins: readonly number[],
  leftLeaves: number,
): void {
  let firstRight = 0;
  const ruleOut = (from: number, until: number) => {
    for (let at = offset + from; at < offset + until; at++)
      masks[at] = (masks[at] ?? 0) & ~leftLeaves;
  };
  for (let range = 0; range < leftBins.length; range += 2) {
    ruleOut(firstRight, leftBins[range] ?? 0);
    firstRight = (leftBins[range + 1] ?? 0) + 1;
  }
  ruleOut(firstRight, MAX_BINS);
}

/** Returns the bits from `first` up to, not including, `end`; fewer than 32 of them. */
function bitsBetween(first: number, end: number): number {
  return ((1 << (end - first)) - 1) << first;
}
