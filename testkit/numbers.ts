/** @param share from 0, the least value, to 1, the greatest */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
