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

/**
 * Says which rows measure a model: of a small table all, in folds, of a large one some.
 * @param rows the rows that measure
 * @param all the rows of the table that have a target
 */
export function describeTestRows(rows: number, all: number): string {
  const count = rows.toLocaleString('en');
  return 2 * rows > all ? `in a cross-validation of ${count} rows` : `on ${count} rows that were held out`;
}
