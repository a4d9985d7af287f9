import { dayInUtc, localTime, type MomentForm, type OrderReading } from './moments.js';
import { DAY, HOUR, MINUTE, SECOND } from './reading/date-forms.js';

/**
 * The length of a step: so many of a unit. A `number` is as many of the order column's own units. A `weekday` is a day
 * from Monday to Friday: Monday follows Friday.
 */
export interface TimeStep {
  readonly unit: (typeof STEP_UNITS)[number];
  readonly count: number;
}

export const STEP_UNITS = [
  'number',
  'second',
  'minute',
  'hour',
  'day',
  'weekday',
  'week',
  'month',
  'quarter',
  'year',
] as const;

const WEEK = 7 * DAY;

/** Equally spaced places in time, as plain data. */
export interface TimeGrid {
  readonly form: MomentForm;
  readonly step: TimeStep;
  /** The moment of position 0. */
  readonly origin: number;
  /** For steps of months, the day of the month, which shorter months end before. */
  readonly day: number;
  /** How the texts of moments are read; absent in models of releases that read ISO 8601 alone. */
  readonly reading?: OrderReading;
}

/** Numbers this near to a place are on it, as parts of a year are written with few digits. */
const TOLERANCE = 0.01;

/** Returns the position of a moment; undefined if it lies between two. */
export function findPosition(grid: TimeGrid, moment: number): number | undefined {
  const places = placesFromOrigin(grid, moment);
  const position = Math.round(places);
  // Beyond, two neighbours are the same double.
  if (!Number.isSafeInteger(position)) return undefined;
  if (grid.form === 'number') {
    return Math.abs(places - position) <= TOLERANCE ? position : undefined;
  }
  return findMoment(grid, position) === moment ? position : undefined;
}

function placesFromOrigin({ form, step, origin }: TimeGrid, moment: number): number {
  const months = countMonths(step);
  if (months !== undefined) return (monthIndex(moment) - monthIndex(origin)) / months;
  if (step.unit === 'weekday') {
    return (weekdayIndex(form, moment) - weekdayIndex(form, origin)) / step.count;
  }
  return (moment - origin) / measureStep(step);
}

/** Returns the moment at a position. */
export function findMoment(grid: TimeGrid, position: number): number {
  const months = countMonths(grid.step);
  if (grid.step.unit === 'weekday') return findWeekday(grid, position);
  if (months === undefined) return grid.origin + position * measureStep(grid.step);
  const index = monthIndex(grid.origin) + position * months;
  const [year, month] = [Math.floor(index / 12), mod(index, 12)];
  const first = dayInUtc(year, month, 1);
  const days = new Date(dayInUtc(year, month + 1, 0)).getUTCDate();
  return first + (Math.min(grid.day, days) - 1) * DAY + mod(grid.origin, DAY);
}

/** Steps of a season: of a year of months, quarters or weeks, of a week of days, of a day of hours; 1 if there is none. */
export function seasonLength({ form, step, origin }: TimeGrid): number {
  const months = countMonths(step);
  if (months !== undefined) return 12 % months === 0 ? 12 / months : 1;
  if (form === 'number') {
    return partsOfYear(step.count, origin) ?? 1;
  }
  if (step.unit === 'weekday') return WEEKDAYS % step.count === 0 ? WEEKDAYS / step.count : 1;
  const size = measureStep(step);
  if (size === WEEK) return 52;
  if (size >= DAY) return WEEK % size === 0 ? WEEK / size : 1;
  return DAY % size === 0 ? DAY / size : 1;
}

const YEAR = 365.25 * DAY;

/** Seasons of more steps are not looked for: a year of half-hours is. One of them has at most the steps of a day of minutes. */
const MAX_SEASON = 20_000;
const MAX_SHORTEST = 3000;

/** A season of fewer steps that is not a whole number of them, as a week of 2 days, repeats at no place. */
const MIN_BROKEN_SEASON = 20;

/**
 * Returns the lengths of the seasons that series may have, in steps, ascending: of a day, a week
 * and a year of hours, of a week and a year of days, of a year of weeks. They are not always whole. Undefined where `seasonLength` is the only one.
 */
export function seasonLengths({ form, step }: TimeGrid): number[] | undefined {
  if (form === 'number' || countMonths(step) !== undefined) return undefined;
  const lengths =
    step.unit === 'weekday'
      ? [WEEKDAYS / step.count, (YEAR / WEEK) * (WEEKDAYS / step.count)]
      : chooseCycles(measureStep(step)).map((cycle) => cycle / measureStep(step));
  const fitting = lengths.filter(
    (length) => length >= 2 && length <= MAX_SEASON && (Number.isInteger(length) || length >= MIN_BROKEN_SEASON),
  );
  return (fitting[0] ?? Number.POSITIVE_INFINITY) <= MAX_SHORTEST ? fitting : undefined;
}

