import { MAX_BINS, type Split, type Tree } from './tree.js';

/** The leaves of a tree from left to right, one bit each, and those that its splits rule out. */
export interface LeafMasks {
  values: number[];
  splits: SplitMask[];
}

/** Where a split sends a row right, the leaves on its left are impossible. */
export interface SplitMask extends Pick<Split, 'feature' | 'left_bins'> {
  /** The bits of the leaves that remain possible. */
  possible: number;
}

/**
 * Returns the masks of a tree. Possible leaves that a row cannot reach lie right of its own leaf,
 * because some split sent the row left of them. The leftmost possible leaf is therefore the row's.
 */
export function leafMasks({ splits, leaves }: Tree): LeafMasks {
  const masks: LeafMasks = { values: [], splits: [] };
  addMasks(masks, splits, leaves, splits.length > 0 ? 0 : ~0);
  return masks;
}

/** Numbers the leaves under a child from the left, and adds the masks of the splits there. */
function addMasks(masks: LeafMasks, splits: readonly Split[], leaves: readonly number[], child: number): void {
  const split = splits[child];
  if (split === undefined) {
    masks.values.push(leaves[~child] ?? 0);
    return;
  }
  const { feature, left_bins, left, right } = split;
  const first = masks.values.length;
  addMasks(masks, splits, leaves, left);
  masks.splits.push({ feature, left_bins, possible: ~bitsBetween(first, masks.values.length) });
  addMasks(masks, splits, leaves, right);
}

/** Returns the bits from `first` up to, not including, `end`; fewer than 32 of them. */
function bitsBetween(first: number, end: number): number {
  return ((1 << (end - first)) - 1) << first;
}

/** Returns the features that splits use, in the order of their first split. */
export function listFeatures(splits: readonly SplitMask[]): number[] {
  return [...new Set(splits.map(({ feature }) => feature))];
}

/** Rules out leaves in the masks of the bins that go right, one mask for each bin from `offset` on. */
export function ruleOut(masks: Int32Array | Uint32Array, offset: number, { left_bins, possible }: SplitMask): void {
  let right = offset;
  for (let range = 0; range <= left_bins.length; range += 2) {
    const end = offset + (left_bins[range] ?? MAX_BINS);
    for (; right < end; right++) masks[right] = (masks[right] ?? 0) & possible;
    right = offset + (left_bins[range + 1] ?? 0) + 1;
  }
}
