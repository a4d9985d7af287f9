import { quote } from '../../table/table-error.js';
import { FormatError } from '../columns/format-error.js';
import { TextCodes } from '../columns/text-codes.js';
import {
  clockText,
  decimal,
  halfFloat,
  millisOfWords,
  nearestOfWords,
  signedLittle,
  withinCalendar,
} from '../columns/times.js';
import {
  booleanEntries,
  EntryVector,
  MISSING,
  MissingVector,
  NumberVector,
  OTHER,
  type OtherValues,
  TimeVector,
  type Vector,
} from '../columns/vector.js';
import type { RawColumn } from './raw-column.js';
import { aligned, bitWidth, param, TypeId, timeUnit } from './schema.js';

const BOOLEANS = booleanEntries();
const NO_BYTES = new Uint8Array();

const DAY = 24 * 60 * 60 * 1000;

/**
 * Reads the rows of a column from `from` up to, but not including, `to`.
 *
 * @param texts gives what is known of the texts of this column.
 * @throws {FormatError} if an index or a place of a text is outside of its bytes.
 */
export function readVector(raw: RawColumn, from: number, to: number, texts: () => TextCodes): Vector {
  const { type, dictionary } = raw.field;
  if (dictionary) return readIndices(raw, from, to);
  switch (type.id) {
    case TypeId.Int:
    case TypeId.Float:
    case TypeId.Decimal:
    case TypeId.Duration:
      return new NumberVector(readDoubles(raw, from, to));
    case TypeId.Bool:
      return new EntryVector(readBits(raw, from, to), BOOLEANS);
    case TypeId.Utf8:
    case TypeId.LargeUtf8:
    case TypeId.Utf8View:
      return textVector(raw, from, to, texts());
    case TypeId.Date:
    case TypeId.Timestamp:
      return readTimes(raw, from, to);
    case TypeId.Time:
      return readClocks(raw, from, to);
    default:
      return new MissingVector();
  }
}

/** Returns what reads single values of a whole column. */
export function readValues(raw: RawColumn): OtherValues {
  if (isText(raw)) {
    const { text, bytes } = findTexts(raw, 0, raw.length);
    return {
      value: (index) => (isMissing(raw, index) ? null : text(index)),
      textBytes: (index) => (isMissing(raw, index) ? 0 : bytes(index)),
    };
  }
  const vector = readVector(raw, 0, raw.length, () => new TextCodes());
  return { value: (index) => vector.value(index), textBytes: () => 0 };
}

function isText({ field: { type, dictionary } }: RawColumn): boolean {
  const { id } = type;
  const isOne = id === TypeId.Utf8 || id === TypeId.LargeUtf8 || id === TypeId.Utf8View;
  return isOne && dictionary === null;
}

function textVector(raw: RawColumn, from: number, to: number, known: TextCodes): Vector {
  const { text, bytes, code } = findTexts(raw, from, to);
  const codes = new Int32Array(to - from);
  for (let row = 0; row < codes.length; row++) {
    codes[row] = isMissing(raw, from + row) ? MISSING : code(row, known);
  }
  return new EntryVector(codes, known.entries, { value: text, textBytes: bytes });
}

function readIndices(raw: RawColumn, from: number, to: number): Vector {
  const { field, dictionary } = raw;
  const numbers = readDoubles(raw, from, to);
  const codes = new Int32Array(to - from);
  const count = dictionary?.count ?? 0;
  for (let row = 0; row < codes.length; row++) {
    const index = numbers[row] ?? Number.NaN;
    if (Number.isNaN(index)) codes[row] = MISSING;
    else if (index >= 0 && index < count) codes[row] = index;
    else {
      throw new FormatError(
        `The column ${quote(field.name)} has the index ${index}, but its dictionary has ${count} values. Write it again.`,
      );
    }
  }
  return new EntryVector(codes, dictionary?.entries ?? BOOLEANS);
}

function readBits(raw: RawColumn, from: number, to: number): Int32Array {
  const [bits = NO_BYTES] = raw.buffers;
  const codes = new Int32Array(to - from);
  for (let row = 0; row < codes.length; row++) {
    codes[row] = isMissing(raw, from + row) ? MISSING : bitAt(bits, from + row);
  }
  return codes;
}

