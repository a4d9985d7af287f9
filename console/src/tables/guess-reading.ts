import { type ColumnReading, readDateText, readNumberText } from 'roster-prediction/browser';

/** The share of the rows that makes the kind of a column. */
const NEARLY_ALL = 0.95;

const ORDERS = ['day-first', 'month-first', 'year-first'] as const;

/**
 * Guesses how a column is read by its first texts, for a table that the service has not read yet. Numbers of one unit,
 * and dates; null for texts that are neither, or that have more than one meaning.
 * @param values with the rows of each
 */
export function guessReading(values: readonly (readonly [text: string, rows: number])[]): ColumnReading | null {
  const least = NEARLY_ALL * values.reduce((sum, [, rows]) => sum + rows, 0);
  return guessNumbers(values, least) ?? guessDates(values, least);
}

type Guess = (values: Parameters<typeof guessReading>[0], least: number) => ColumnReading | null;

const guessNumbers: Guess = (values, least) => {
  const numbers = values.flatMap(([text, rows]) => {
    const number = readNumberText(text);
    return number === undefined ? [] : [{ ...number, rows }];
  });
  const unit = numbers[0]?.unit ?? null;
  const same = numbers.filter((number) => number.unit === unit);
  if (same.length === 0 || sumRows(same) < least) return null;
  const points = sumRows(same.filter(({ values }) => Number.isNaN(values[','])));
  const commas = sumRows(same.filter(({ values }) => Number.isNaN(values['.'])));
  if (points === commas && same.some(({ either }) => either !== null)) return null;
  const decimal = commas > points ? ',' : '.';
  const group = same.find(({ groups }) => groups[decimal] !== null)?.groups[decimal] ?? null;
  return { kind: 'number', unit, decimal, group, decided_by: 'values' };
};

const guessDates: Guess = (values, least) => {
  const dates = values.flatMap(([text, rows]) => {
    const date = readDateText(text);
    return date === undefined ? [] : [{ ...date, rows }];
  });
  if (dates.length === 0 || sumRows(dates) < least) return null;
  const unordered = dates.flatMap(({ byOrder }) => byOrder ?? []);
  if (unordered.length === 0) return { kind: 'date', order: 'iso', decided_by: 'values' };
  const [order, ...others] = ORDERS.filter((one) => unordered.every((byOrder) => !Number.isNaN(byOrder[one])));
  return order === undefined || others.length > 0 ? null : { kind: 'date', order, decided_by: 'values' };
};

const sumRows = (counted: readonly { readonly rows: number }[]) => counted.reduce((sum, { rows }) => sum + rows, 0);
