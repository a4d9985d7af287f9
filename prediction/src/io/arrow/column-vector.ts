import { booleanEntries } from '../columns/entries.js';
import { FormatError } from '../columns/format-error.js';
import { TextCodes } from '../columns/text-codes.js';
import { clockText, withinCalendar } from '../columns/times.js';
import {
  EntryVector,
  MISSING,
  MissingVector,
  NumberVector,
  OTHER,
  type OtherValues,
  TimeVector,
  type Vector,
} from '../columns/vector.js';
import { millisOfWords, nearestOfWords } from '../columns/wide-numbers.js';
import { bitAt, isMissing, numbersOf } from './numbers.js';
import type { RawColumn } from './raw-column.js';
import { textsOf } from './texts.js';
import { aligned } from './typed-views.js';
import { bitWidth, param, TypeId, timeUnit } from './types.js';

const BOOLEANS = booleanEntries();
const NO_BYTES = new Uint8Array();

const DAY = 24 * 60 * 60 * 1000;

/**
 * Reads the rows of a column from `from` up to, but not including, `to`.
 *
 * @param texts gives what is known of the texts of this column.
 * @throws {FormatError} if an index or a place of a text is outside of its bytes.
 */
export function vectorOf(raw: RawColumn, from: number, to: number, texts: () => TextCodes): Vector {
  const { type, dictionary } = raw.field;
  if (dictionary) return indicesOf(raw, from, to);
  switch (type.id) {
    case TypeId.Int:
    case TypeId.Float:
    case TypeId.Decimal:
    case TypeId.Duration:
      return new NumberVector(numbersOf(raw, from, to));
    case TypeId.Bool:
      return new EntryVector(bitsOf(raw, from, to), BOOLEANS);
    case TypeId.Utf8:
    case TypeId.LargeUtf8:
    case TypeId.Utf8View:
      return textVector(raw, from, to, texts());
    case TypeId.Date:
    case TypeId.Timestamp:
      return timesOf(raw, from, to);
    case TypeId.Time:
      return clocksOf(raw, from, to);
    default:
      return new MissingVector();
  }
}

/** Returns what reads single values of a whole column. */
export function valuesOf(raw: RawColumn): OtherValues {
  if (isText(raw)) {
    const { text, bytes } = textsOf(raw, 0, raw.length);
    return {
      value: (index) => (isMissing(raw, index) ? null : text(index)),
      textBytes: (index) => (isMissing(raw, index) ? 0 : bytes(index)),
    };
  }
  const vector = vectorOf(raw, 0, raw.length, () => new TextCodes());
  return { value: (index) => vector.value(index), textBytes: () => 0 };
}

function isText({ field: { type, dictionary } }: RawColumn): boolean {
  const { id } = type;
  const isOne = id === TypeId.Utf8 || id === TypeId.LargeUtf8 || id === TypeId.Utf8View;
  return isOne && dictionary === null;
}

function textVector(raw: RawColumn, from: number, to: number, known: TextCodes): Vector {
  const { text, bytes, code } = textsOf(raw, from, to);
  const codes = new Int32Array(to - from);
  for (let row = 0; row < codes.length; row++) {
    codes[row] = isMissing(raw, from + row) ? MISSING : code(row, known);
  }
  return new EntryVector(codes, known.entries, { value: text, textBytes: bytes });
}

function indicesOf(raw: RawColumn, from: number, to: number): Vector {
  const { field, dictionary } = raw;
  const numbers = numbersOf(raw, from, to);
  const codes = new Int32Array(to - from);
  const count = dictionary?.count ?? 0;
  for (let row = 0; row < codes.length; row++) {
    const index = numbers[row] ?? Number.NaN;
    if (Number.isNaN(index)) codes[row] = MISSING;
    else if (index >= 0 && index < count) codes[row] = index;
    else {
      throw new FormatError(
        `The column ${JSON.stringify(field.name.slice(0, 60))} has the index ${index}, but its dictionary has ${count} values. Write it again.`,
      );
    }
  }
  return new EntryVector(codes, dictionary?.entries ?? BOOLEANS);
}

function bitsOf(raw: RawColumn, from: number, to: number): Int32Array {
  const [bits = NO_BYTES] = raw.buffers;
  const codes = new Int32Array(to - from);
  for (let row = 0; row < codes.length; row++) {
    codes[row] = isMissing(raw, from + row) ? MISSING : bitAt(bits, from + row);
  }
  return codes;
}

function timesOf(raw: RawColumn, from: number, to: number): Vector {
  const { type } = raw.field;
  const isDay = type.id === TypeId.Date && param(type, 0) === 0;
  const unit = type.id === TypeId.Timestamp ? timeUnit(type) : 'millisecond';
  const values = new Float64Array(to - from);
  const words = aligned(raw.buffers[0] ?? NO_BYTES, Int32Array);
  for (let row = 0; row < values.length; row++) {
    const at = from + row;
    const time = isDay
      ? (words[at] ?? 0) * DAY
      : millisOfWords(words[2 * at] ?? 0, words[2 * at + 1] ?? 0, unit);
    values[row] = isMissing(raw, at) ? Number.NaN : withinCalendar(time);
  }
  return new TimeVector(values, isDay);
}

function clocksOf(raw: RawColumn, from: number, to: number): Vector {
  const { type } = raw.field;
  const words = aligned(raw.buffers[0] ?? NO_BYTES, Int32Array);
  const isWide = bitWidth(type) === 64;
  const codes = new Int32Array(to - from);
  for (let row = 0; row < codes.length; row++)
    codes[row] = isMissing(raw, from + row) ? MISSING : OTHER;
  const text = (row: number) => {
    const at = from + row;
    const count = isWide
      ? nearestOfWords(words[2 * at] ?? 0, words[2 * at + 1] ?? 0)
      : (words[at] ?? 0);
    return clockText(count, timeUnit(type));
  };
  return new EntryVector(codes, BOOLEANS, { value: text, textBytes: () => 0 });
}
