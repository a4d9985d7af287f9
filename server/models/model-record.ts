/** How well a model did on rows that it had not seen, in words. */

import type { Model } from './model-rows.js';

export const count = new Intl.NumberFormat('en');
export const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/**
 * Returns how the intervals or sets of a model did on rows that it had not seen, in a sentence such as "Of 9,000 rows
 * that it had not seen, 8,102 were inside the interval at 90 %."; undefined while nothing is measured.
 */
export function describeRecord(model: Model): string | undefined {
  const measured = measureIntervals(model);
  if (!measured) return undefined;
  const { rows, share, level, what, where } = measured;
  const inside = count.format(Math.round(rows * share));
  return `Of ${count.format(rows)} ${what} that it had not seen, ${inside} were inside the ${where} at ${percent(level)}.`;
}

/** The share of what was held out that lay within the interval, or the set of classes, of a confidence. */
interface Measured {
  readonly rows: number;
  readonly share: number;
  readonly level: number;
  readonly what: 'rows' | 'values';
  readonly where: 'interval' | 'set';
}

function measureIntervals({ task, metrics }: Model): Measured | undefined {
  if (metrics === null) return undefined;
  if ('set_level' in metrics) {
    const { held_out_rows: rows, set_coverage: share, set_level: level } = metrics;
    return { rows, share, level, what: 'rows', where: 'set' };
  }
  const { interval_coverage: share, interval_level: level } = metrics;
  const rows = 'held_out_rows' in metrics ? metrics.held_out_rows : metrics.value_count;
  if (share === null || rows === 0) return undefined;
  return { rows, share, level, what: task === 'forecast' ? 'values' : 'rows', where: 'interval' };
}

/** The most columns that a report lists, those that matter most. */
const MAX_COLUMNS = 30;

/** Returns the quality of a model as Markdown: what it predicts, how well, and from which columns. */
export function reportQuality(model: Model): string {
  const { name, version, target, task, row_count, summary } = model;
  // The summary of a forecast says it already.
  const record = task === 'forecast' ? undefined : describeRecord(model);
  return [
    `# ${name}, version ${version}`,
    '',
    `A ${task} of \`${target}\`, learnt from ${count.format(row_count ?? 0)} rows.`,
    ...(summary === null ? [] : ['', summary]),
    ...(record === undefined ? [] : ['', record]),
    ...listErrors(model),
    ...listColumns(model),
    '',
  ].join('\n');
}

function listErrors({ metrics }: Model): string[] {
  if (metrics === null) return [];
  const row = (what: string, own: number, baseline: number) =>
    `| ${what} | ${number.format(own)} | ${number.format(baseline)} |`;
  const head = ['', '| error | model | baseline |', '|---|---|---|'];
  if ('rmse' in metrics) {
    const { rmse, baseline_rmse, mae, baseline_mae } = metrics;
    return [...head, row('RMSE', rmse, baseline_rmse), row('MAE', mae, baseline_mae)];
  }
  if ('log_loss' in metrics) {
    const { log_loss, baseline_log_loss, accuracy, baseline_accuracy } = metrics;
    return [
      ...head,
      row('log loss', log_loss, baseline_log_loss),
      row('share of wrong classes', 1 - accuracy, 1 - baseline_accuracy),
    ];
  }
  const { errors, baseline_errors } = metrics;
  return [...head, row('MAE', errors.mae, baseline_errors.mae), row('sMAPE', errors.smape, baseline_errors.smape)];
}

function listColumns({ columns }: Model): string[] {
  const used = (columns ?? []).filter(({ importance }) => importance !== null);
  if (used.length === 0) return [];
  const sorted = used.sort((one, other) => readGain(other) - readGain(one)).slice(0, MAX_COLUMNS);
  return [
    ...['', '| column | kind | share of what the model learnt |', '|---|---|---|'],
    ...sorted.map((column) => `| ${cell(column.name)} | ${column.kind} | ${percent(readGain(column))} |`),
  ];
}

/** Writes a text as the cell of a table, which it does not end. */
function cell(text: string): string {
  return text.replace(/[|\\]/g, '\\$&').replace(/\s+/g, ' ');
}

type Column = NonNullable<Model['columns']>[number];

function readGain({ importance }: Column): number {
  return importance?.gain ?? 0;
}

function percent(share: number): string {
  return `${number.format(share * 100)} %`;
}
