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
