/** Limits within which trees are grown. */
export interface GrowthLimits {
  /** At most 32. */
  leaves: number;
  /** The fewest rows of a leaf. */
  leafRows: number;
  /**
   * The most rows that a tree is grown on: if there are more, each tree sees others of them, drawn
   * at random (Friedman 2002, stochastic gradient boosting). All of them if left out.
   */
  treeRows?: number;
}

const LEAVES = 31;

/** In large tables each tree sees so many rows, drawn anew: more take time and tell it no more. */
const TREE_ROWS = 100_000;

/** Drawing rows takes time too, and what each tree says must be told all of them: up to so many it does not pay. */
const FEWEST_TO_DRAW_FROM = 200_000;

/** Trees of LightGBM's size; in small tables their leaves hold fewer rows. */
export function valueLimits(rowCount: number): GrowthLimits {
  const leafRows = clamp(Math.round(rowCount / 25), 5, 20);
  return {
    leaves: LEAVES,
    leafRows,
    ...(rowCount > FEWEST_TO_DRAW_FROM && { treeRows: TREE_ROWS }),
  };
}

/**
 * The size of an error is a noisier thing to learn, and what is read into noise makes intervals
 * narrow where they should not be: larger leaves.
 */
export function errorLimits(rowCount: number): GrowthLimits {
  return { leaves: LEAVES, leafRows: clamp(Math.round(rowCount / 10), 10, 50) };
}

/** Rows that a category must have, if trees are to tell it from the others. */
export function fewestOfCategory(rowCount: number): number {
  return valueLimits(rowCount).leafRows / 2;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
