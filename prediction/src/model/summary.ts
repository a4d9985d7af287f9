import type { Finding } from '../findings/finding.js';
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

/** The end of the summary of a model that is no better than a constant answer. */
export const COLUMNS_SAY_LITTLE = 'The columns say little or nothing of the target.';

/**
 * Names rows that can explain a bad error in the summary of a model, where it ends with `COLUMNS_SAY_LITTLE`: those of
 * totals, or with values of the target far outside the rest. Such a row outweighs the others in every error.
 *
 * @param findings of the table, the most important first
 */
export function blameRows(summary: string, findings: readonly AnyFinding[], target: string): string {
  const cause = findings.find(
    ({ kind, column }) => kind === 'totals_row' || (kind === 'outliers' && column === target),
  );
  if (cause === undefined || !summary.endsWith(COLUMNS_SAY_LITTLE)) return summary;
  const dropped = cause.remedies.map(({ parameter, value }) => `${parameter}=${value}`).join(' and ');
  const remedy = dropped ? `train again with ${dropped}` : 'train again without such rows';
  const rest = summary.slice(0, -COLUMNS_SAY_LITTLE.length);
  return `${rest}The columns may not be the reason: ${cause.message} If this is a mistake, ${remedy}.`;
}

/** The parts of a finding that explain an error. */
type AnyFinding = Pick<Finding, 'kind' | 'column' | 'message' | 'remedies'>;
