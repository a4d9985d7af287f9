import { parseDate, textReader } from '../cells.js';
import { MissingWords } from '../missing-words.js';
import { plainNumber } from '../parse-number.js';
import type { ColumnReading, DateReading, NumberReading } from './column-reading.js';
import { type DateText, readDateText } from './date-forms.js';
import { createEarlierReader } from './earlier-readings.js';
import { type NumberText, readNumberText } from './number-forms.js';

/**
 * Returns the reader of the texts of a column of numbers or dates, as numbers or milliseconds since 1970. Texts that
 * contradict the reading are NaN, like missing values: they are never read in another way.
 *
 * @param reading of a model; null or without what decided it, the texts are read as earlier releases did.
 */
export function createReader(
  kind: 'number' | 'date',
  reading: ColumnReading | null | undefined,
): (text: string) => number {
  if (reading === null || reading === undefined || reading.kind === 'undecided') {
    return createEarlierReader(kind, null);
  }
  if (reading.decided_by === undefined) return createEarlierReader(kind, reading);
  return reading.kind === 'number' ? numberReader(reading) : dateReader(reading);
}

/**
 * Returns the reader of the cells of such a column; numbers of a column of numbers are what they are.
 *
 * @param words that count as missing, as for `textReader`.
 */
export function createCellReader(
  kind: 'number' | 'date',
  reading: ColumnReading | null | undefined,
  words: readonly string[] | undefined,
): (cell: unknown) => number {
  const read = createReader(kind, reading);
  const readText = textReader(words);
  if (kind === 'date') return (cell) => read(readText(cell));
  const { numbers } = MissingWords.of(words);
  const readNumber = numbers.size === 0 ? (cell: number) => cell : (cell: number) => (numbers.has(cell) ? NaN : cell);
  return (cell) => (typeof cell === 'number' ? readNumber(cell) : read(readText(cell)));
}

function numberReader(reading: NumberReading): (text: string) => number {
  const isPoint = reading.decimal === '.';
  return (text) => {
    const plain = isPoint ? plainNumber(text) : undefined;
    if (plain !== undefined) return plain;
    const number = readNumberText(text);
    return number === undefined ? Number.NaN : readAs(number, text, reading);
  };
}

/**
 * Returns the number of a text under a reading; NaN if it has another unit, or contradicts the reading.
 *
 * A text with one meaning has that meaning: `61,5` is 61.5 also where the table has points. But where the comma groups
 * thousands, its sender writes other numbers that would be read as thousands, so that none of them is read.
 */
function readAs(number: NumberText, text: string, reading: NumberReading): number {
  const { decimal, group, unit } = reading;
  const { values, either } = number;
  if (number.unit !== null && number.unit !== unit) return Number.NaN;
  // A number with a point and an exponent is never one of groups.
  if (EXPONENT.test(text)) return values['.'];
  // The sender may use a mark for decimals if the column does not group by it.
  if (either !== null && either !== decimal && either !== group) return Number.NaN;
  if (!Number.isNaN(values[decimal])) return values[decimal];
  const other = decimal === '.' ? ',' : '.';
  return group === other || number.groups[other] === decimal ? Number.NaN : values[other];
}

const EXPONENT = /^[+-]?\d*\.\d*e[+-]?\d+$/i;

function dateReader({ order }: DateReading): (text: string) => number {
  return (text) => {
    const iso = parseDate(text);
    if (!Number.isNaN(iso)) return iso;
    const date = readDateText(text);
    return date === undefined ? Number.NaN : momentOf(date, order);
  };
}

/** Returns the moment of a date under the order of its column; NaN if there is no such day. */
export function momentOf({ value, byOrder }: DateText, order: DateReading['order']): number {
  if (byOrder === undefined) return value ?? Number.NaN;
  return order === 'iso' || order === 'unambiguous' ? Number.NaN : byOrder[order];
}

/** Returns whether a text looks like a value of a kind, though it may contradict what its column means. */
export function looksLike(kind: 'number' | 'date', text: string): boolean {
  if (text.length > MAX_LOOKED_AT) return false;
  return (kind === 'number' ? readNumberText(text) : readDateText(text)) !== undefined;
}

/** The most characters of a text that is read as a value. */
const MAX_LOOKED_AT = 100;