function readTimes(raw: RawColumn, from: number, to: number): Vector {
  const { type } = raw.field;
  const isDay = type.id === TypeId.Date && param(type, 0) === 0;
  const unit = type.id === TypeId.Timestamp ? timeUnit(type) : 'millisecond';
  const values = new Float64Array(to - from);
  const words = aligned(raw.buffers[0] ?? NO_BYTES, Int32Array);
  for (let row = 0; row < values.length; row++) {
    const at = from + row;
    const time = isDay ? (words[at] ?? 0) * DAY : millisOfWords(words[2 * at] ?? 0, words[2 * at + 1] ?? 0, unit);
    values[row] = isMissing(raw, at) ? Number.NaN : withinCalendar(time);
  }
  return new TimeVector(values, isDay);
}

function readClocks(raw: RawColumn, from: number, to: number): Vector {
  const { type } = raw.field;
  const words = aligned(raw.buffers[0] ?? NO_BYTES, Int32Array);
  const isWide = bitWidth(type) === 64;
  const codes = new Int32Array(to - from);
  for (let row = 0; row < codes.length; row++) codes[row] = isMissing(raw, from + row) ? MISSING : OTHER;
  const text = (row: number) => {
    const at = from + row;
    const count = isWide ? nearestOfWords(words[2 * at] ?? 0, words[2 * at + 1] ?? 0) : (words[at] ?? 0);
    return clockText(count, timeUnit(type));
  };
  return new EntryVector(codes, BOOLEANS, { value: text, textBytes: () => 0 });
}

export function bitAt(bits: Uint8Array, index: number): number {
  return ((bits[index >> 3] ?? 0) >> (index & 7)) & 1;
}

function isMissing({ validity }: RawColumn, index: number): boolean {
  return validity !== null && bitAt(validity, index) === 0;
}

/** Reads numbers, or indices, as doubles: NaN where they are missing. */
function readDoubles(raw: RawColumn, from: number, to: number): Float64Array {
  const bytes = raw.buffers[0] ?? NO_BYTES;
  const { type, dictionary } = raw.field;
  const numbers = readNumbers(dictionary?.indexType ?? type, bytes, from, to);
  const { validity } = raw;
  if (validity === null) return numbers;
  // The bytes that were sent are not to be written to, as the answer may have them.
  const copied = numbers.buffer === bytes.buffer ? numbers.slice() : numbers;
  for (let row = 0; row < copied.length; row++) {
    if (bitAt(validity, from + row) === 0) copied[row] = Number.NaN;
  }
  return copied;
}

function readNumbers(type: RawColumn['field']['type'], bytes: Uint8Array, from: number, to: number): Float64Array {
  const width = bitWidth(type);
  if (type.id === TypeId.Decimal) return decimals(bytes, width / 8, param(type, 1), from, to);
  if (type.id === TypeId.Float) {
    if (width === 64) return aligned(bytes, Float64Array).subarray(from, to);
    if (width === 32) return Float64Array.from(aligned(bytes, Float32Array).subarray(from, to));
    return Float64Array.from(aligned(bytes, Uint16Array).subarray(from, to), halfFloat);
  }
  const isSigned = type.id !== TypeId.Int || param(type, 1) === 1;
  if (width === 64) return wideIntegers(bytes, isSigned, from, to);
  return Float64Array.from(integers(bytes, width, isSigned).subarray(from, to));
}

function integers(bytes: Uint8Array, width: number, isSigned: boolean) {
  if (width === 8) return isSigned ? aligned(bytes, Int8Array) : bytes;
  if (width === 16) return isSigned ? aligned(bytes, Int16Array) : aligned(bytes, Uint16Array);
  return isSigned ? aligned(bytes, Int32Array) : aligned(bytes, Uint32Array);
}

