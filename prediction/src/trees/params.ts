/**
 * The limits for growing trees. The names follow LightGBM's: `num_leaves`, `min_data_in_leaf`,
 * `bagging_fraction`, `feature_fraction_bynode`, `bagging_seed`.
 */
export interface TreeParams {
  /** At most 32. */
  maxLeaves: number;
  /** The fewest rows of a leaf. */
  minRowsPerLeaf: number;
  /**
   * The number of rows with a residual of zero that are added to each leaf, and to each side of a split: `lambda_l2`. It
   * draws small leaves towards zero (Chen & Guestrin 2016). If left out, none.
   */
  lambda?: number;
  /**
   * The most rows that a tree is grown on, and the share of the rows, above 0, at most 1. If there are more rows, each
   * tree gets another random sample (Friedman 2002, stochastic gradient boosting). If left out, every tree gets all
   * rows.
   */
  rowsPerTree?: number;
  rowShare?: number;
  /**
   * The share of the features that are tried at a node, above 0, at most 1: each node gets another random sample
   * (Breiman 2001, random forests). If left out, every node tries all features.
   */
  featureShare?: number;
  /** Decides what is drawn, and nothing else. The same seed gives the same trees. */
  seed?: number;
}

const LEAVES = 31;

/**
 * Returns larger leaves for what is left over of a target: it is noisier than the target, and a fit to noise would make
 * intervals too narrow.
 */
export function correctionTreeParams(rowCount: number): TreeParams {
  return { maxLeaves: LEAVES, minRowsPerLeaf: clamp(Math.round(rowCount / 10), 10, 50) };
}

/** Fewer show the size of their errors too roughly. */
const ROWS_PER_ERROR_LEAF = 100;

/** Returns few and large leaves for the size of errors: the fewer the rows, the less is known of it. */
export function errorTreeParams(rowCount: number): TreeParams {
  return {
    maxLeaves: clamp(Math.round(rowCount / ROWS_PER_ERROR_LEAF), 4, LEAVES),
    minRowsPerLeaf: clamp(Math.round(rowCount / 10), 20, 50),
  };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