function chooseCycles(size: number): number[] {
  if (size < DAY) return [DAY, WEEK, YEAR];
  return size < WEEK ? [WEEK, YEAR] : [YEAR];
}

/** Returns the steps of a year, as of 2026.25, which is April in R; undefined if the numbers are not decimal years. */
function partsOfYear(step: number, origin: number): number | undefined {
  const parts = Math.round(1 / step);
  const isYear = origin >= 1000 && origin < 3000 && Math.abs(parts * step - 1) < 0.001;
  return isYear ? parts : undefined;
}

/** Positions whose results are cached: about a horizon. */
const MAX_CACHED = 1000;

/** Returns a function of positions that caches its results: series mostly share their positions. */
export function cacheByPosition<T>(compute: (position: number) => T): (position: number) => T {
  const cache = new Map<number, T>();
  return (position) => {
    let result = cache.get(position);
    if (result === undefined) {
      result = compute(position);
      if (cache.size === MAX_CACHED) cache.clear();
      cache.set(position, result);
    }
    return result;
  };
}

/** Returns a function that describes a position in its calendar, by as many numbers for each. */
export function createCalendar(grid: TimeGrid): (position: number) => readonly number[] {
  return cacheByPosition((position) => describePosition(grid, position));
}

function describePosition(grid: TimeGrid, position: number): number[] {
  if (grid.form === 'number') {
    const season = seasonLength(grid);
    return season > 1 ? [mod(position, season)] : [];
  }
  const moment = findMoment(grid, position);
  const local = new Date(localTime(grid.form, moment));
  const months = countMonths(grid.step);
  if (months !== undefined) return months % 12 === 0 ? [] : [local.getUTCMonth()];
  const size = measureStep(grid.step);
  if (size >= WEEK) return [Math.floor(dayOfYear(local) / 7), local.getUTCMonth()];
  if (size >= DAY || grid.step.unit === 'weekday') return [local.getUTCDay(), local.getUTCMonth(), local.getUTCDate()];
  return [local.getUTCHours(), local.getUTCDay(), local.getUTCMonth()];
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - dayInUtc(date.getUTCFullYear(), 0, 1)) / DAY);
}

