import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import { boundsOf, type LookedColumn, type LookedTable } from './looked-table.js';
import { hasIdName } from './plain-columns.js';
import { dropRows, placesOf, showValue } from './remedies.js';
import { quantile } from './statistics.js';
import { showCount, showPlaces } from './words.js';

/** The fewest values, and different values, that show how far values of a column spread. */
const MIN_VALUES = 50;
const MIN_DISTINCT = 10;

/** The part of the values on a side of the median that shows how its tail thins out, and the fewest of them. */
const TAIL_SHARE = 0.1;
const MIN_TAIL = 15;

/** Larger values than the middle, and smaller ones. */
const SIDES = [1, -1] as const;

/** The most values, as a share of all and in number, that may be far outside. */
const MAX_OUTSIDE_SHARE = 0.05;
const MAX_OUTSIDE = 1000;

/** A gap is so many times as wide as the tail lets expect in one of so many columns, and the ratio of its ends. */
const MAX_CHANCE = 1e-6;
const MIN_RATIO = 3;

/** No tail is taken for thinner than this: few values show it badly. */
const MAX_INDEX = 6;

/** Numbers that stand for missing values in files of surveys, sensors and statistics packages. */
const CODES = new Set([99, 999, 9999, 99999, 999999, -9, -99, -999, -9999, -99999, -999999]);
const MAX_CODED_SHARE = 0.5;

/**
 * Finds values far outside the rest: in the target and in columns.
 *
 * On each side of the median, the distances of the values have a tail. Its index is Hill's (1975). The logarithms of the
 * ratios of successive distances are then exponential (Rényi 1953), so that a gap has a chance: heavy tails such as
 * those of prices make wide gaps likely, and raise no alarm.
 */
export function findOutliers(table: LookedTable): Finding[] {
  const { target, columns } = table;
  const ofTarget = target ? findIn(table, target) : [];
  return [...ofTarget, ...mergeRows(columns.flatMap((column) => findIn(table, column)))];
}

function findIn(table: LookedTable, column: LookedColumn): Finding[] {
  if (column.kind === 'category' || hasIdName(column.name)) return [];
  const coded = column.kind === 'number' ? findCode(table, column) : undefined;
  if (coded) return [coded];
  return findOutside(table, column);
}

const MAX_NAMED = 5;

/** Merges findings about the same rows: what several columns say is wrong is a wrong row. */
function mergeRows(findings: readonly Finding[]): Finding[] {
  const byRows = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.rows, finding.places]);
    byRows.set(key, [...(byRows.get(key) ?? []), finding]);
  }
  return [...byRows.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined || alike.length === 1) return alike;
    const { rows, places } = first;
    const names = alike.slice(0, MAX_NAMED).map(({ column }) => quote(column ?? ''));
    const more = alike.length > MAX_NAMED ? `, and ${alike.length - MAX_NAMED} more` : '';
    const named = rows === 1 ? 'One row has' : `${showCount(rows ?? 0)} rows have`;
    const message = `${named} values far outside the rest in ${alike.length} columns (${showPlaces(places, rows ?? 0)}): ${names.join(', ')}${more}.`;
    const effect = 'Such rows may be of another kind than the others, or their cells may stand in the wrong columns.';
    return [{ ...first, column: null, message, effect }];
  });
}

/** Finds a number that stands for a missing value: one of the usual ones, more than once, far from all others. */
function findCode(table: LookedTable, column: LookedColumn): Finding | undefined {
  const { sorted } = column;
  for (const code of [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN]) {
    if (!CODES.has(code)) continue;
    const others = sorted.filter((value) => value !== code);
    const times = sorted.length - others.length;
    const low = others[0] ?? 0;
    const high = others.at(-1) ?? 0;
    const gap = Math.min(Math.abs(code - low), Math.abs(code - high));
    const isWhole = others.every((value) => Number.isInteger(value));
    if (times < 2 || times > MAX_CODED_SHARE * sorted.length || gap < Math.max(high - low, isWhole ? 10 : 0)) continue;
    const rows = rowsWhere(table, column, (value) => value === code);
    return describe(table, column, rows, {
      message: `${showCount(rows.length)} rows have ${code} in the column ${quote(column.name)}, whose other values are ${showValue(low)} to ${showValue(high)}: it may stand for a missing value.`,
      effect: 'The model learns from it as from a number, and takes rows to predict with it for rows of that value.',
      remedies: [{ parameter: 'missing_in', value: `${column.name}=${code}` }],
    });
  }
  return undefined;
}

/** The values of a column that are far outside the rest. */
interface Outside {
  readonly middle: number;
  readonly isOutside: (value: number) => boolean;
}

/**
 * Finds the bounds beyond which the values of a column are far outside the rest; undefined if none are.
 *
 * @param scanned the rows that are looked at one by one
 */
export function findLimits(column: LookedColumn, scanned: Uint32Array): Outside | undefined {
  if (column.present < MIN_VALUES || column.distinct < MIN_DISTINCT) return undefined;
  const middle = quantile(column.sorted, 0.5);
  const [low, high] = boundsOf(column);
  const limits = SIDES.map((side) => side * findLimit(scanned, column, middle, side, side > 0 ? high : low));
  const [above = Number.POSITIVE_INFINITY, below = Number.NEGATIVE_INFINITY] = limits;
  if (!Number.isFinite(above) && !Number.isFinite(below)) return undefined;
  return { middle, isOutside: (value) => value - middle > above || value - middle < below };
}

