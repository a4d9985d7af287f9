/** Models whose error is within this share of the baseline's are no better. */
const MIN_GAIN = 0.01;

export function isBetter(error: number, baseline: number): boolean {
  return !(error > (1 - MIN_GAIN) * baseline);
}

export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}
