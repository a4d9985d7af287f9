import { minRowsPerLeaf } from '../table/column-profile.js';

/**
 * The limits for growing trees. The names follow LightGBM's: `num_leaves`, `min_data_in_leaf`,
 * `bagging_fraction`.
 */
export interface TreeParams {
  /** At most 32. */
  maxLeaves: number;
  /** The fewest rows of a leaf. */
  minRowsPerLeaf: number;
  /**
   * The most rows that a tree is grown on. If there are more, each tree gets another random sample
   * (Friedman 2002, stochastic gradient boosting). If left out, every tree gets all rows.
   */
  rowsPerTree?: number;
}

const LEAVES = 31;

/** The sample size per tree in large tables: more rows take longer and gain nothing. */
const TREE_ROWS = 100_000;

/** Below this size, row sampling costs more than it saves. */
const MIN_ROWS_TO_SAMPLE = 200_000;

/** Returns LightGBM's default tree size; in small tables leaves hold fewer rows. */
export function valueTreeParams(rowCount: number): TreeParams {
  const rowsPerTree = rowCount > MIN_ROWS_TO_SAMPLE ? { rowsPerTree: TREE_ROWS } : {};
  return { maxLeaves: LEAVES, minRowsPerLeaf: minRowsPerLeaf(rowCount), ...rowsPerTree };
}

/**
 * Returns larger leaves: the size of an error is noisier than the target, and a fit to noise would
 * make intervals too narrow.
 */
export function errorTreeParams(rowCount: number): TreeParams {
  return { maxLeaves: LEAVES, minRowsPerLeaf: clamp(Math.round(rowCount / 10), 10, 50) };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