function findOutside(table: LookedTable, column: LookedColumn): Finding[] {
  const { sorted } = column;
  const limits = findLimits(column, table.scanned);
  if (limits === undefined) return [];
  const { middle, isOutside } = limits;
  const rows = rowsWhere(table, column, isOutside);
  const rest = sorted.filter((value) => !isOutside(value));
  const values = rows.map((row) => column.at(row));
  const farthest = values.reduce((a, b) => (Math.abs(b - middle) > Math.abs(a - middle) ? b : a), middle);
  const show = (value: number | undefined) => showValue(value ?? Number.NaN, column.kind);
  const isTarget = column === table.target;
  const what = isTarget ? 'target' : 'column';
  const places = placesOf(table, rows);
  const verb = rows.length === 1 ? 'has a value' : 'have values';
  const named = rows.length === 1 ? 'One row' : `${showCount(rows.length)} rows`;
  return [
    describe(table, column, rows, {
      message: `${named} (${showPlaces(places, rows.length)}) ${verb} of the ${what} ${quote(column.name)} far outside the rest, such as ${show(farthest)}; all others are ${show(rest[0])} to ${show(rest.at(-1))}.`,
      effect: isTarget
        ? 'Squared errors of such rows outweigh those of all others, and intervals become wide.'
        : 'If the values are mistakes, the model learns from wrong rows; trees are otherwise little moved by them.',
      remedies: dropRows(places, rows.length),
    }),
  ];
}

/**
 * Returns the distance from the middle, on a side of it, beyond which values are far outside; infinite if none are.
 *
 * @param side 1 for larger values, −1 for smaller ones.
 * @param farthest the value that is farthest on this side, in all rows.
 */
function findLimit(scanned: Uint32Array, column: LookedColumn, middle: number, side: 1 | -1, farthest: number): number {
  const tail = tailOf(column.sorted, middle, side);
  const size = Math.max(MIN_TAIL, Math.floor(TAIL_SHARE * tail.length));
  if (tail.length < 2 * size) return Number.POSITIVE_INFINITY;
  const base = tail.at(-size - 1) ?? 0;
  // No gap is wider than all of the tail, and most tails need no more than this.
  if (side * (farthest - middle) < MIN_RATIO * base) return Number.POSITIVE_INFINITY;
  const most = Math.min(MAX_OUTSIDE, Math.max(3, Math.floor(MAX_OUTSIDE_SHARE * scanned.length)));
  const largest = findLargest(column, scanned, (value) => side * (value - middle), base, most + 1);
  let limit = Number.POSITIVE_INFINITY;
  const logs = tail.subarray(-size).map((distance) => Math.log(distance / base));
  for (let outside = 1; outside < largest.length; outside++) {
    const upper = largest[outside - 1] ?? 0;
    const lower = largest[outside] ?? 0;
    const ratio = upper / lower;
    if (!(ratio >= MIN_RATIO)) continue;
    const inside = logs.filter((each) => each <= Math.log(lower / base));
    const mean = inside.reduce((sum, each) => sum + each, 0) / Math.max(1, inside.length);
    if (inside.length < MIN_TAIL / 2) continue;
    const index = Math.min(MAX_INDEX, 1 / mean);
    if (ratio ** (-index * outside) < MAX_CHANCE) limit = Math.sqrt(upper * lower);
  }
  return limit;
}

/** Returns the distances of the values on a side of the middle, ascending. */
function tailOf(sorted: Float64Array, middle: number, side: 1 | -1): Float64Array {
  if (side > 0) {
    let start = sorted.length;
    while (start > 0 && (sorted[start - 1] ?? 0) > middle) start--;
    return sorted.subarray(start).map((value) => value - middle);
  }
  let end = 0;
  while (end < sorted.length && (sorted[end] ?? 0) < middle) end++;
  return sorted
    .slice(0, end)
    .reverse()
    .map((value) => middle - value);
}

/** Returns the largest distances of some rows, the largest first; those up to `base` are left out. */
function findLargest(
  column: LookedColumn,
  rows: Uint32Array,
  distanceOf: (value: number) => number,
  base: number,
  most: number,
): Float64Array {
  const found = new Float64Array(4 * most);
  let size = 0;
  let floor = base;
  for (const row of rows) {
    const distance = distanceOf(column.at(row));
    if (!(distance > floor) || distance === Number.POSITIVE_INFINITY) continue;
    found[size++] = distance;
    if (size < found.length) continue;
    found.sort().reverse();
    size = most;
    floor = found[most - 1] ?? base;
  }
  return found.subarray(0, size).sort().reverse().subarray(0, most);
}

function rowsWhere({ scanned }: LookedTable, { at }: LookedColumn, holds: (value: number) => boolean): number[] {
  const rows: number[] = [];
  for (const row of scanned) if (holds(at(row))) rows.push(row);
  return rows;
}

function describe(
  table: LookedTable,
  column: LookedColumn,
  rows: readonly number[],
  described: Pick<Finding, 'message' | 'effect' | 'remedies'>,
): Finding {
  const places = placesOf(table, rows);
  return {
    kind: 'outliers',
    column: column.name,
    rows: rows.length,
    share: rows.length / table.scanned.length,
    places,
    ...described,
  };
}
