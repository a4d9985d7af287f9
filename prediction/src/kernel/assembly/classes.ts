/*
 * Boosting of classes. The scores of a class are kept as powers of e: a step multiplies them, and
 * probabilities take no exponential of each row.
 */

/**
 * Multiplies the powers of rows by a number.
 *
 * @param powers f64 by row of the table.
 */
export function multiplyRows(powers: usize, rows: usize, count: u32, factor: f64): void {
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const at = powers + 8 * <usize>load<u32>(rows);
    store<f64>(at, load<f64>(at) * factor);
  }
}

/**
 * Adds the powers of one class to the sums of those of all.
 *
 * @param sums f64 by row of the table.
 */
export function addPowers(sums: usize, rows: usize, count: u32, powers: usize): void {
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const row = 8 * <usize>load<u32>(rows);
    store<f64>(sums + row, load<f64>(sums + row) + load<f64>(powers + row));
  }
}

/**
 * Writes the residuals of a class: 1 in its rows and 0 in others, minus its probability, which is
 * the share of its power in the sum.
 *
 * @param labels u16 by row of the table: the classes.
 * @param residuals f64 by row of the table.
 */
export function classResiduals(
  rows: usize,
  count: u32,
  powers: usize,
  sums: usize,
  labels: usize,
  label: u32,
  residuals: usize,
): void {
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const row = <usize>load<u32>(rows);
    const actual: f64 = <u32>load<u16>(labels + 2 * row) === label ? 1 : 0;
    const probability = load<f64>(powers + 8 * row) / load<f64>(sums + 8 * row);
    store<f64>(residuals + 8 * row, actual - probability);
  }
}

/**
 * Returns the sum of the second derivatives of the log loss by the score, p (1 − p). A residual is
 * −p or 1 − p.
 */
export function curvature(rows: usize, count: u32, residuals: usize): f64 {
  let sum: f64 = 0;
  for (const end = rows + 4 * count; rows < end; rows += 4) {
    const residual = abs(load<f64>(residuals + 8 * <usize>load<u32>(rows)));
    sum += residual * (1 - residual);
  }
  return sum;
}
