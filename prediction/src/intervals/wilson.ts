/** The standard normal quantile of 0.975. */
const Z = 1.959964;

/**
 * Returns the Wilson score interval of 95 % for a share counted in some rows: where the true share
 * may lie, given chance. Unlike the normal approximation, it holds near 0 and 1 and in few rows.
 */
export function wilson(share: number, rows: number): [number, number] {
  const weight = Z ** 2 / rows;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (Z / (1 + weight)) * Math.sqrt((share * (1 - share)) / rows + weight / (4 * rows));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
