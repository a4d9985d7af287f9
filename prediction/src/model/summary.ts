import type { ValidationSummary } from '../table/validation.js';
import { cutText } from '../text/cut-text.js';

/** Models whose error is within this share of the baseline's are no better. */
const MIN_GAIN = 0.01;

/** The most characters of the name of a column in a summary. */
const MAX_NAME = 100;

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
 * @param validation the choice of the rows, unless they were drawn at random
 */
export function describeTestRows(rows: number, all: number, validation?: ValidationSummary): string {
  const { method = 'random', column = null, from = null } = validation ?? {};
  const count = rows.toLocaleString('en');
  const name = column === null ? '' : JSON.stringify(cutText(column, MAX_NAME));
  if (method === 'last') {
    return column === null
      ? `on the last ${count} rows of the table`
      : `on the last ${count} rows by ${name}, from ${from} on`;
  }
  if (method === 'group') {
    return 2 * rows > all
      ? `in a cross-validation of ${count} rows that keeps the groups of ${name} together`
      : `on ${count} rows of groups of ${name} that were held out`;
  }
  return 2 * rows > all ? `in a cross-validation of ${count} rows` : `on ${count} rows that were held out`;
}
