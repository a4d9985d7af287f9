/** Returns a quantile of values in ascending order; 0 without any. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.round(share * (sorted.length - 1))] ?? 0;
}

/** Returns the ranks of values, from 1; equal values share the mean of theirs. NaN has the rank NaN. */
export function ranks(values: Float64Array): Float64Array {
  const order = Uint32Array.from(values, (_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const present = order.filter((index) => !Number.isNaN(values[index]));
  const ranked = new Float64Array(values.length).fill(Number.NaN);
  for (let start = 0; start < present.length; ) {
    const value = values[present[start] ?? 0];
    let end = start;
    while (end < present.length && values[present[end] ?? 0] === value) end++;
    for (let at = start; at < end; at++) ranked[present[at] ?? 0] = (start + end + 1) / 2;
    start = end;
  }
  return ranked;
}

/** Returns Pearson's correlation over the rows that have both values; 0 if one of them does not vary. */
export function correlation(x: Float64Array, y: Float64Array): number {
  let [count, meanX, meanY, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < x.length; at++) {
    const one = x[at] ?? Number.NaN;
    const other = y[at] ?? Number.NaN;
    if (!Number.isFinite(one) || !Number.isFinite(other)) continue;
    count++;
    // Welford's update (1962), which does not cancel where values are large and vary little.
    const dx = one - meanX;
    const dy = other - meanY;
    meanX += dx / count;
    meanY += dy / count;
    xx += dx * (one - meanX);
    yy += dy * (other - meanY);
    xy += dx * (other - meanY);
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}

/** Returns the part of the variance that predictions explain, over the rows that have both; 0 without variance. */
export function explained(truths: Float64Array, predictions: Float64Array): number {
  let [count, mean, total, missed] = [0, 0, 0, 0];
  for (let at = 0; at < truths.length; at++) {
    const truth = truths[at] ?? Number.NaN;
    const prediction = predictions[at] ?? Number.NaN;
    if (!Number.isFinite(truth) || !Number.isFinite(prediction)) continue;
    count++;
    const difference = truth - mean;
    mean += difference / count;
    total += difference * (truth - mean);
    missed += (truth - prediction) ** 2;
  }
  return total > 0 ? 1 - missed / total : 0;
}

/** Returns the differences of successive values; NaN where one of them is missing. */
export function differences(values: Float64Array): Float64Array {
  return values.subarray(1).map((value, at) => value - (values[at] ?? Number.NaN));
}

/**
 * Returns the ratio of von Neumann (1941) on ranks (Bartels 1982): the mean squared difference of successive values over
 * their variance. It is near 2 for values in random order, and near 0 for values that drift.
 */
export function successiveRatio(values: Float64Array): number {
  const ranked = ranks(values.filter((value) => !Number.isNaN(value)));
  const mean = (ranked.length + 1) / 2;
  const variance = ranked.reduce((sum, rank) => sum + (rank - mean) ** 2, 0);
  const steps = differences(ranked).reduce((sum, step) => sum + step ** 2, 0);
  return variance > 0 ? steps / variance : 2;
}
