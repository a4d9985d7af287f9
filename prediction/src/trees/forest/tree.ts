/**
 * A regression tree over bins, as stored, with at most 32 leaves. A tree without splits is a single
 * leaf.
 */
export interface Tree {
  /** The root first, and every split before its children. */
  splits: Split[];
  /** The value that each leaf adds to a prediction, in the target's standard units. */
  leaves: number[];
  /**
   * The number of rows in each leaf that the tree was grown on, from which contributions are computed. Absent in models
   * of releases before 0.3.0.
   */
  covers?: number[];
}

export interface Split {
  /** Index of the feature whose bin decides. */
  feature: number;
  /**
   * The bins that go left, as ascending ranges [first, last, first, last, …]; all others go right.
   * Bin 0, for missing values, is treated like any other.
   */
  left_bins: number[];
  /** The left child: the index of a split, or ~index of a leaf if negative. */
  left: number;
  right: number;
}

/** A constant plus a sum of trees, in the target's standard units. */
export interface Forest {
  base: number;
  trees: Tree[];
}

export function countTrees(forests: readonly Pick<Forest, 'trees'>[]): number {
  return forests.reduce((sum, { trees }) => sum + trees.length, 0);
}

export const MAX_LEAVES = 32;
export const MAX_BINS = 256;

/** Scores of rows, forest by forest: the score of a row is at forest × stride + row. */
export interface Scores {
  readonly values: Float64Array;
  readonly stride: number;
}

export function emptyScores(forests: number, stride: number): Scores {
  return { values: new Float64Array(forests * stride), stride };
}

/** The scores of one forest, by row. */
export function viewScores({ values, stride }: Scores, forest: number): Float64Array {
  return values.subarray(forest * stride, (forest + 1) * stride);
}
