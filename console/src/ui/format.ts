const LOCALE = navigator.language;

const numbers = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 6 });
const short = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });
const wholes = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const percents = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });
const finePercents = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a number with up to six significant digits. */
export const number = (value: number) => numbers.format(value);

/** Formats a number for a plot or a headline: three significant digits, whole above 1,000. */
export const rounded = (value: number) =>
  Math.abs(value) >= 1000 ? wholes.format(value) : short.format(value);

export const whole = (value: number) => wholes.format(value);

export const count = (value: number, singular: string, plural = `${singular}s`) =>
  `${wholes.format(value)} ${value === 1 ? singular : plural}`;

/** Writes the first letter in upper case. */
export const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Formats a share as whole percents. */
export const percent = (share: number) => percents.format(share);

/** Formats a share as percents with one digit after the point. */
export const finePercent = (share: number) => finePercents.format(share);

export const time = (iso: string) => times.format(new Date(iso));

/** Formats a duration in words. */
export function duration(seconds: number): string {
  if (seconds < 90) return count(Math.max(1, Math.round(seconds)), 'second');
  return count(Math.round(seconds / 60), 'minute');
}

export function bytes(size: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const step = size === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  return new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  }).format(size / 1000 ** step);
}

const exacts = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 4 });
const compacts = new Intl.NumberFormat(LOCALE, {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

/** Formats a number with four significant digits, as a model's summary does. */
export const measure = (value: number) => exacts.format(value);

/** Formats a number for the tick of an axis: in millions, for example, where it is large. */
export const tick = (value: number) =>
  Math.abs(value) >= 100_000 ? compacts.format(value) : rounded(value);

const exactest = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 15 });
const ungroupeds = new Intl.NumberFormat(LOCALE, {
  maximumSignificantDigits: 6,
  useGrouping: false,
});
// The days of a table have no time zone.
const dates = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(LOCALE, {
  year: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** Formats a number with all its digits: the service has rounded it. */
export const exact = (value: number) => exactest.format(value);

/** Formats a number of a column, which may hold years: 2015, not 2,015. */
export const ungrouped = (value: number) =>
  (Math.abs(value) >= 10_000 ? numbers : ungroupeds).format(value);

/** Formats a number of a column for the tick of an axis. */
export const columnTick = (value: number) =>
  Math.abs(value) >= 10_000 ? tick(value) : ungroupeds.format(value);

/** Formats a day, given as milliseconds. */
export const date = (instant: number) => dates.format(instant);

/** Formats the month of a day, given as milliseconds. */
export const month = (instant: number) => months.format(instant);
