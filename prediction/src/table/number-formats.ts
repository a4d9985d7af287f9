import { parseDate, parseNumber } from './cells.js';

/** The reading of a column whose texts are neither plain numbers nor ISO dates. */
export type ColumnReading = NumberReading | DateReading | UndecidedReading;

/** Numbers with a unit, as in `€ 1,234.50` or `45 %`. The unit does not change the number: 45 % is 45. */
export interface NumberReading {
  readonly kind: 'number';
  /** The unit that every value bears, as written. */
  readonly unit: string;
  readonly decimal: '.' | ',';
  /** The separator of thousands; null if there is none. */
  readonly group: Group | null;
}

/** Dates of days, months and years in numbers, as in `13/05/2025`, in UTC. */
export interface DateReading {
  readonly kind: 'date';
  readonly order: 'day-first' | 'month-first';
}

/** Texts that have more than one meaning, and are read as categories. */
export interface UndecidedReading {
  readonly kind: 'undecided';
  /** A message that says what cannot be told, and how to write the values instead. */
  readonly reason: string;
}

type Group = ',' | '.' | ' ' | "'";

/** The most characters of a number with its unit. */
const MAX_LENGTH = 40;

/** A sign, a unit, a sign, the digits with their separators, a blank, a unit. */
const FORM =
  /^([+−-]?)\s?(\p{L}{0,3}\p{Sc}|[A-Z]{3}(?=[\s\d+−-]))?\s?([+−-]?)((?:\d|[.,]\d)[\d.,'’ \u00a0\u202f]*?)(\s?)([^\d\s.,'’+−-][^\d\s]*)?$/u;

/** Codes of ISO 4217 that stand before amounts. Other letters before digits are names, such as A 12. */
const CURRENCIES = new Set(
  'AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MAD MXN MYR NOK NZD PEN PHP PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR'.split(
    ' ',
  ),
);

/** Units that are written close to their number. Others need a blank, as 3XL and 12b are not measures. */
const CLOSE_UNITS = new Set(
  'mg g kg t lb lbs oz mm cm dm m km mi ft yd ml cl dl l L ms s sec min h hr hrs Hz kHz MHz GHz V mV kV A mA W kW MW kWh MWh J kJ kcal Pa hPa kPa bar KB MB GB TB K km/h mph m² m³ cm² cm³ km² ha px pt'.split(
    ' ',
  ),
);

const SYMBOL = /^[\p{Sc}%‰°]\p{L}{0,2}$/u;
const WORD = /^\p{L}[\p{L}²³/]{0,9}$/u;