function wideIntegers(bytes: Uint8Array, isSigned: boolean, from: number, to: number) {
  const words = aligned(bytes, Int32Array);
  const numbers = new Float64Array(to - from);
  for (let row = 0; row < numbers.length; row++) {
    const at = 2 * (from + row);
    const high = words[at + 1] ?? 0;
    numbers[row] = nearestOfWords(words[at] ?? 0, isSigned ? high : high >>> 0);
  }
  return numbers;
}

function decimals(bytes: Uint8Array, size: number, scale: number, from: number, to: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const numbers = new Float64Array(to - from);
  for (let row = 0; row < numbers.length; row++) {
    numbers[row] = decimal(signedLittle(view, size * (from + row), size), scale);
  }
  return numbers;
}

/** The texts of some rows, by row. */
interface Texts {
  readonly text: (row: number) => string;
  readonly bytes: (row: number) => number;
  /** Returns the code of a text among those that are known. */
  readonly code: (row: number, known: TextCodes) => number;
}

/** Texts of at most so many bytes are in their views. */
const MAX_INLINE = 12;
const VIEW_BYTES = 16;

/**
 * Finds the texts of the rows from `from` up to, but not including, `to`.
 *
 * @throws {FormatError} if they are outside of their bytes.
 */
function findTexts(raw: RawColumn, from: number, to: number): Texts {
  if (raw.field.type.id === TypeId.Utf8View) return viewedTexts(raw, from, to);
  const { offsets, bytes } = readOffsets(raw, from, to);
  return {
    text: (row) => bytes.toString('utf8', offsets[row] ?? 0, offsets[row + 1] ?? 0),
    bytes: (row) => (offsets[row + 1] ?? 0) - (offsets[row] ?? 0),
    code: (row, known) => known.findCode(bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0),
  };
}

/** Returns where the texts of some rows begin, and where the last ends, in bytes. */
export function readOffsets(raw: RawColumn, from: number, to: number) {
  const [places = new Uint8Array(), data = new Uint8Array()] = raw.buffers;
  const isLarge = raw.field.type.id === TypeId.LargeUtf8;
  const offsets = isLarge
    ? Float64Array.from(aligned(places, BigInt64Array).subarray(from, to + 1), Number)
    : Float64Array.from(aligned(places, Int32Array).subarray(from, to + 1));
  let last = 0;
  for (const offset of offsets) {
    if (!(offset >= last && offset <= data.length)) throw damaged(raw);
    last = offset;
  }
  if (to > from && offsets.length !== to - from + 1) throw damaged(raw);
  return { offsets, bytes: Buffer.from(data.buffer, data.byteOffset, data.length) };
}

function viewedTexts(raw: RawColumn, from: number, to: number): Texts {
  const [sent = new Uint8Array(), ...others] = raw.buffers;
  if (sent.length < VIEW_BYTES * to) throw damaged(raw);
  // All buffers of a batch are parts of one memory.
  const memory = Buffer.from(sent.buffer);
  const views = new DataView(sent.buffer, sent.byteOffset, sent.length);
  const starts = new Float64Array(to - from);
  const ends = new Float64Array(to - from);
  for (let row = 0; row < to - from; row++) {
    if (isMissing(raw, from + row)) continue;
    const at = VIEW_BYTES * (from + row);
    const length = views.getInt32(at, true);
    const isInline = length <= MAX_INLINE;
    const buffer = isInline ? sent : others[views.getInt32(at + 8, true)];
    const start = isInline ? at + 4 : views.getInt32(at + 12, true);
    if (buffer === undefined || length < 0 || start < 0 || start + length > buffer.length) {
      throw damaged(raw);
    }
    starts[row] = buffer.byteOffset + start;
    ends[row] = buffer.byteOffset + start + length;
  }
  return {
    text: (row) => memory.toString('utf8', starts[row] ?? 0, ends[row] ?? 0),
    bytes: (row) => (ends[row] ?? 0) - (starts[row] ?? 0),
    code: (row, known) => known.findCode(memory, starts[row] ?? 0, ends[row] ?? 0),
  };
}

function damaged({ field }: RawColumn): FormatError {
  const name = quote(field.name);
  return new FormatError(`The column ${name} has texts outside of its bytes. Write it again.`);
}
