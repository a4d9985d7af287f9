import { count, date, finePercent, number, percent, whole } from '../ui/format.js';
import type { ColumnProfile } from './column-profile.js';

const MAX_NAMED = 4;

/** Says what a column looks like, in a few words. */
export function describeColumn({ kind, range, values }: ColumnProfile): string {
  if (kind === 'empty') return 'no values';
  if (kind === 'category') return count(values.length, 'category', 'categories');
  const [low, high] = range ?? [0, 0];
  if (kind === 'date') return `dates, ${date(low)} to ${date(high)}`;
  return `numbers, ${number(low)} to ${number(high)}`;
}

const ORDERS = {
  'day-first': 'the day first',
  'month-first': 'the month first',
  'year-first': 'the year first',
  unambiguous: null,
} as const;

/** Describes how the texts of a column are read; null for plain texts. For an undecided column, gives the reason. */
export function describeReading({ reading }: ColumnProfile): string | null {
  if (reading === null) return null;
  if (reading.kind === 'undecided') return `Undecided: ${describeUndecided(reading)}.`;
  if (reading.kind === 'date') return ORDERS[reading.order];
  const { unit, decimal, group } = reading;
  const parts = [
    unit === null ? null : `in ${unit}`,
    decimal === ',' ? 'decimal comma' : null,
    group === null ? null : `thousands by “${group}”`,
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(', ') : null;
}

/** Says why a column is undecided. Behind the semicolon, the service says what a request would state; the page asks. */
export function describeUndecided({ reason }: { readonly reason: string }): string {
  return reason.split(';', 1)[0] ?? '';
}

/** Says how much of a column is missing, and which texts stand there; nothing if all is there. */
export function describeMissing({ missingShare, missing }: ColumnProfile): string | undefined {
  if (missingShare === 0) return undefined;
  const share = `${missingShare < 0.01 ? finePercent(missingShare) : percent(missingShare)} missing`;
  const [first] = missing;
  // Empty cells alone need no words.
  if (first === undefined || (first.text === '' && missing.length === 1)) return share;
  const words = missing.slice(0, MAX_NAMED).map(({ text, rows }) => `${whole(rows)} × ${text ? `“${text}”` : 'empty'}`);
  return `${share}: ${words.join(', ')}${missing.length > MAX_NAMED ? ', …' : ''}`;
}

/** Names the most frequent values of a column. */
export function nameValues({ values }: ColumnProfile): string {
  const names = values.slice(0, MAX_NAMED).map(([text]) => text);
  return names.join(', ') + (values.length > MAX_NAMED ? ', …' : '');
}
