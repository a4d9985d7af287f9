import type { DateOrder } from './column-reading.js';

/**
 * The precision of a date, and where its time is: a month, a quarter or a week, which stand for their first day; a day;
 * a time without an offset from UTC; or the offset in minutes of a time that has one.
 */
export type DateForm = 'month' | 'quarter' | 'week' | 'date' | 'local' | number;

/** A date of a text: a moment, or several of which the order of its numbers decides. In milliseconds since 1970. */
export interface DateText {
  readonly form: DateForm;
  /** The moment, if it has one meaning; NaN if the calendar has no such day. */
  readonly value?: number;
  /** By order, the moment that it would be; NaN where there is none. */
  readonly byOrder?: Readonly<Record<DateOrder, number>>;
  /** The mark between the numbers whose order is ambiguous. */
  readonly separator?: string;
  /** True if its year has two digits. */
  readonly hasShortYear?: boolean;
}

/** The most characters of a date. */
const MAX_LENGTH = 60;

/** Milliseconds. */
export const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

const TIME =
  '(?:(?:, {0,2}| {1,2}|T)(\\d{1,2}):([0-5]\\d)(?::([0-5]\\d)(?:[.,](\\d{1,9}))?)?(?: ?([ap])\\.?m\\.?)?(?: ?(Z|UTC|GMT|[+-]\\d{2}(?::?[0-5]\\d)?))?)?';
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
/** Matches a month's name in English. */
export const MONTH_NAME = new RegExp(`^${MONTH}$`, 'i');
const WEEKDAY =
  '(?:(?:mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?),? )?';

const YEAR_FIRST = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${TIME}$`, 'i');
const YEAR_MONTH = /^(\d{4})-(\d{2})$/;
const YEAR_NAME = new RegExp(`^(\\d{4})[- ]${MONTH}[- ](\\d{1,2})${TIME}$`, 'i');
const DAY_NAME = new RegExp(
  `^${WEEKDAY}(\\d{1,2})(?:st|nd|rd|th)?(?:[-/.]|\\.? )${MONTH}(?:[-/.]|,? )(\\d{4}|\\d{2})${TIME}$`,
  'i',
);
/** A day as SAS writes it, such as 21AUG1990. */
const CLOSE_DAY = new RegExp(`^(\\d{1,2})${MONTH}(\\d{4})$`, 'i');
const NAME_DAY = new RegExp(`^${WEEKDAY}${MONTH}[- ](\\d{1,2})(?:st|nd|rd|th)?(?:, ?|[- ])(\\d{4})${TIME}$`, 'i');
const NAME_YEAR = new RegExp(`^${MONTH}(?:-|,? {1,2})(\\d{4})$`, 'i');
const YEAR_THEN_NAME = new RegExp(`^(\\d{4})(?:-|,? {1,2})${MONTH}$`, 'i');
/** Not 1/2000 or 10-2345, which may be fractions or codes. */
const MONTH_YEAR = /^(0[1-9]|1[0-2])[-/]((?:1[5-9]|2[01])\d{2})$/;
const TIME_FIRST = /^(\d{1,2}:[0-5]\d(?::[0-5]\d)?) {1,2}(\d.*)$/;
const QUARTER = /^(?:(\d{4})[- ]?Q([1-4])|Q([1-4])[- /]?(\d{4}))$/i;
const WEEK = /^(\d{4})-?W(\d{2})(?:-?([1-7]))?$/i;
const NUMBERS = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d{2})${TIME}$`, 'i');

/** A place in the middle of the pattern from which `TIME` begins. */
type Match = readonly (string | undefined)[];

/** Reads a text as a date under each meaning that it may have; undefined if it does not look like a date. */
export function readDateText(text: string): DateText | undefined {
  if (text.length > MAX_LENGTH || text.length < 6) return undefined;
  const match = TIME_FIRST.exec(text);
  const ordered = match === null ? text : `${match[2]} ${match[1]}`;
  return readNumeric(ordered) ?? readNamed(ordered);
}

function readNumeric(text: string): DateText | undefined {
  let match: Match | null = YEAR_FIRST.exec(text);
  if (match !== null) return readDay(match[1], match[3], match[4], match.slice(5));
  match = NUMBERS.exec(text);
  if (match !== null) return readNumbers(match);
  match = YEAR_MONTH.exec(text);
  if (match !== null) return { form: 'month', value: day(match[1], match[2], '1') };
  match = MONTH_YEAR.exec(text);
  return match === null ? undefined : { form: 'month', value: day(match[2], match[1], '1') };
}

