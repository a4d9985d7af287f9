/** How well a model did on rows that it had not seen, in words. */

import { cutText } from 'roster-prediction/text';
import type { ModelErrors } from 'roster-prediction/training';
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

/** The most findings that are said in words, and the most characters of one. */
const MAX_FINDINGS = { toAgents: 3, inReports: 10 } as const;
const MAX_CHARACTERS = 400;

/**
 * Describes the most important findings of a training, so that agents can qualify the predictions of its model. Undefined
 * without any.
 */
export function describeFindings({ findings }: Model): string | undefined {
  const important = findings.filter(({ kind }) => kind !== 'unused_column').slice(0, MAX_FINDINGS.toAgents);
  if (important.length === 0) return undefined;
  return `Found in its table: ${important.map(({ message }) => cutText(message, MAX_CHARACTERS)).join(' ')}`;
}

function listFindings({ findings }: Model): string[] {
  if (findings.length === 0) return [];
  const shown = findings.slice(0, MAX_FINDINGS.inReports);
  const more = findings.length - shown.length;
  return [
    ...['', '## Findings about its table', ''],
    ...shown.map(({ message, effect }) => `- ${cell(effect === null ? message : `${message} ${effect}`)}`),
    ...(more > 0 ? [`- ${count.format(more)} more`] : []),
  ];
}

/** Returns the rows that a version is trained on, such as `100 of 600 rows`. */
function describeRows({ row_count, reading }: Model): string {
  const used = count.format(reading?.rows_used ?? row_count ?? 0);
  const all = reading?.rows_of_query ?? reading?.rows_sent;
  return all === undefined || all === reading?.rows_used ? `${used} rows` : `${used} of ${count.format(all)} rows`;
}

/** The most columns that a report lists, those that matter most. */
const MAX_COLUMNS = 30;

/** Returns the quality of a model as Markdown: what it predicts, how well, where it is weak, and from which columns. */
export function reportQuality(model: Model, errors?: Pick<ModelErrors, 'slices'>): string {
  const { name, version, target, task, summary } = model;
  // The summary of a forecast says it already.
  const record = task === 'forecast' ? undefined : describeRecord(model);
  return [
    `# ${name}, version ${version}`,
    '',
    `A ${task} of \`${target}\`, learnt from ${describeRows(model)}.`,
    ...(summary === null ? [] : ['', summary]),
    ...(record === undefined ? [] : ['', record]),
    ...listErrors(model),
    ...listSlices(errors?.slices ?? []),
    ...listColumns(model),
    ...listFindings(model),
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

/** Says where the model errs most; nothing if chance explains the differences. */
function listSlices(slices: ModelErrors['slices']): string[] {
  if (slices.length === 0) return [];
  return ['', 'It is weakest here:', '', ...slices.map(({ message }) => `- ${cell(message)}`)];
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
