import type { DecimalMark, GroupMark } from './column-reading.js';
import { MONTH_NAME } from './date-forms.js';

/** The most characters of a number with separators, with its unit. */
const MAX_LENGTH = 40;

/** The most characters of a number without separators. */
const MAX_PLAIN_LENGTH = 1000;

/**
 * A sign, a unit, a sign, the digits with their separators, a sign or a dash for the cents, a blank, a unit. Parentheses
 * are a sign, too.
 */
const FORM =
  /^([+−–(-]?)\s?(\p{L}{0,3}\p{Sc}|[A-Z]{3}(?=[\s\d+−–(-]))?\s?([+−–(-]?)((?:\d|[.,]\d)[\d.,'’ \u00a0\u2009\u202f]*?)(\)|[−–—-]{0,2})(\s?)([^\d\s.,'’+−–—()-][^\d\s()]*)?(\)?)$/u;

/** A dash in place of the cents, as in `199,-`; it is no sign directly behind a decimal mark. */
const CENTS = /^(?:--?|[−–—])$/;

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

/**
 * Digits by their decimal mark, and the separator of thousands in them, which may be that of a hundred thousand, too, as
 * in India. A group cannot begin with 0.
 */
const GROUPED_BY: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /^(?:[1-9]\d{0,2}(?:([, '])\d{3})(?:\1\d{3})*|[1-9]\d?(?:(,)\d{2})+,\d{3}|\d*)(?:\.\d*)?$/,
  ',': /^(?:[1-9]\d{0,2}(?:([. '])\d{3})(?:\1\d{3})*|\d*)(?:,\d*)?$/,
};

/** Numbers as programs write them: a point among digits, and an exponent. */
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const COMMA_EXPONENT = /^[+-]?(?:\d+,\d*|,\d+)e[+-]?\d+$/i;

/**
 * The number of a text under each decimal mark. Both are equal if the text has no decimal mark, and one is NaN if the
 * text can have only the other mark.
 */
export interface NumberText {
  readonly unit: string | null;
  readonly values: Readonly<Record<DecimalMark, number>>;
  /** The separator of thousands under each decimal mark. */
  readonly groups: Readonly<Record<DecimalMark, GroupMark | null>>;
  /** The mark that may separate thousands or decimals; null if the text has no such mark. */
  readonly either: DecimalMark | null;
  /** True if the text has only digits, apart from its sign. */
  readonly isWhole: boolean;
  /** True if its sign is a minus behind the digits. */
  readonly endsInMinus: boolean;
}

/**
 * Splits a text into its unit, its sign, and its digits with their separators, in which blanks are spaces, and apostrophes
 * straight; undefined if it is not a number with at most one unit and one sign.
 */
function splitNumber(text: string) {
  if (text.length > MAX_LENGTH) return undefined;
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, sign = '', before = '', inner = '', written = '', dash = '', blank = '', behind = ''] = match;
  const closing = match[8] ?? '';
  const hasNoCents = CENTS.test(dash) && /[.,]$/.test(written);
  const [body, trailing] = hasNoCents ? [`${written}0`, ''] : [written, dash];
  // Word processors and spreadsheets write a dash for the minus before a number.
  const signs = (sign + inner).replace('–', '−') + trailing + closing;
  if (!SIGNS.has(signs)) return undefined;
  if (!isUnit(before, blank, behind) || isLabel(body, blank, behind)) return undefined;
  const digits = body.replaceAll(/[\u00a0\u2009\u202f]/g, ' ').replaceAll('’', "'");
  const isNegative = signs !== '' && signs !== '+';
  return { unit: before || behind || null, isNegative, endsInMinus: isNegative && signs === trailing, digits };
}

/** Returns whether a number has at most one unit, either before or behind it. */
export function isUnit(before: string, blank: string, behind: string): boolean {
  if (before !== '' && behind !== '') return false;
  if (/^[A-Z]{3}$/.test(before) && !CURRENCIES.has(before)) return false;
  return behind === '' || SYMBOL.test(behind) || (WORD.test(behind) && (blank !== '' || CLOSE_UNITS.has(behind)));
}

/** Returns whether digits and a word are a label, the code `09A` or the month `1975 Jan`, and not a measure. */
function isLabel(body: string, blank: string, behind: string): boolean {
  if (!WORD.test(behind)) return false;
  return /[.,]$/.test(body) || MONTH_NAME.test(behind) || (blank === '' && /^0\d/.test(body));
}

/** A sign before or behind a number, or the parentheses of accountants. */
const SIGNS = new Set(['', '+', '-', '−', '()']);

/** Reads a text as a number under each decimal mark; undefined if it is not a number. */
export function readNumberText(text: string): NumberText | undefined {
  const plain = readPlain(text);
  if (plain !== undefined) return plain;
  const parts = splitNumber(text);
  if (parts === undefined) return undefined;
  const { unit, digits, isNegative, endsInMinus } = parts;
  const point = GROUPED_BY['.'].exec(digits);
  const comma = GROUPED_BY[','].exec(digits);
  if (point === null && comma === null) return undefined;
  const value = (mark: DecimalMark, match: RegExpExecArray | null) => {
    if (match === null) return Number.NaN;
    const number = Number(digits.replaceAll(SEPARATORS[mark], '').replace(',', '.'));
    return isNegative ? -number : number;
  };
  const isEither = point !== null && comma !== null && /[.,]/.test(digits);
  return {
    unit,
    values: { '.': value('.', point), ',': value(',', comma) },
    groups: { '.': asGroup(point?.[1] ?? point?.[2]), ',': asGroup(comma?.[1]) },
    either: isEither ? (digits.includes('.') ? '.' : ',') : null,
    isWhole: /^\d+$/.test(digits),
    endsInMinus,
  };
}

/** All other separators of numbers with a decimal mark. */
export const SEPARATORS = { '.': /[, ']/g, ',': /[. ']/g } as const;
const NO_GROUPS = { '.': null, ',': null } as const;

/** Returns whether a text is infinity, as databases (`Infinity`), R (`Inf`) and pandas (`inf`) write it. */
export function isInfinite(text: string): boolean {
  return text.length <= MAX_INFINITE && INFINITE.test(text);
}

const INFINITE = /^[+-]?inf(?:inity)?$/i;
const MAX_INFINITE = '-Infinity'.length;

/** Reads numbers that are too long for people, or have an exponent, as programs write them. */
function readPlain(text: string): NumberText | undefined {
  const ungrouped = (values: NumberText['values'], isWhole = false): NumberText => {
    return { unit: null, values, groups: NO_GROUPS, either: null, isWhole, endsInMinus: false };
  };
  if (isInfinite(text)) {
    const value = text.startsWith('-') ? -Infinity : Infinity;
    return ungrouped({ '.': value, ',': value });
  }
  if (COMMA_EXPONENT.test(text)) {
    return ungrouped({ '.': Number.NaN, ',': Number(text.replace(',', '.')) });
  }
  if (text.length > MAX_PLAIN_LENGTH) return undefined;
  const match = PLAIN.exec(text);
  if (match === null || (match[1] === undefined && text.length <= MAX_LENGTH)) return undefined;
  const value = Number(text);
  const hasPoint = text.includes('.');
  return ungrouped({ '.': value, ',': hasPoint ? Number.NaN : value }, match[1] === undefined && !hasPoint);
}

function asGroup(text: string | undefined): GroupMark | null {
  return text === ',' || text === '.' || text === ' ' || text === "'" ? text : null;
}

/** Returns the number of a text that has exactly one meaning, and no unit; NaN for any other text. */
export function readClearNumber(text: string): number {
  const number = readNumberText(text);
  if (number === undefined || number.unit !== null || number.either !== null) return Number.NaN;
  return Number.isNaN(number.values['.']) ? number.values[','] : number.values['.'];
}

/** Returns whether a word behind or before a number is surely a unit, or absent: `12 Elm` is an address. */
export function isKnownUnit(unit: string | null): boolean {
  return unit === null || SYMBOL.test(unit) || CLOSE_UNITS.has(unit) || isMoney(unit);
}

/** Returns whether a unit is a currency: amounts of money do not have three decimals. */
export function isMoney(unit: string | null): boolean {
  return unit !== null && (/\p{Sc}/u.test(unit) || CURRENCIES.has(unit));
}