const GROUPED_BY: Readonly<Record<'.' | ',', RegExp>> = {
  '.': /^(?:[1-9]\d{0,2}(?:([, '])\d{3})(?:\1\d{3})*|\d*)(?:\.\d*)?$/,
  ',': /^(?:[1-9]\d{0,2}(?:([. '])\d{3})(?:\1\d{3})*|\d*)(?:,\d*)?$/,
};

/** A text, split into a number and its unit. */
interface NumberParts {
  readonly unit: string | null;
  readonly isNegative: boolean;
  /** The digits with their separators; blanks are spaces, and apostrophes straight. */
  readonly digits: string;
}

/** Splits a text into a number and its unit; undefined if it is not a number with at most one unit. */
function numberParts(text: string): NumberParts | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, sign = '', before = '', innerSign = '', body = '', blank = '', behind = ''] = match;
  if (sign !== '' && innerSign !== '') return undefined;
  if (before !== '' && behind !== '') return undefined;
  if (/^[A-Z]{3}$/.test(before) && !CURRENCIES.has(before)) return undefined;
  const isUnit =
    behind === '' ||
    SYMBOL.test(behind) ||
    (WORD.test(behind) && (blank !== '' || CLOSE_UNITS.has(behind)));
  if (!isUnit) return undefined;
  const digits = body.replaceAll(/[\u00a0\u202f]/g, ' ').replaceAll('’', "'");
  const isNegative = /[−-]/.test(sign + innerSign);
  return { unit: before || behind || null, isNegative, digits };
}

/** The separators of digits, by the decimal one; undefined if they cannot be read so. */
function findSeparator(digits: string, decimal: '.' | ','): Group | null | undefined {
  const match = GROUPED_BY[decimal].exec(digits);
  if (match === null) return undefined;
  const group = match[1];
  return group === ',' || group === '.' || group === ' ' || group === "'" ? group : null;
}

/** The number of parts whose decimal separator is known; NaN if they cannot be read so. */
export function parseParts({ digits, isNegative }: NumberParts, decimal: '.' | ','): number {
  if (findSeparator(digits, decimal) === undefined) return Number.NaN;
  const plain = digits.replaceAll(decimal === '.' ? /[, ']/g : /[. ']/g, '').replace(',', '.');
  return isNegative ? -Number(plain) : Number(plain);
}

/** Tells how the numbers of a column are written, from its texts. */
export class NumberForm {
  #unit: string | undefined;
  readonly #ways = { '.': new SeparatorUse('.'), ',': new SeparatorUse(',') };

  /** Adds a text. Returns its parts; undefined if it does not agree with those before. */
  add(text: string): NumberParts | undefined {
    const parts = numberParts(text);
    if (parts === undefined || parts.unit === null) return undefined;
    this.#unit ??= parts.unit;
    if (parts.unit !== this.#unit) return undefined;
    for (const way of Object.values(this.#ways)) way.add(parts.digits);
    return this.#ways['.'].fits || this.#ways[','].fits ? parts : undefined;
  }

  /** Returns how the texts that agree are read. */
  reading(): NumberReading | UndecidedReading {
    const unit = this.#unit ?? '';
    const { '.': point, ',': comma } = this.#ways;
    if (!comma.fits) return { kind: 'number', unit, decimal: '.', group: point.group };
    if (!point.fits) return { kind: 'number', unit, decimal: ',', group: comma.group };
    // Both read them alike if there is no separator but blanks and apostrophes.
    if (!point.hasDecimals && !comma.hasDecimals) {
      return { kind: 'number', unit, decimal: '.', group: point.group };
    }
    // Amounts of money have no three decimals.
    if (isMoney(unit)) {
      if (!point.hasDecimals) return { kind: 'number', unit, decimal: '.', group: point.group };
      if (!comma.hasDecimals) return { kind: 'number', unit, decimal: ',', group: comma.group };
    }
    const reason =
      'its values are numbers in which a comma or a point may separate thousands or decimals, and none shows which; write them with a decimal point and without other separators, such as 1234.5';
    return { kind: 'undecided', reason };
  }
}

/** The use of separators in the texts of a column, if the decimal one is known. */
class SeparatorUse {
  readonly #decimal: '.' | ',';
  fits = true;
  group: Group | null = null;
  hasDecimals = false;

  constructor(decimal: '.' | ',') {
    this.#decimal = decimal;
  }

  add(digits: string): void {
    if (!this.fits) return;
    const group = findSeparator(digits, this.#decimal);
    this.fits = group !== undefined && (group === null || (this.group ?? group) === group);
    this.group ??= group ?? null;
    this.hasDecimals ||= digits.includes(this.#decimal);
  }
}

function isMoney(unit: string): boolean {
  return /\p{Sc}/u.test(unit) || CURRENCIES.has(unit);
}

const MACHINE_NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Returns a reader of a column's cells: numbers with its unit or without one. NaN is missing. */
function numberReader({ unit, decimal }: NumberReading): (text: string) => number {
  return (text) => {
    if (text === '' || text.length > MAX_LENGTH) return parseNumber(text);
    // A program writes 1.234 for that number, whatever people write.
    if (MACHINE_NUMBER.test(text)) return Number(text);
    const parts = numberParts(text);
    if (parts === undefined) return parseNumber(text);
    if (parts.unit !== null && parts.unit !== unit) return Number.NaN;
    const value = parseParts(parts, decimal);
    if (!Number.isNaN(value)) return value;
    const plain = parseNumber(parts.digits);
    return parts.isNegative ? -plain : plain;
  };
}

type Order = DateReading['order'];

/** Two numbers and a year between slashes, points or hyphens, and a time of 24 or of 12 hours. */
const DATE_FORM =
  /^(\d{1,2})([/.-])(\d{1,2})\2([1-9]\d{3})(?:(?:, ?| |T)(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,3})\d{0,6})?)?(?: ?([ap])\.?m\.?)?)?$/i;

/** Reads a date in milliseconds since 1970, in UTC; NaN if it is none. */
function readDate(match: RegExpExecArray, order: Order): number {
  const [, one, , other, year, hours = '0', minutes, seconds, fraction = '', half] = match;
  const [day, month] = order === 'day-first' ? [one, other] : [other, one];
  const hour = parseHour(Number(hours), half);
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Date rolls 30 February over into March.
  const isInCalendar =
    date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
  if (!isInCalendar || hour === undefined) return Number.NaN;
  const milliseconds = Number(fraction.padEnd(3, '0'));
  return date.setUTCHours(hour, Number(minutes ?? 0), Number(seconds ?? 0), milliseconds);
}

function parseHour(hours: number, half: string | undefined): number | undefined {
  if (half === undefined) return hours < 24 ? hours : undefined;
  if (hours < 1 || hours > 12) return undefined;
  return (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** Finds which of day and month comes first in the dates of a column, from its texts. */
class DateForm {
  #separator: string | undefined;
  #isDayFirst = true;
  #isMonthFirst = true;

  /** Adds a text. Returns whether it agrees with those before. */
  add(text: string): boolean {
    const match = DATE_FORM.exec(text);
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
      'its values are dates in which the day or the month may come first, and none above 12 shows which; write them as 2025-05-13';
    return { kind: 'undecided', reason };
  }
}

/** Returns a reader of a column's cells: dates in its order, and those of ISO 8601. NaN is missing. */
function dateReader({ order }: DateReading): (text: string) => number {
  return (text) => {
    const match = DATE_FORM.exec(text);
    return match === null ? parseDate(text) : readDate(match, order);
  };
}

/**
 * Tells how the texts of a column are read that are neither plain numbers nor ISO dates.
 *
 * @param texts all of the column's, distinct, without missing ones.
 * @returns null if they do not all agree on one form.
 */
export function detectNumberFormat(texts: Iterable<string>): ColumnReading | null {
  let form: DateForm | NumberForm | undefined;
  for (const text of texts) {
    form ??= new DateForm().add(text) ? new DateForm() : new NumberForm();
    if (!form.add(text)) return null;
  }
  return form?.reading() ?? null;
}

/** Returns the reader of the cells of a column of numbers or dates, as numbers or milliseconds since 1970. */
export function createReader(
  kind: 'number' | 'date',
  reading: ColumnReading | null | undefined,
): (text: string) => number {
  if (reading?.kind === 'number') return numberReader(reading);
  if (reading?.kind === 'date') return dateReader(reading);
  return kind === 'date' ? parseDate : parseNumber;
}
