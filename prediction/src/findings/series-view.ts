import { formatMoment } from '../table/moments.js';
import type { ForecastTable } from '../table/series-table.js';
import { quote } from '../table/table-error.js';
import { findMoment } from '../table/time-grid.js';
import { showCount } from './words.js';

/** The most values of the series that are looked at, and the most series: evenly spaced ones of more. */
const MAX_VALUES = 2_000_000;
const MAX_SERIES = 20_000;

/** The most series that a message names. */
const MAX_NAMED = 3;

/** A series as inspectors look at it. */
export interface LookedSeries {
  readonly index: number;
  /** The position of the first value on the grid. */
  readonly start: number;
  /** A value a step; NaN is a gap. */
  readonly values: Float64Array;
}

/** The series of a table that are looked at, all or some. */
export interface LookedSeriesSet {
  readonly table: ForecastTable;
  readonly series: readonly LookedSeries[];
  /** The position of the last value of all series. */
  readonly end: number;
}

/** Chooses the series that are looked at: all, or evenly spaced ones of a table of many values. */
export function lookAtSeries(table: ForecastTable): LookedSeriesSet {
  const { starts, ends, values } = table;
  const most = Math.min(MAX_SERIES, Math.floor((MAX_VALUES * ends.length) / Math.max(1, values.length)));
  const count = Math.max(1, Math.min(ends.length, most));
  const series: LookedSeries[] = [];
  for (let at = 0; at < count; at++) {
    const index = Math.floor((at * ends.length) / count);
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0);
    series.push({ index, start: starts[index] ?? 0, values: values.subarray(from, ends[index]) });
  }
  let end = Number.NEGATIVE_INFINITY;
  let from = 0;
  for (let index = 0; index < ends.length; index++) {
    const to = ends[index] ?? 0;
    end = Math.max(end, (starts[index] ?? 0) + to - from - 1);
    from = to;
  }
  return { table, series, end };
}

/** Returns the position of the last value of a series. */
export function endOf({ start, values }: LookedSeries): number {
  return start + values.length - 1;
}

/** Returns the moment of a position as the table writes it. */
export function momentAt({ grid }: ForecastTable, position: number): string {
  return String(formatMoment(grid.form, findMoment(grid, position)));
}

/** Returns the name of a series: the values of its groups. */
export function nameSeries({ goal, groupTexts, groupCodes }: ForecastTable, index: number): string {
  const width = goal.groupBy.length;
  if (width === 0) return 'the series';
  const texts = goal.groupBy.map((_, group) => groupTexts[group]?.[groupCodes[index * width + group] ?? 0] ?? '');
  return texts.map(quote).join(' / ');
}

/** Returns the names of the first of some series, and how many more there are. */
export function listSeries(table: ForecastTable, series: readonly LookedSeries[]): string {
  const named = series.slice(0, MAX_NAMED).map(({ index }) => nameSeries(table, index));
  const more = series.length > MAX_NAMED ? ` and ${showCount(series.length - MAX_NAMED)} more` : '';
  return `${named.join(', ')}${more}`;
}

/** Describes the series that were looked at, such as `the 12 series`. */
export function amongSeries({ table, series }: LookedSeriesSet): string {
  if (table.ends.length === 1) return 'the series';
  const all = showCount(table.ends.length);
  const isSample = series.length < table.ends.length;
  return isSample ? `a sample of ${showCount(series.length)} of the ${all} series` : `the ${all} series`;
}

/** Describes so many of the series that were looked at, such as `3 of the 12 series`. */
export function countSeries(set: LookedSeriesSet, count: number): string {
  return set.table.ends.length === 1 ? 'the series' : `${showCount(count)} of ${amongSeries(set)}`;
}

/** Returns the number of values of a series, without gaps. */
export function countPresent({ values }: LookedSeries): number {
  let present = 0;
  for (let at = 0; at < values.length; at++) if (!Number.isNaN(values[at])) present++;
  return present;
}
