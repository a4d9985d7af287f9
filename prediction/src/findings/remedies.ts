import type { Place } from '../table/reading/column-reading.js';
import { MAX_PLACES } from '../table/rows-read.js';
import { MAX_REMEDIES, type Remedy } from './finding.js';
import { type LookedTable, MAX_DATE } from './looked-table.js';
import { showCount } from './words.js';

/** Returns the places of the first rows, at most `MAX_PLACES`. */
export function placesOf(table: LookedTable, rows: readonly number[]): Place[] {
  return rows.slice(0, MAX_PLACES).map((row) => table.placeOf(row));
}

/** Returns the parameters that leave out rows, if they are so few that a finding can name them all. */
export function dropRows(places: readonly Place[], rows: number): Remedy[] {
  if (rows > MAX_REMEDIES || rows !== places.length) return [];
  return places.map((place) => ({ parameter: 'drop_lines', value: String('line' in place ? place.line : place.row) }));
}

/** Describes the rows that were looked at: all, a sample, or the first ones. */
function amongRows({ rows, rowCount, isBeginning }: LookedTable): string {
  if (rows.length < rowCount) return `a sample of ${showCount(rows.length)} of the ${showCount(rowCount)} rows`;
  return isBeginning ? `the first ${showCount(rowCount)} rows` : `the ${showCount(rowCount)} rows`;
}

/** Describes the rows that were looked at one by one. */
export function amongScanned(table: LookedTable): string {
  return amongRows({ ...table, rows: table.scanned });
}

/** Returns a number with at most six significant digits, and a date as its day. */
export function showValue(value: number | undefined, kind: 'number' | 'date' | 'category' = 'number'): string {
  if (value === undefined) return 'none';
  if (kind === 'date') return Math.abs(value) <= MAX_DATE ? new Date(value).toISOString().slice(0, 10) : String(value);
  const isExtreme = Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 1e-6);
  return isExtreme ? value.toExponential(3) : value.toLocaleString('en', { maximumSignificantDigits: 6 });
}
