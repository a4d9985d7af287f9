import type { Remedy } from './finding.js';

/** An alternative of a column whose meaning nothing shows. */
interface Example extends Remedy {
  readonly text: string;
  readonly becomes: string;
}

/**
 * Says what a remedy does, as the words of its button.
 * @param examples of what parameters would make of a text
 */
export function describeRemedy({ parameter, value }: Remedy, examples: readonly Example[] = []): string {
  const example = examples.find((one) => one.parameter === parameter && one.value === value);
  const words = WORDS[parameter]?.(value) ?? `Set ${parameter}=${value}`;
  if (example === undefined) return words;
  // A date may be the same day in either order.
  return parameter === 'date_order'
    ? `${words}: ${example.text} is ${example.becomes}`
    : `Read ${example.text} as ${example.becomes}`;
}

const ORDERS: Readonly<Record<string, string>> = { 'day-first': 'day', 'month-first': 'month', 'year-first': 'year' };

const WORDS: Readonly<Record<string, (value: string) => string>> = {
  exclude: (column) => `Leave out ${column}`,
  drop_lines: (lines) => `Leave out line ${lines}`,
  as_category: (column) => `Use ${column} as categories`,
  as_number: (column) => `Read ${column} as numbers`,
  as_date: (column) => `Read ${column} as dates`,
  decimal_point: (column) => `${column} has a decimal point`,
  decimal_comma: (column) => `${column} has a decimal comma`,
  date_order: (order) => `The ${ORDERS[order] ?? order} comes first`,
  validate: (method) => `Measure it on ${method === 'last' ? 'the last rows' : `rows by ${method}`}`,
  validate_by: (column) => `Order or group rows by ${column}`,
  missing: (word) => `Count “${word}” as missing`,
  missing_in: (entry) => {
    const at = entry.indexOf('=');
    return `Count “${entry.slice(at + 1)}” in ${entry.slice(0, at)} as missing`;
  },
};
