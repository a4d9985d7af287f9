import { parseNumber } from './parse-number.js';
import { type ColumnReading, type DateReading, type NumberReading, PLAIN_NUMBERS } from './reading/column-reading.js';
import { createReader, momentOf } from './reading/create-reader.js';
import {
  DAY,
  type DateForm,
  type DateText,
  HOUR,
  MINUTE,
  offsetMinutes,
  readDateText,
  SECOND,
} from './reading/date-forms.js';
import { quote } from './table-error.js';

/**
 * The form in which a moment is written: `number`; `month`, as 2026-01; `quarter`, as 2026-Q1; `week`, as 2026-W05;
 * `date`, as 2026-01-31; `local`, as 2026-01-31T08:00:00; or an offset from UTC in minutes, as 2026-01-31T08:00:00+01:00
 * has it.
 */
export type MomentForm = 'number' | DateForm;

/** How the texts of an order column are read. */
export type OrderReading = NumberReading | DateReading;

export interface Moment {
  readonly byOrder?: never;
  readonly form: MomentForm;
  /** A number; or milliseconds since 1970, as if what is written without an offset were UTC. */
  readonly value: number;
}

/** Moments that are months, dates or times of ISO 8601. */
export const ISO =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?(Z|[+-]\d{2}:?\d{2})?)?)?$/i;

/**
 * Reads a moment from the text of a cell, as earlier releases did; undefined if it is neither a number nor a date of ISO
 * 8601.
 */
export function parseMoment(text: string, parseNumber: (text: string) => number): Moment | undefined {
  const parts = ISO.exec(text);
  if (parts === null) {
    const value = parseNumber(text);
    return Number.isFinite(value) ? { form: 'number', value } : undefined;
  }
  const [, year, month, day, hours, minutes, seconds, zone] = parts;
  const date = dayInUtc(Number(year), Number(month) - 1, Number(day ?? 1));
  // It takes the 31st of February for a day of March.
  const isDate = new Date(date).getUTCMonth() === Number(month) - 1 && Number(day ?? 1) > 0;
  if (!isDate || Number(hours ?? 0) > 24 || Number(minutes ?? 0) > 59) return undefined;
  const time = Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE + Number(seconds ?? 0) * SECOND;
  if (day === undefined) return { form: 'month', value: date };
  if (hours === undefined) return { form: 'date', value: date };
  if (zone === undefined) return { form: 'local', value: date + time };
  const offset = offsetMinutes(zone);
  return { form: offset, value: date + time - offset * MINUTE };
}

/** Returns the milliseconds since 1970 of a day. `Date.UTC` treats the years 0 to 99 as 1900 to 1999. */
export function dayInUtc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** A moment, or the moments from which the order of a column's dates chooses; see `DateText`. */
type MomentText = Moment | OrderedMoment;

interface OrderedMoment extends DateText {
  readonly value?: never;
  readonly byOrder: NonNullable<DateText['byOrder']>;
}

/** Reads a text of an order column; undefined if it is neither a plain number nor a date. */
export function readMomentText(text: string): MomentText | undefined {
  const moment = parseMoment(text, readPlainNumber);
  if (moment !== undefined) return moment;
  const date = readDateText(text);
  if (date === undefined) return undefined;
  const { form, value = Number.NaN, byOrder, separator = '' } = date;
  if (byOrder !== undefined) return { form, byOrder, separator };
  return Number.isNaN(value) ? undefined : { form, value };
}

const readPlainNumber = createReader('number', PLAIN_NUMBERS);

/**
 * Reads a moment under the reading of its column; undefined if it is none.
 *
 * @param reading without it, as earlier releases did.
 */
export function readMoment(text: string, reading: ColumnReading | null | undefined): Moment | undefined {
  if (reading?.kind !== 'date' && reading?.kind !== 'number') return parseMoment(text, parseNumber);
  const read = (reading.kind === 'date' ? readCompactMoment(text) : undefined) ?? readMomentText(text);
  if (read?.byOrder === undefined) return reading.kind === 'date' && reading.by_clock ? byClock(read) : read;
  const value = reading.kind === 'date' ? momentOf(read, reading.order) : Number.NaN;
  return Number.isNaN(value) ? undefined : { form: read.form, value };
}

/** Returns a time as the clock showed it where it was written. */
function byClock(moment: Moment | undefined): Moment | undefined {
  if (typeof moment?.form !== 'number') return moment;
  return { form: 'local', value: localTime(moment.form, moment.value) };
}

/** Months and days without hyphens, such as 202601 and 20260131, of the years that they may have. */
const COMPACT = /^(19\d{2}|20\d{2})(\d{2})(\d{2})?$/;

/** Reads a month or a day without hyphens; undefined if the text is another number. */
export function readCompactMoment(text: string): Moment | undefined {
  const parts = COMPACT.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day] = parts;
  return parseMoment(day === undefined ? `${year}-${month}` : `${year}-${month}-${day}`, () => Number.NaN);
}

/** Writes a moment in a form, as `parseMoment` reads it. */
export function formatMoment(form: MomentForm, value: number): string | number {
  if (form === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(12));
  const text = new Date(localTime(form, value)).toISOString();
  // Cut from the end: years after 9999 have six digits and a sign.
  if (form === 'month') return text.slice(0, -'-01T00:00:00.000Z'.length);
  if (form === 'date') return text.slice(0, -'T00:00:00.000Z'.length);
  if (form === 'quarter') {
    const year = text.slice(0, -'-01-01T00:00:00.000Z'.length);
    return `${year}-Q${1 + Math.floor(new Date(value).getUTCMonth() / 3)}`;
  }
  if (form === 'week') return formatWeek(value);
  const time = text.slice(0, text.endsWith('.000Z') ? -'.000Z'.length : -'Z'.length);
  if (form === 'local') return time;
  if (form === 0) return `${time}Z`;
  const minutes = Math.abs(form);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time}${form < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Writes the week of ISO 8601 that begins on a Monday: its year is that of its Thursday. */
function formatWeek(monday: number): string {
  const thursday = new Date(monday + 3 * DAY);
  const week = 1 + Math.floor((thursday.getTime() - dayInUtc(thursday.getUTCFullYear(), 0, 1)) / (7 * DAY));
  const year = thursday.toISOString().slice(0, -'-01-01T00:00:00.000Z'.length);
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Describes a form in words. */
export function describeForm(form: MomentForm): string {
  if (form === 'number') return 'a number';
  if (form === 'month') return 'a month such as 2026-01';
  if (form === 'quarter') return 'a quarter such as 2026-Q1';
  if (form === 'week') return 'a week such as 2026-W05';
  if (form === 'date') return 'a date such as 2026-01-31';
  if (form === 'local') return 'a time without an offset from UTC';
  return `a time with the offset ${form === 0 ? 'Z' : String(formatMoment(form, 0)).slice(-6)}`;
}

/** Returns a hint on what to write instead of a moment that cannot be read. */
export function momentHint(name: string): string {
  return `Write the column ${quote(name)} as numbers, or as dates or times, such as 2026-01-31, 2026-01-31T08:00:00Z or 2026-Q1`;
}

/** Returns milliseconds since 1970 as a clock shows them where moments of a form were written. */
export function localTime(form: MomentForm, moment: number): number {
  return typeof form === 'number' ? moment + form * MINUTE : moment;
}
