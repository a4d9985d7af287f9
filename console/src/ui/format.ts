/** Everything that is shown is formatted here: in one locale, with the units that are known. */

/** The browser's locale, with the digits and the calendar of tables, whatever its own are. */
const LOCALE = readLocale(navigator.language);

function readLocale(tag: string): Intl.Locale {
  const options = { numberingSystem: 'latn', calendar: 'gregory' };
  try {
    return new Intl.Locale(tag, options);
  } catch {
    // Some systems name a locale as no browser reads it, such as `C.UTF-8`.
    return new Intl.Locale('en', options);
  }
}

/** A space at which no line breaks, as between a number and its unit. */
const SPACE = '\u00a0';

/** Keeps a text of a right-to-left locale, such as the name of a month, in its own order within the page. */
const isolate = (text: string) => (/[\u0590-\u08ff\u200f]/.test(text) ? `\u2068${text}\u2069` : text);

/** The unit of a number as its table writes it, such as `€`, `USD`, `%` or `kg`; none if it has none. */
export type Unit = string | null | undefined;

const WHOLE = { maximumFractionDigits: 0, minimumFractionDigits: 0 };
const PERCENT = { ...WHOLE, style: 'percent' } as const;
const digits = (maximumSignificantDigits: number) => ({ maximumSignificantDigits });

const formats = new Map<string, Intl.NumberFormat>();

function createFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat(LOCALE, options);
  formats.set(key, format);
  return format;
}

/** Writes a number and its unit where the locale has them: €3, 3 €, 45%, 45 %, 3 kg. */
function write(value: number, options: Intl.NumberFormatOptions, unit: Unit): string {
  if (!unit) return isolate(createFormat(options).format(value));
  if (unit === '%') return createFormat({ ...options, style: 'percent' }).format(value / 100);
  const isCode = /^[A-Z]{3}$/.test(unit);
  if (!isCode && !/\p{Sc}/u.test(unit)) return `${createFormat(options).format(value)}${SPACE}${unit}`;
  // A sign such as $ belongs to several currencies: it takes the place of that of the euro.
  const currency = { ...options, style: 'currency', currency: isCode ? unit : 'EUR' } as const;
  return createFormat({ ...currency, currencyDisplay: isCode ? 'code' : 'narrowSymbol' })
    .formatToParts(value)
    .map((part) => (part.type === 'currency' ? unit : part.value))
    .join('');
}

/** Formats a number with up to six significant digits. */
export const number = (value: number, unit?: Unit) => write(value, digits(6), unit);

/** Formats a number for a plot or a headline: three significant digits, whole above 1,000. */
export const rounded = (value: number, unit?: Unit) => write(value, Math.abs(value) >= 1000 ? WHOLE : digits(3), unit);

/** The most decimals that a number is shown with. */
const MAX_DECIMALS = 12;

/**
 * Returns a format for numbers that stand together and are as exact as `scale`, such as the width of an interval or
 * the largest of them: all get the decimals of three significant digits of that. A number too small for them is 0.
 */
export function within(scale: number, unit?: Unit, isSigned = false): (value: number) => string {
  const decimals = scale > 0 ? Math.min(MAX_DECIMALS, Math.max(0, 2 - Math.floor(Math.log10(scale)))) : undefined;
  const options = {
    ...(decimals === undefined ? digits(6) : { maximumFractionDigits: decimals, minimumFractionDigits: decimals }),
    signDisplay: isSigned ? 'exceptZero' : 'negative',
  } as const;
  // Counts stay whole.
  const ofWhole = { ...options, ...(decimals !== undefined && { minimumFractionDigits: 0 }) };
  return (value) => write(value, Number.isInteger(value) ? ofWhole : options, unit);
}

/** Formats a number of a column, which may hold years: 2015, not 2,015. */
export const ungrouped = (value: number, unit?: Unit) =>
  write(value, { ...digits(6), useGrouping: Math.abs(value) >= 10_000 || Boolean(unit) }, unit);

/** Formats a number for the tick of an axis: in millions, for example, where it is large. */
export const tick = (value: number) =>
  Math.abs(value) >= 100_000 ? write(value, { ...digits(3), notation: 'compact' }, null) : rounded(value);

/** Formats a number of a column for the tick of an axis. */
export const columnTick = (value: number) => (Math.abs(value) >= 10_000 ? tick(value) : ungrouped(value));

export const whole = (value: number) => createFormat(WHOLE).format(value);

export const count = (value: number, singular: string, plural = `${singular}s`) =>
  `${whole(value)} ${value === 1 ? singular : plural}`;

/** Formats a share as whole percents. */
export const percent = (share: number) => createFormat(PERCENT).format(share);

/** Formats a share as percents with one digit after the point. */
export const finePercent = (share: number) => createFormat({ ...PERCENT, maximumFractionDigits: 1 }).format(share);

/** Formats a share likewise, with that digit also where it is 0, so that shares one below the other line up. */
export const alignedPercent = (share: number) =>
  createFormat({ ...PERCENT, maximumFractionDigits: 1, minimumFractionDigits: 1 }).format(share);

/** Adds a unit to the label of an axis or a column, which may have it in its name. */
export const labelWithUnit = (label: string, unit: Unit) =>
  unit && !label.includes(unit) ? `${label} (${unit})` : label;

/** Formats the bytes of a file. */
export function bytes(size: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const step = size === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  const format = createFormat({
    ...digits(3),
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
  });
  return isolate(format.format(size / 1000 ** step));
}

/** Formats a duration in words. */
export function duration(seconds: number): string {
  if (seconds < 90) return count(Math.max(1, Math.round(seconds)), 'second');
  return count(Math.round(seconds / 60), 'minute');
}

const minutes = { dateStyle: 'medium', timeStyle: 'short' } as const;
const times = new Intl.DateTimeFormat(LOCALE, minutes);
const days = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
// The days and times of a table have no time zone.
const instants = new Intl.DateTimeFormat(LOCALE, { ...minutes, timeZone: 'UTC' });
const dates = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(LOCALE, { year: 'numeric', month: 'short', timeZone: 'UTC' });

export const time = (iso: string) => isolate(times.format(new Date(iso)));

/** Formats the day of a time. */
export const day = (iso: string) => isolate(days.format(new Date(iso)));

/** Formats a day, given as milliseconds. */
export const date = (instant: number) => isolate(dates.format(instant));

/** Formats the month of a day, given as milliseconds. */
export const month = (instant: number) => isolate(months.format(instant));

/** Formats a moment of a series, which is a number, or a month, a day or a time in ISO 8601. */
export function moment(value: number | string): string {
  if (typeof value === 'number') return ungrouped(value);
  const [, day = '', clock, zone] = /^([\d-]+)(T[\d:.]+)?(.*)$/s.exec(value) ?? [];
  const instant = Date.parse(`${day}${clock ? `${clock}Z` : ''}`);
  if (Number.isNaN(instant)) return value;
  if (clock) return `${isolate(instants.format(instant))}${zone && ` ${zone.replace('Z', 'UTC')}`}`;
  return day.length > 'YYYY-MM'.length ? date(instant) : month(instant);
}

/** Writes the first letter in upper case. */
export const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