function readNamed(text: string): DateText | undefined {
  let match: Match | null = DAY_NAME.exec(text);
  if (match !== null) {
    const date = readDay(fullYear(match[3]), monthOf(match[2]), match[1], match.slice(4));
    return { ...date, hasShortYear: match[3]?.length === 2 };
  }
  match = CLOSE_DAY.exec(text);
  if (match !== null) return readDay(match[3], monthOf(match[2]), match[1], []);
  match = NAME_DAY.exec(text);
  if (match !== null) return readDay(match[3], monthOf(match[1]), match[2], match.slice(4));
  match = YEAR_NAME.exec(text);
  if (match !== null) return readDay(match[1], monthOf(match[2]), match[3], match.slice(4));
  match = NAME_YEAR.exec(text);
  if (match !== null) return { form: 'month', value: day(match[2], monthOf(match[1]), '1') };
  match = YEAR_THEN_NAME.exec(text);
  if (match !== null) return { form: 'month', value: day(match[1], monthOf(match[2]), '1') };
  match = QUARTER.exec(text);
  if (match !== null) {
    const month = 3 * Number(match[2] ?? match[3]) - 2;
    return { form: 'quarter', value: day(match[1] ?? match[4], String(month), '1') };
  }
  match = WEEK.exec(text);
  return match === null ? undefined : readWeek(match);
}

/** Numbers of a day, a month and a year. A year of two digits stands last, or first between hyphens. */
function readNumbers(match: Match): DateText {
  const [, one = '', separator = '', two = '', three = ''] = match;
  const clock = readClock(match.slice(5));
  const year = fullYear(three);
  const isYearFirst = three.length === 2 && one.length === 2 && separator === '-';
  const byOrder = {
    'day-first': day(year, two, one) + clock.time,
    'month-first': day(year, one, two) + clock.time,
    'year-first': isYearFirst ? day(fullYear(one), two, three) + clock.time : Number.NaN,
  };
  return { form: clock.form, byOrder, separator, hasShortYear: three.length === 2 };
}

function readDay(
  year: string | undefined,
  month: string | undefined,
  dayOfMonth: string | undefined,
  rest: Match,
): DateText {
  const { form, time } = readClock(rest);
  return { form, value: day(year, month, dayOfMonth) + time };
}

/** Reads the time of a day as milliseconds to add to its midnight in UTC; NaN if there is no such time. */
function readClock(match: Match): { readonly form: DateForm; readonly time: number } {
  const [hours, minutes, seconds, fraction, half, zone] = match;
  if (hours === undefined) return { form: 'date', time: 0 };
  const hour = readHour(Number(hours), half);
  const time =
    hour * HOUR +
    Number(minutes) * MINUTE +
    Number(seconds ?? 0) * SECOND +
    Math.floor(Number(`0.${fraction ?? 0}`) * SECOND + 1e-6);
  // The end of a day is exactly 24:00.
  const isTime = time <= DAY;
  if (zone === undefined) return { form: 'local', time: isTime ? time : Number.NaN };
  const offset = offsetMinutes(zone);
  return { form: offset, time: isTime ? time - offset * MINUTE : Number.NaN };
}

function readHour(hours: number, half: string | undefined): number {
  if (half === undefined) return hours;
  if (hours < 1 || hours > 12) return Number.NaN;
  return (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** Reads an offset from UTC, such as `+01:00` or `Z`. */
export function offsetMinutes(zone: string): number {
  if (!/\d/.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  return zone.startsWith('-') ? -minutes : minutes;
}

/** Years of two digits are those of POSIX: 69 to 99 are of the 20th century, 00 to 68 of the 21st. */
function fullYear(year = ''): string {
  if (year.length !== 2) return year;
  return `${Number(year) >= 69 ? '19' : '20'}${year}`;
}

function monthOf(name = ''): string {
  return String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1);
}

/** Returns the midnight of a day of the calendar, in UTC; NaN if there is no such day, as 31 June. */
function day(year: string | undefined, month: string | undefined, dayOfMonth: string | undefined) {
  const date = new Date(0);
  // Date.UTC treats the year 12 as 1912.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(dayOfMonth));
  const isInCalendar = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(dayOfMonth);
  return isInCalendar ? date.getTime() : Number.NaN;
}

/** Reads a week of ISO 8601, which begins on Monday; the first of a year has its first Thursday. */
function readWeek([, year, week, weekday]: Match): DateText {
  const fourth = new Date(day(year, '1', '4'));
  const monday = fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * DAY;
  const value = monday + (Number(week) - 1) * 7 * DAY + (Number(weekday ?? 1) - 1) * DAY;
  const thursday = new Date(monday + (Number(week) - 1) * 7 * DAY + 3 * DAY);
  const isInYear = thursday.getUTCFullYear() === Number(year);
  const form = weekday === undefined ? 'week' : 'date';
  return { form, value: isInYear ? value : Number.NaN };
}
