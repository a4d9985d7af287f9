/**
 * A regression tree over bins, as it is stored. It has at most 32 leaves; a tree without splits is
 * its one leaf.
 */
export interface Tree {
  /** The root first, every split before its children. */
  splits: Split[];
  /** The value that each leaf adds to a prediction, in the target's standard units. */
  leaves: number[];
}

export interface Split {
  /** Index of the feature whose bin decides. */
  feature: number;
  /**
   * The bins that go left, as ranges [first, last, first, last, …], ascending; all others go right.
   * Bin 0, missing, is a bin like any other.
   */
  left_bins: number[];
  /** The child on the left: the index of a split, or ~index of a leaf where it is negative. */
  left: number;
  right: number;
}

/** A sum of trees upon a constant, in the target's standard units. */
export interface Forest {
  base: number;
  trees: Tree[];
}

export const MAX_LEAVES = 32;
export const MAX_BINS = 256;
