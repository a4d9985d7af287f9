import type { Place } from '../table/reading/column-reading.js';
import { quote } from '../table/table-error.js';

/** Returns `The column "name"`. */
export function describeColumn(name: string): string {
  return `The column ${quote(name)}`;
}

/** Returns a number with separators, as messages have it. */
export function showCount(count: number): string {
  return count.toLocaleString('en');
}

/** Returns so many rows in words: `1 row`, `12 rows`. */
export function showRows(rows: number): string {
  return rows === 1 ? '1 row' : `${showCount(rows)} rows`;
}

/** The most places that a message names. */
const MAX_SHOWN = 3;

/**
 * Returns where rows are, in words: `in line 7`, `in lines 7, 12 and 31`, `first in rows 0, 4 and 9`.
 *
 * @param places of the first rows, at least one
 * @param rows of which these are the first
 */
export function showPlaces(places: readonly Place[], rows: number): string {
  const shown = places.slice(0, MAX_SHOWN);
  const kind = shown.some((place) => 'line' in place) ? 'line' : 'row';
  const numbers = shown.map((place) => showCount('line' in place ? place.line : place.row));
  const list = numbers.length > 1 ? `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}` : numbers.join();
  return `${rows > shown.length ? 'first ' : ''}in ${kind}${numbers.length > 1 ? 's' : ''} ${list}`;
}

/** Returns a share of the rows in words: `12 %`, `0.3 %`, `less than 0.1 %`. */
export function showShare(share: number): string {
  const percent = 100 * share;
  if (percent < 0.1) return 'less than 0.1 %';
  return `${percent.toLocaleString('en', { maximumFractionDigits: percent < 10 ? 1 : 0 })} %`;
}
