import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import { findKnownUnits } from './known-units.js';
import type { LookedColumn, LookedTable } from './looked-table.js';
import { hasIdName } from './plain-columns.js';
import { amongScanned, placesOf, showValue } from './remedies.js';
import { quantile } from './statistics.js';
import { showCount, showPlaces, showShare } from './words.js';

/** The fewest rows of the smaller group, as a number and a share. */
const MIN_ROWS = 6;
const MIN_SHARE = 0.003;

/** The fewest values, and different values, that show a gap between groups. */
const MIN_PRESENT = 50;
const MIN_DISTINCT = 10;

/**
 * Factors between units that occur beside each other. Smaller ones, such as inches in centimetres, are met by chance:
 * the compression of petrol and diesel engines differs by 2.5. `known-units.ts` has those of named quantities.
 */
const FACTORS = [10, 100, 1000, 1e6] as const;

/** How near the ratio of the medians is to a factor, in logarithms to the base of 10. */
const NEAR = 0.08;

/** The groups have a gap between them that is at least this part of the distance of their medians. */
const MIN_GAP = 0.3;

/** A group far from another: the gap is so many times the range of either, and both have some rows and the same spread. */
const FAR_GAP = 3;
const MIN_SHIFTED = 10;

/** Finds columns whose values form two groups that are the same, but in another unit: or one shifted far from the other. */
export function findMixedUnits(table: LookedTable): Finding[] {
  const { target, columns } = table;
  return [...(target ? [target] : []), ...columns].flatMap((column) => {
    if (
      column.kind !== 'number' ||
      hasIdName(column.name) ||
      column.distinct < MIN_DISTINCT ||
      column.present < MIN_PRESENT
    )
      return [];
    const found = findKnown(column) ?? findFactor(column) ?? findShift(column);
    return found ? [describe(table, column, found)] : [];
  });
}

interface TwoGroups {
  /** The least value of the upper group. */
  readonly from: number;
  readonly text: string;
  /** Describes the groups, after a comma; absent for unknown units. */
  readonly as?: string;
}

function findKnown({ name, sorted }: LookedColumn): TwoGroups | undefined {
  const found = findKnownUnits(name, sorted);
  if (found === undefined) return undefined;
  const { from, pair } = found;
  const { factor, offset, larger, smaller } = pair;
  const text = offset === 0 ? `about ${showValue(factor)} times as large as` : 'as far from';
  return { from, text, as: `, as ${larger} are ${offset === 0 ? 'to' : 'from'} ${smaller}` };
}

function findFactor({ sorted }: LookedColumn): TwoGroups | undefined {
  // Signs and zeros have no unit.
  const sign = (sorted.at(-1) ?? 0) > 0 ? 1 : -1;
  const logs = sorted.filter((value) => sign * value > 0).map((value) => Math.log10(sign * value));
  if (sign < 0) logs.reverse();
  if (logs.length < 0.9 * sorted.length) return undefined;
  const cut = widestGap(logs);
  if (cut === undefined) return undefined;
  const [below, above] = [logs.subarray(0, cut), logs.subarray(cut)];
  const distance = quantile(above, 0.5) - quantile(below, 0.5);
  const gap = (above[0] ?? 0) - (below.at(-1) ?? 0);
  if (gap < MIN_GAP * distance || !haveLikeSpread(below, above, FEW)) return undefined;
  const factor = FACTORS.find((each) => Math.abs(Math.log10(each) - distance) <= NEAR);
  if (factor === undefined) return undefined;
  const text = `${showValue(factor)} times as large as`;
  return { from: sign > 0 ? 10 ** ((above[0] ?? 0) - gap / 2) : Number.NaN, text };
}

/** The quartiles of fewer values say little. */
const FEW = 20;

function haveLikeSpread(below: Float64Array, above: Float64Array, few: number): boolean {
  const spread = (group: Float64Array) => quantile(group, 0.75) - quantile(group, 0.25);
  const [one, other] = [spread(below), spread(above)];
  const most = Math.min(below.length, above.length) < few ? 5 : 2;
  return one > 0 && other <= most * one && one <= most * Math.max(other, 1e-9);
}

/** Finds two groups of values of which each is narrow against the gap between them. */
function findShift({ sorted }: LookedColumn): TwoGroups | undefined {
  const cut = widestGap(sorted);
  if (cut === undefined) return undefined;
  const [below, above] = [sorted.subarray(0, cut), sorted.subarray(cut)];
  const gap = (above[0] ?? 0) - (below.at(-1) ?? 0);
  const range = (group: Float64Array) => (group.at(-1) ?? 0) - (group[0] ?? 0);
  const widest = Math.max(range(below), range(above));
  if (Math.min(below.length, above.length) < MIN_SHIFTED || widest === 0 || gap < FAR_GAP * widest) return undefined;
  const isContinuous = [below, above].every((group) => new Set(group).size >= MIN_DISTINCT / 2);
  if (!isContinuous || !haveLikeSpread(below, above, 0)) return undefined;
  const distance = quantile(above, 0.5) - quantile(below, 0.5);
  return { from: ((above[0] ?? 0) + (below.at(-1) ?? 0)) / 2, text: `about ${showValue(distance)} larger than` };
}

/** Returns the index above the widest gap that leaves enough values on both sides; undefined without one. */
function widestGap(sorted: Float64Array): number | undefined {
  const least = Math.max(MIN_ROWS, Math.ceil(MIN_SHARE * sorted.length));
  let cut: number | undefined;
  let widest = 0;
  for (let at = least; at <= sorted.length - least; at++) {
    const gap = (sorted[at] ?? 0) - (sorted[at - 1] ?? 0);
    if (gap > widest) [cut, widest] = [at, gap];
  }
  return cut;
}

function describe(table: LookedTable, column: LookedColumn, { from, text, as = '' }: TwoGroups): Finding {
  const upper: number[] = [];
  const lower: number[] = [];
  for (const row of table.scanned) {
    const value = column.at(row);
    if (value > from) upper.push(row);
    else if (!Number.isNaN(value)) lower.push(row);
  }
  const fewer = upper.length < lower.length ? upper : lower;
  const places = placesOf(table, fewer);
  const share = fewer.length / table.scanned.length;
  const isTarget = column === table.target;
  const what = isTarget ? 'target' : 'column';
  return {
    kind: 'mixed_units',
    column: column.name,
    rows: fewer.length,
    share,
    places,
    message: `The values of the ${what} ${quote(column.name)} form two groups with a gap between them, one ${text} the other${as}, in ${amongScanned(table)}: ${showCount(fewer.length)} rows (${showShare(share)}; ${showPlaces(places, fewer.length)}) may be in another unit.`,
    effect: isTarget
      ? 'Errors of the group with large values outweigh all others.'
      : 'The model takes equal values in two units for different ones.',
    remedies: isTarget ? [] : [{ parameter: 'exclude', value: column.name }],
  };
}
