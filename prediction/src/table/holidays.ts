import { localTime } from './moments.js';
import { DAY, HOUR, MINUTE, SECOND } from './reading/date-forms.js';
import { findMoment, type TimeGrid } from './time-grid.js';

/** The holidays of countries and regions, as plain data of a table and of its model. */
export interface HolidayDays {
  /** The codes of the countries and regions, such as `DE` and `US-LA`. */
  readonly regions: readonly string[];
  /** Days since 1970 by the calendar of the order column, each once. */
  readonly days: readonly number[];
  /** By day, the index of its name. */
  readonly codes: readonly number[];
  readonly names: readonly string[];
}

/** A day at or beside a holiday. */
interface NearDay {
  /** The place of its distance in `DISTANCES`. */
  readonly place: number;
  /** The index of the holiday's name. */
  readonly name: number;
}

/** The days from a holiday that may differ from usual ones: a day is of the first that fits. */
const DISTANCES = [0, -1, 1];

const SIZES = new Map<TimeGrid['step']['unit'], number>([
  ['second', SECOND],
  ['minute', MINUTE],
  ['hour', HOUR],
]);

/** Returns the steps of a day; undefined if a step is longer, or is a number. */
export function stepsOfDay({ form, step: { unit, count } }: TimeGrid): number | undefined {
  if (form === 'number') return undefined;
  if (unit === 'day' || unit === 'weekday') return count === 1 ? 1 : undefined;
  const perDay = DAY / ((SIZES.get(unit) ?? Number.POSITIVE_INFINITY) * count);
  return perDay >= 1 ? perDay : undefined;
}

/** A moment as a clock shows it where the column was written: the day since 1970, and its hour. */
export function dayAndHour(grid: TimeGrid, position: number): { readonly day: number; readonly hour: number } {
  const time = localTime(grid.form, findMoment(grid, position));
  const day = Math.floor(time / DAY);
  return { day, hour: Math.floor((time - day * DAY) / HOUR) };
}

/** Returns a function that says which holiday a day is at or beside; undefined on usual days. */
export function createHolidayFinder({ days, codes }: HolidayDays): (day: number) => NearDay | undefined {
  const nameOf = new Map(days.map((day, index) => [day, codes[index] ?? 0]));
  return (day) => {
    for (const [place, distance] of DISTANCES.entries()) {
      const name = nameOf.get(day - distance);
      if (name !== undefined) return { place, name };
    }
    return undefined;
  };
}

/** The largest number of places that a day may have. */
export const NEAR_PLACES = DISTANCES.length;
