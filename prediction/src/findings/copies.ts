import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable } from './looked-table.js';
import { isRowNumber } from './plain-columns.js';
import { correlation } from './statistics.js';

/** The rows on which columns are compared first: a thousand columns have half a million pairs. */
const FIRST_ROWS = 64;

/** The rows on which those that agree are compared again. */
const MAX_ROWS = 5000;

/** The correlation of a column with its copy in another unit: rounding alone is between them. */
const LINEAR = 0.99999;

/** Rounding leaves a copy nearly as many values as its original has: numbers of pupils are no copy of those of schools. */
const LIKE_DISTINCT = 0.9;

/** Finds columns that have the information of an earlier column: equal, in another unit, or in other words. */
export function findCopies(table: LookedTable): Finding[] {
  // Columns that number the rows have a finding that says more.
  const columns = table.columns.filter((column) => !isRowNumber(table, column)).map(fingerprint);
  const originals: Fingerprint[] = [];
  const findings: Finding[] = [];
  for (const copy of columns) {
    let says: string | undefined;
    const original = originals.find((other) => {
      says = compare(other, copy);
      return says !== undefined;
    });
    if (original === undefined) {
      originals.push(copy);
      continue;
    }
    const { name } = copy.column;
    findings.push({
      kind: 'copied_column',
      column: name,
      rows: null,
      share: null,
      places: [],
      message: `The column ${quote(name)} ${says} the column ${quote(original.column.name)}.`,
      effect: 'The model gains nothing from the second one, and the importance of the two is divided between them.',
      remedies: [{ parameter: 'exclude', value: name }],
    });
  }
  return findings;
}

/** Returns the words that join a copy to its original, as in "equals"; undefined if it is none. */
export function describeCopy(original: LookedColumn, copy: LookedColumn): string | undefined {
  return compare(fingerprint(original), fingerprint(copy));
}

/** A column with its first values, less their mean and divided by their length as a vector: 0 where they are missing. */
interface Fingerprint {
  readonly column: LookedColumn;
  readonly first: Float64Array;
}

function fingerprint(column: LookedColumn): Fingerprint {
  const values = column.sample.subarray(0, FIRST_ROWS);
  const present = values.filter(Number.isFinite);
  const mean = present.reduce((sum, value) => sum + value, 0) / Math.max(1, present.length);
  const centred = values.map((value) => (Number.isFinite(value) ? value - mean : 0));
  const length = Math.hypot(...centred);
  return { column, first: length > 0 ? centred.map((value) => value / length) : centred };
}

function compare(one: Fingerprint, other: Fingerprint): string | undefined {
  const [original, copy] = [one.column, other.column];
  if (original.distinct < 2 || copy.distinct < 2 || original.present !== copy.present) return undefined;
  const areValues = original.kind !== 'category' && copy.kind !== 'category';
  if (!areValues || Math.min(original.distinct, copy.distinct) === 2) {
    return arePaired(original, copy) ? 'has one value for each value of' : undefined;
  }
  if (Math.abs(dot(one.first, other.first)) < LINEAR && dot(one.first, one.first) > 0) return undefined;
  if (areEqual(original.sample, copy.sample)) return 'equals';
  // A moment soon after another one is no copy of it.
  if (original.kind === 'date' || copy.kind === 'date' || !haveSameGaps(original, copy)) return undefined;
  if (Math.min(original.distinct, copy.distinct) < LIKE_DISTINCT * Math.max(original.distinct, copy.distinct)) {
    return undefined;
  }
  const all = correlation(original.sample.subarray(0, MAX_ROWS), copy.sample.subarray(0, MAX_ROWS));
  return Math.abs(all) >= LINEAR ? 'is a linear function of' : undefined;
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

function haveSameGaps(one: LookedColumn, other: LookedColumn): boolean {
  return one.sample.every((value, at) => Number.isNaN(value) === Number.isNaN(other.sample[at]));
}

function areEqual(one: Float64Array, other: Float64Array): boolean {
  return one.every((value, at) => Object.is(value, other[at]) || value === other[at]);
}

/** Returns whether each value of one column goes with one value of the other, and back. */
function arePaired(one: LookedColumn, other: LookedColumn): boolean {
  // Two identifiers match each other, whatever they name.
  if (one.distinct !== other.distinct || 2 * one.distinct > one.present) return false;
  const there = new Map<number, number>();
  const back = new Set<number>();
  for (const [at, value] of one.sample.entries()) {
    const partner = other.sample[at] ?? Number.NaN;
    const known = there.get(value);
    if (known !== undefined && !Object.is(known, partner)) return false;
    if (known !== undefined) continue;
    if (back.has(partner)) return false;
    there.set(value, partner);
    back.add(partner);
  }
  return true;
}