/** Says in words how far two positions are apart. */
export function describeStep({ unit, count }: TimeStep): string {
  if (unit === 'number') return String(Number(count.toPrecision(6)));
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

const SHARE = 0.01;

/**
 * Finds the grid that moments lie on. The step is the largest of which all usual differences are multiples, so that
 * neither a gap nor a single stray moment makes it smaller.
 *
 * @param moments those of all series, series by series, ascending in each.
 * @param ends the end of each series in them.
 */
export function findGrid(form: MomentForm, moments: Float64Array, ends: Uint32Array): TimeGrid {
  let origin = Number.POSITIVE_INFINITY;
  for (const moment of moments) origin = Math.min(origin, moment);
  const differences = countDifferences(moments, ends, (later, earlier) => later - earlier);
  if (form === 'number') {
    const count = findNumberStep(differences, origin, moments);
    return { form, origin, step: { unit: 'number', count }, day: 1 };
  }
  const day = findMonthDay(moments, differences);
  if (day !== undefined) {
    const months = commonDivisor(
      countDifferences(moments, ends, (later, earlier) => monthIndex(later) - monthIndex(earlier)),
    );
    return { form, origin, step: monthStep(months), day };
  }
  const step = timeStep(commonDivisor(differences));
  const leavesOutWeekends =
    step.unit === 'day' &&
    step.count === 1 &&
    (differences.get(3 * DAY) ?? 0) > 1 &&
    moments.every((moment) => dayOfWeek(form, moment) < WEEKDAYS);
  return { form, origin, step: leavesOutWeekends ? { unit: 'weekday', count: 1 } : step, day: 1 };
}

/** The differences of neighbours that occur, with how often they do. */
type Differences = ReadonlyMap<number, number>;

/** Differences that are distinguished; more come from moments on no grid. */
const MAX_DIFFERENCES = 10_000;

function countDifferences(
  moments: Float64Array,
  ends: Uint32Array,
  subtract: (later: number, earlier: number) => number,
): Differences {
  const counts = new Map<number, number>();
  let start = 0;
  for (const end of ends) {
    for (let at = start + 1; at < end; at++) {
      const difference = subtract(moments[at] ?? 0, moments[at - 1] ?? 0);
      if (difference <= 0) continue;
      const count = counts.get(difference);
      if (count === undefined && counts.size === MAX_DIFFERENCES) continue;
      counts.set(difference, (count ?? 0) + 1);
    }
    start = end;
  }
  return counts;
}

/** The differences that are more than chance: at least two, and one of a hundred; all, if none is. */
function usual(differences: Differences): number[] {
  let total = 0;
  for (const count of differences.values()) total += count;
  const often = [...differences].filter(([, count]) => count >= Math.max(2, SHARE * total));
  return (often.length > 0 ? often : [...differences]).map(([difference]) => difference);
}

function commonDivisor(differences: Differences): number {
  return usual(differences).reduce(greatestDivisor, 0) || 1;
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

/** The smallest usual difference of which the others are multiples, but for what their digits leave open. */
function findNumberStep(differences: Differences, origin: number, moments: Float64Array): number {
  const all = usual(differences);
  if (all.length === 0) return 1;
  let step = Math.min(...all);
  // The mean of what is the same but for its last digits, as are the twelfths 0.083 and 0.084.
  const same = all.filter((one) => one < step * (1 + 2 * TOLERANCE));
  const countOf = (one: number) => differences.get(one) ?? 0;
  step = same.reduce((sum, one) => sum + one * countOf(one), 0) / same.reduce((sum, one) => sum + countOf(one), 0);
  for (const one of all) {
    const places = one / step;
    if (Math.abs(places - Math.round(places)) <= TOLERANCE * Math.max(1, places)) continue;
    step = divideWithin(step, one);
  }
  // For decimal years, the exact part: many steps of a rounded one would drift away.
  const parts = partsOfYear(step, origin);
  const isExact =
    parts !== undefined &&
    moments.every((moment) => {
      const places = (moment - origin) * parts;
      return Math.abs(places - Math.round(places)) <= TOLERANCE;
    });
  return isExact ? 1 / parts : Number(step.toPrecision(12));
}

function divideWithin(one: number, other: number): number {
  let [larger, smaller] = [Math.max(one, other), Math.min(one, other)];
  const least = smaller / 1000;
  while (smaller > least) {
    const rest = larger % smaller;
    [larger, smaller] = [smaller, smaller - rest < least ? 0 : rest];
  }
  return larger;
}

/** The day of the month that moments are on, or the last one of each month; undefined if they are on several. */
function findMonthDay(moments: Float64Array, differences: Differences): number | undefined {
  const least = Math.min(...usual(differences));
  if (!(least >= 28 * DAY && Number.isFinite(least))) return undefined;
  const counts = new Uint32Array(32);
  for (const moment of moments) {
    const day = new Date(moment).getUTCDate();
    counts[day] = (counts[day] ?? 0) + 1;
  }
  const usualDay = counts.indexOf(Math.max(...counts));
  const most = counts.findLastIndex((count) => count >= SHARE * moments.length);
  const isEnd = most > 28 && counts.slice(1, 28).every((count) => count < SHARE * moments.length);
  if (isEnd) return most;
  return (counts[usualDay] ?? 0) >= (1 - 2 * SHARE) * moments.length - 2 ? usualDay : undefined;
}

function monthStep(months: number): TimeStep {
  if (months % 12 === 0) return { unit: 'year', count: months / 12 };
  return months === 3 ? { unit: 'quarter', count: 1 } : { unit: 'month', count: months };
}

const SIZES = [
  ['week', WEEK],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
] as const;

function timeStep(size: number): TimeStep {
  for (const [unit, of] of SIZES) if (size % of === 0) return { unit, count: size / of };
  return { unit: 'second', count: size / SECOND };
}

function measureStep({ unit, count }: TimeStep): number {
  return count * (SIZES.find(([name]) => name === unit)?.[1] ?? 1);
}

/** The months of a step; undefined if it has a length in time. */
function countMonths({ unit, count }: TimeStep): number | undefined {
  if (unit === 'year') return 12 * count;
  if (unit === 'quarter') return 3 * count;
  return unit === 'month' ? count : undefined;
}

/** The days of a week from Monday on that have steps of weekdays. */
const WEEKDAYS = 5;

/** The days before the first Monday of 1970, which began on a Thursday. */
const FIRST_MONDAY = 4;

/** Days since the first Monday of 1970. */
function dayIndex(form: MomentForm, moment: number): number {
  return Math.floor(localTime(form, moment) / DAY) - FIRST_MONDAY;
}

/** The day of the week, from 0 for Monday. */
function dayOfWeek(form: MomentForm, moment: number): number {
  return mod(dayIndex(form, moment), 7);
}

/** Weekdays since the first Monday of 1970; a weekend counts as the Friday before it. */
function weekdayIndex(form: MomentForm, moment: number): number {
  const weeks = Math.floor(dayIndex(form, moment) / 7);
  return WEEKDAYS * weeks + Math.min(dayOfWeek(form, moment), WEEKDAYS - 1);
}

function findWeekday({ form, step, origin }: TimeGrid, position: number): number {
  const index = weekdayIndex(form, origin) + position * step.count;
  const days = 7 * Math.floor(index / WEEKDAYS) + mod(index, WEEKDAYS);
  return origin + (days - dayIndex(form, origin)) * DAY;
}

function monthIndex(moment: number): number {
  const date = new Date(moment);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
}

function mod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
