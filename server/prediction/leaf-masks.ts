import { MOST_BINS, type Split, type Tree } from './tree.js';

/** A tree as its leaves from left to right, one bit each, and the leaves that bins leave possible. */
export interface LeafMasks {
  values: number[];
  /** For each feature that the tree splits on and each bin, the bits of the possible leaves. */
  masks: Map<number, Int32Array>;
}

/**
 * Where a split sends a row right, the leaves on its left are impossible. Leaves that stay possible
 * though the row cannot reach them lie right of its own, since some split sent it left of them: the
 * leftmost possible leaf is the row's.
 */
export function leafMasks(tree: Tree): LeafMasks {
  const values: number[] = [];
  const masks = new Map<number, Int32Array>();
  /** Numbers the leaves under a child from the left. */
  const visit = (child: number) => {
    const split = tree.splits[child];
    if (split === undefined) {
      values.push(tree.leaves[~child] ?? 0);
      return;
    }
    const first = values.length;
    visit(split.left);
    ruleOutLeft(masks, split, bitsBetween(first, values.length));
    visit(split.right);
  };
  visit(tree.splits.length > 0 ? 0 : ~0);
  return { values, masks };
}

function ruleOutLeft(masks: LeafMasks['masks'], split: Split, leftLeaves: number): void {
  let byBin = masks.get(split.feature);
  if (byBin === undefined) {
    byBin = new Int32Array(MOST_BINS).fill(-1);
    masks.set(split.feature, byBin);
  }
  let firstRight = 0;
  const ruleOut = (from: number, until: number) => {
    for (let bin = from; bin < until; bin++) byBin[bin] = (byBin[bin] ?? 0) & ~leftLeaves;
  };
  for (let range = 0; range < split.left_bins.length; range += 2) {
    ruleOut(firstRight, split.left_bins[range] ?? 0);
    firstRight = (split.left_bins[range + 1] ?? 0) + 1;
  }
  ruleOut(firstRight, MOST_BINS);
}

/** The bits from `first` up to, not including, `end`; fewer than 32 of them. */
function bitsBetween(first: number, end: number): number {
  return ((1 << (end - first)) - 1) << first;
}
