import type { components } from '../../../generated/openapi.js';

type Column = components['schemas']['Column'];

/** The most columns that a language model is told of: those that matter most. */
const MAX_COLUMNS = 64;

/** The most categories of a column that are offered as choices; more are told as examples. */
const MAX_CHOICES = 50;

/** The most characters of the categories of a column. */
const MAX_CHARACTERS = 2000;

/**
 * Returns the JSON Schema of a row: a property for each column that the model uses, with its range
 * or its categories.
 */
export function rowSchema(columns: readonly Column[]): Readonly<Record<string, unknown>> {
  const used = columns
    .filter((column) => column.used)
    .sort((one, other) => gainOf(other) - gainOf(one))
    .slice(0, MAX_COLUMNS);
  return {
    type: 'object',
    properties: Object.fromEntries(used.map((column) => [column.name, valueSchema(column)])),
    additionalProperties: false,
  };
}

function gainOf({ importance }: Column): number {
  return importance?.gain ?? 0;
}

function valueSchema({ kind, min, max, categories }: Column): object {
  const range = min === null || max === null ? {} : { description: `${min} to ${max}` };
  if (kind === 'number') return { type: 'number', ...range };
  if (kind === 'date') return { type: 'string', format: 'date', ...range };
  const known = fitting(categories ?? []).slice(0, MAX_CHOICES);
  if (known.length === 0) return { type: 'string' };
  const isWhole = known.length === categories?.length;
  return isWhole
    ? { type: 'string', enum: known }
    : { type: 'string', description: `such as ${known.join(', ')}` };
}

/** Returns the categories that fit into the bound, the first ones first. */
function fitting(categories: readonly string[]): string[] {
  let characters = 0;
  return categories.filter((category) => {
    if (characters + category.length > MAX_CHARACTERS) return false;
    characters += category.length;
    return true;
  });
}
