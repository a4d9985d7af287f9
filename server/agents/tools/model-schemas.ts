/** The JSON Schemas of what the tool of a model takes and answers. */

import type { components } from '../../../generated/openapi.js';

type Column = components['schemas']['Column'];

/** The most columns that a schema describes to a language model: those that matter most. */
const MAX_COLUMNS = 64;

/** The most categories of a column that are offered as choices; of more, some are examples. */
const MAX_CHOICES = 50;

/** The most characters of the categories of a column. */
const MAX_CHARACTERS = 2000;

/** Rows that have no value of the column are a series too, which null names. */
export function groupSchema(column: Column): object {
  const schema = valueSchema(column);
  return column.missing_share > 0 ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/**
 * Returns the JSON Schema of a row: a property for each column that the model uses, with its range or its categories,
 * and one that asks for reasons.
 */
export function rowSchema(columns: readonly Column[]): Readonly<Record<string, unknown>> {
  const used = usedColumns(columns).slice(0, MAX_COLUMNS);
  const values = used.map((column) => [column.name, valueSchema(column)]);
  return {
    type: 'object',
    properties: Object.fromEntries([...values, [nameExplain(columns), EXPLAIN]]),
    additionalProperties: false,
  };
}

const EXPLAIN = { type: 'boolean', description: 'true if it is asked why: adds the columns that contribute most.' };

/** Returns the name of the argument that asks for reasons: `explain`, unless the table has such a column. */
export function nameExplain(columns: readonly Pick<Column, 'name'>[]): string {
  let name = 'explain';
  while (columns.some((column) => column.name === name)) name += '_';
  return name;
}

/** Returns the columns that the model uses, the most important first. */
export function usedColumns(columns: readonly Column[]): Column[] {
  return columns
    .filter((column) => column.used)
    .sort((one, other) => (other.importance?.gain ?? 0) - (one.importance?.gain ?? 0));
}

function valueSchema({ kind, min, max, categories }: Column): object {
  const range = min === null || max === null ? {} : { description: `${min} to ${max}` };
  if (kind === 'number') return { type: 'number', ...range };
  if (kind === 'date') return { type: 'string', format: 'date', ...range };
  let characters = 0;
  const fitting = (categories ?? []).filter((category) => {
    if (characters + category.length > MAX_CHARACTERS) return false;
    characters += category.length;
    return true;
  });
  const choices = fitting.slice(0, MAX_CHOICES);
  if (choices.length === 0) return { type: 'string' };
  return choices.length === categories?.length
    ? { type: 'string', enum: choices }
    : { type: 'string', description: `such as ${choices.join(', ')}` };
}

const NUMBER = { type: 'number' };
const TEXT = { type: 'string' };
const INTERVAL = {
  type: 'object',
  properties: { min: NUMBER, max: NUMBER, confidence: NUMBER },
  required: ['min', 'max', 'confidence'],
};

const MISFIT = {
  type: 'object',
  properties: { kind: TEXT, name: TEXT, nearest: { type: ['string', 'null'] } },
  required: ['kind', 'name', 'nearest'],
};

/** The schema of the answer to a row. @param predicted what the task says of it */
function rowOutput(predicted: Readonly<Record<string, object>>) {
  const properties = {
    target: TEXT,
    ...predicted,
    not_given: { type: 'array', items: TEXT },
    did_not_fit: { type: 'array', items: MISFIT },
  };
  return { type: 'object', properties: { ...properties, ...REASONS }, required: Object.keys(properties) };
}

/** The schema of an explanation, where one is asked for. */
const REASONS = {
  before_any_column: { type: 'object', properties: { value: NUMBER, probability: NUMBER } },
  contributions: {
    type: 'array',
    description: 'The columns whose values led to this prediction, the strongest first; of classes, in log-odds.',
    items: { type: 'object', properties: { column: TEXT, adds: NUMBER }, required: ['column', 'adds'] },
  },
};

export const NUMBER_OUTPUT = rowOutput({ value: NUMBER, interval: INTERVAL });

export const CLASS_OUTPUT = rowOutput({
  class: TEXT,
  probability: NUMBER,
  may_be: {
    type: 'object',
    properties: { classes: { type: 'array', items: TEXT }, confidence: NUMBER },
    required: ['classes', 'confidence'],
  },
});

/** The schema of the answer to a series. @param orderBy the column whose moments the steps have */
export function forecastOutput(orderBy: string) {
  const step = { [orderBy]: TEXT, step: { type: 'integer' }, value: NUMBER, interval: INTERVAL, words: TEXT };
  return {
    type: 'object',
    properties: {
      target: TEXT,
      series: { type: 'object' },
      forecasts: { type: 'array', items: { type: 'object', properties: step, required: Object.keys(step) } },
      seasons: TEXT,
    },
    required: ['target', 'series', 'forecasts', 'seasons'],
  };
}
