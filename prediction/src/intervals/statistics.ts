export function average(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function rootMeanSquare(values: Float64Array): number {
  return Math.sqrt(average(values.map((value) => value * value)));
}

/**
 * Returns the standard deviation of the values themselves, not an estimate for their distribution.
 */
export function standardDeviation(values: Float64Array): number {
  const mean = average(values);
  return rootMeanSquare(values.map((value) => value - mean));
}

/** Returns the values of the given rows, in their order. */
export function pick(values: Float64Array, rows: Uint32Array): Float64Array {
  return Float64Array.from(rows, (row) => values[row] ?? 0);
}

/**
 * Parts rows by ascending value into groups of about as many rows; equal values may be parted.
 *
 * @param maxGroups fewer, where groups would have fewer rows than `minRows`.
 * @returns the rows of each group.
 */
export function groupByValue(values: Float64Array, maxGroups: number, minRows: number): Uint32Array[] {
  const order = Uint32Array.from(values, (_, row) => row).sort(
    (one, other) => (values[one] ?? 0) - (values[other] ?? 0) || one - other,
  );
  const count = Math.max(1, Math.min(maxGroups, Math.floor(order.length / minRows)));
  return Array.from({ length: count }, (_, group) =>
    order.subarray(Math.floor((group * order.length) / count), Math.floor(((group + 1) * order.length) / count)),
  );
}

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
