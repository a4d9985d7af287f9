import { parseNumber } from '../cells.js';
import type { Group, NumberReading, UndecidedReading } from './column-reading.js';

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

/** Units that are written close to their number. Others need a blank, as 3XL and 12b are no measures. */
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

/** Splits a text into a number and its unit; undefined if it is no number with at most one unit. */
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
function groupOf(digits: string, decimal: '.' | ','): Group | null | undefined {
  const match = GROUPED_BY[decimal].exec(digits);
  if (match === null) return undefined;
  const group = match[1];
  return group === ',' || group === '.' || group === ' ' || group === "'" ? group : null;
}

/** The number of parts whose decimal separator is known; NaN if they cannot be read so. */
export function numberOf({ digits, isNegative }: NumberParts, decimal: '.' | ','): number {
  if (groupOf(digits, decimal) === undefined) return Number.NaN;
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
      'its values are numbers in which a comma or a point may separate thousands or decimals, and none tells which; write them with a decimal point and without other separators, such as 1234.5';
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
    const group = groupOf(digits, this.#decimal);
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
export function numberReader({ unit, decimal }: NumberReading): (text: string) => number {
  return (text) => {
    if (text === '' || text.length > MAX_LENGTH) return parseNumber(text);
    // A program writes 1.234 for that number, whatever people write.
    if (MACHINE_NUMBER.test(text)) return Number(text);
    const parts = numberParts(text);
    if (parts === undefined) return parseNumber(text);
    if (parts.unit !== null && parts.unit !== unit) return Number.NaN;
    const value = numberOf(parts, decimal);
    if (!Number.isNaN(value)) return value;
    const plain = parseNumber(parts.digits);
    return parts.isNegative ? -plain : plain;
  };
}
