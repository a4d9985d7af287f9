/*
 * The readings of models of earlier releases, which answer as they did: each cell of a column of plain numbers is read by
 * itself, and numbers as programs write them are such whatever the marks of their column are.
 */

import { parseDate } from '../cells.js';
import { parseNumber } from '../parse-number.js';
import type { DateReading, DecimalMark, NumberReading } from './column-reading.js';
import { readDateText } from './date-forms.js';
import { isUnit, SEPARATORS } from './number-forms.js';

/** The most characters of a number with its unit. */
const MAX_LENGTH = 40;

/** A sign, a unit, a sign, the digits with their separators, a blank, a unit. */
const FORM =
  /^([+−-]?)\s?(\p{L}{0,3}\p{Sc}|[A-Z]{3}(?=[\s\d+−-]))?\s?([+−-]?)((?:\d|[.,]\d)[\d.,'’ \u00a0\u202f]*?)(\s?)([^\d\s.,'’+−-][^\d\s]*)?$/u;

/** Digits by their decimal mark. */
const GROUPED_BY: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /^(?:[1-9]\d{0,2}(?:([, '])\d{3})(?:\1\d{3})*|\d*)(?:\.\d*)?$/,
  ',': /^(?:[1-9]\d{0,2}(?:([. '])\d{3})(?:\1\d{3})*|\d*)(?:,\d*)?$/,
};

const MACHINE_NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Returns the reader of a column whose reading does not say what decided it. */
export function createEarlierReader(
  kind: 'number' | 'date',
  reading: NumberReading | DateReading | null,
): (text: string) => number {
  if (reading?.kind === 'number') return numberReader(reading);
  if (reading?.kind === 'date') return dateReader(reading);
  return kind === 'date' ? parseDate : parseNumber;
}

function numberReader({ unit, decimal }: NumberReading): (text: string) => number {
  return (text) => {
    if (text === '' || text.length > MAX_LENGTH) return parseNumber(text);
    if (MACHINE_NUMBER.test(text)) return Number(text);
    const match = FORM.exec(text);
    if (match === null) return parseNumber(text);
    const [, sign = '', before = '', inner = '', body = '', blank = '', behind = ''] = match;
    if ((sign !== '' && inner !== '') || !isUnit(before, blank, behind)) return parseNumber(text);
    const own = before || behind;
    if (own !== '' && own !== unit) return Number.NaN;
    const digits = body.replaceAll(/[\u00a0\u202f]/g, ' ').replaceAll('’', "'");
    const value = parseDigits(digits, decimal);
    return /[−-]/.test(sign + inner) ? -value : value;
  };
}

function parseDigits(digits: string, decimal: DecimalMark): number {
  if (!GROUPED_BY[decimal].test(digits)) return parseNumber(digits);
  return Number(digits.replaceAll(SEPARATORS[decimal], '').replace(',', '.'));
}

/** Two numbers and a year of four digits, and a time without an offset. */
const DATE =
  /^\d{1,2}([/.-])\d{1,2}\1[1-9]\d{3}(?:(?:, ?| |T)(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\.?)?)?$/i;

function dateReader({ order }: DateReading): (text: string) => number {
  return (text) => {
    if (!DATE.test(text)) return parseDate(text);
    const { byOrder } = readDateText(text) ?? {};
    return byOrder?.[order === 'day-first' ? order : 'month-first'] ?? Number.NaN;
  };
}
