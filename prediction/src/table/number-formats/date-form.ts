import { parseDate } from '../cells.js';
import type { DateReading, UndecidedReading } from './column-reading.js';

type Order = DateReading['order'];

/** Two numbers and a year between slashes, points or hyphens, and a time of 24 or of 12 hours. */
const FORM =
  /^(\d{1,2})([/.-])(\d{1,2})\2([1-9]\d{3})(?:(?:, ?| |T)(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,3})\d{0,6})?)?(?: ?([ap])\.?m\.?)?)?$/i;

/** Reads a date in milliseconds since 1970, in UTC; NaN if it is none. */
function readDate(match: RegExpExecArray, order: Order): number {
  const [, one, , other, year, hours = '0', minutes, seconds, fraction = '', half] = match;
  const [day, month] = order === 'day-first' ? [one, other] : [other, one];
  const hour = hourOf(Number(hours), half);
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Date rolls 30 February over into March.
  const isInCalendar =
    date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
  if (!isInCalendar || hour === undefined) return Number.NaN;
  const milliseconds = Number(fraction.padEnd(3, '0'));
  return date.setUTCHours(hour, Number(minutes ?? 0), Number(seconds ?? 0), milliseconds);
}

function hourOf(hours: number, half: string | undefined): number | undefined {
  if (half === undefined) return hours < 24 ? hours : undefined;
  if (hours < 1 || hours > 12) return undefined;
  return (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** Tells whether the day or the month comes first in the dates of a column, from its texts. */
export class DateForm {
  #separator: string | undefined;
  #isDayFirst = true;
  #isMonthFirst = true;

  /** Adds a text. Returns whether it agrees with those before. */
  add(text: string): boolean {
    const match = FORM.exec(text);
    if (match === null) return false;
    this.#separator ??= match[2];
    if (match[2] !== this.#separator) return false;
    this.#isDayFirst &&= !Number.isNaN(readDate(match, 'day-first'));
    this.#isMonthFirst &&= !Number.isNaN(readDate(match, 'month-first'));
    return this.#isDayFirst || this.#isMonthFirst;
  }

  /** Returns how the texts that agree are read. */
  reading(): DateReading | UndecidedReading {
    if (!this.#isMonthFirst) return { kind: 'date', order: 'day-first' };
    if (!this.#isDayFirst) return { kind: 'date', order: 'month-first' };
    const reason =
      'its values are dates in which the day or the month may come first, and none above 12 tells which; write them as 2025-05-13';
    return { kind: 'undecided', reason };
  }
}

/** Returns a reader of a column's cells: dates in its order, and those of ISO 8601. NaN is missing. */
export function dateReader({ order }: DateReading): (text: string) => number {
  return (text) => {
    const match = FORM.exec(text);
    return match === null ? parseDate(text) : readDate(match, order);
  };
}
