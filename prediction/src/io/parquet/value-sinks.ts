import {
  clockText,
  decimal,
  halfFloat,
  millisOfWords,
  nearestOfWords,
  signedBig,
  signedLittle,
  type TimeUnit,
  withinCalendar,
} from '../columns/times.js';
import {
  booleanEntries,
  Entries,
  type EntrySource,
  EntryVector,
  MISSING,
  NumberVector,
  OTHER,
  type OtherValues,
  TimeVector,
  ValueParts,
  type Vector,
} from '../columns/vector.js';
import { type LeafType, type Meaning, Physical } from './leaf-type.js';
import type { FlatColumn } from './metadata.js';
import type { PageValues, Slices } from './page-values.js';

const BOOLEANS = booleanEntries();

/** Returns the bytes that a row of a column takes, besides its text. */
export function cellBytes({ type }: FlatColumn): number {
  const { kind } = type.meaning;
  if (kind === 'clock') return 12;
  return isCoded(kind) ? 4 : 8;
}

/** Returns what collects the values of a column of so many rows. */
export function valueSink(rows: number, column: FlatColumn): ValueSink {
  const { kind } = column.type.meaning;
  return isCoded(kind) ? new Codes(rows, column) : new Numbers(rows, column);
}

function isCoded(kind: Meaning['kind']): boolean {
  return kind === 'text' || kind === 'uuid' || kind === 'boolean';
}

/** Takes the values of pages. */
export interface ValueSink {
  keep(dictionary: PageValues): void;
  put(values: PageValues, row: number, validity: Uint8Array | null): void;
  /** Returns the bytes of pages that were kept since the last call. */
  takeKept(): number;
  vector(): Vector;
}

/** Collects numbers, dates and times. */
class Numbers implements ValueSink {
  readonly #column: FlatColumn;
  readonly #values: Float64Array;
  #dictionary: Float64Array = new Float64Array();
  #counted = 0;

  constructor(rows: number, column: FlatColumn) {
    this.#column = column;
    this.#values = new Float64Array(rows).fill(Number.NaN);
  }

  keep(dictionary: PageValues): void {
    this.#dictionary = readNumbers(dictionary, this.#column.type);
  }

  put(values: PageValues, row: number, validity: Uint8Array | null): void {
    const numbers = values.kind === 'indices' ? this.#known(values.codes) : readNumbers(values, this.#column.type);
    scatter(numbers, this.#values, row, validity);
  }

  takeKept(): number {
    const bytes = this.#dictionary.byteLength - this.#counted;
    this.#counted += bytes;
    return bytes;
  }

  #known(codes: Int32Array): Float64Array {
    checkCodes(codes, this.#dictionary.length);
    const numbers = new Float64Array(codes.length);
    for (let at = 0; at < codes.length; at++) numbers[at] = this.#dictionary[codes[at] ?? 0] ?? 0;
    return numbers;
  }

  vector(): Vector {
    const values = this.#values;
    const { meaning } = this.#column.type;
    switch (meaning.kind) {
      case 'date':
      case 'moment':
        return new TimeVector(values, meaning.kind === 'date');
      case 'clock': {
        const codes = Int32Array.from(values, (value) => (Number.isNaN(value) ? MISSING : OTHER));
        const text = (row: number) => clockText(values[row] ?? 0, meaning.unit);
        return new EntryVector(codes, BOOLEANS, { value: text, textBytes: () => 0 });
      }
      default:
        return new NumberVector(values);
    }
  }
}

/** Collects texts and truth values. */
class Codes implements ValueSink {
  readonly #isBoolean: boolean;
  readonly #codes: Int32Array;
  readonly #texts = new TextPages();
  #dictionary = { first: 0, count: 0 };

  constructor(rows: number, { type }: FlatColumn) {
    this.#isBoolean = type.meaning.kind === 'boolean';
    this.#codes = new Int32Array(rows).fill(MISSING);
  }

  keep(dictionary: PageValues): void {
    this.#dictionary = this.#texts.add(dictionary, true);
  }

  takeKept(): number {
    return this.#texts.takeKept();
  }

  put(values: PageValues, row: number, validity: Uint8Array | null): void {
    scatter(this.#readCodes(values), this.#codes, row, validity);
  }

  #readCodes(values: PageValues): Int32Array {
    if (values.kind === 'bits' && this.#isBoolean) return values.codes;
    if (values.kind === 'indices') {
      const { first, count } = this.#dictionary;
      checkCodes(values.codes, count);
      return first === 0 ? values.codes : values.codes.map((code) => first + code);
    }
    const { first, count } = this.#texts.add(values, false);
    const codes = new Int32Array(count);
    for (let index = 0; index < count; index++) codes[index] = first + index;
    return codes;
  }

  vector(): Vector {
    return new EntryVector(this.#codes, this.#isBoolean ? BOOLEANS : new Entries(this.#texts));
  }
}

function checkCodes(codes: Int32Array, count: number): void {
  for (const code of codes) {
    if (code >= count) throw new RangeError('An index is not in the dictionary.');
  }
}

/** Writes the values of some rows from `row` on; those that are not there stay missing. */
function scatter<T extends Float64Array | Int32Array>(
  values: T,
  to: T,
  row: number,
  validity: Uint8Array | null,
): void {
  if (validity === null) {
    to.set(values, row);
    return;
  }
  let next = 0;
  for (let at = 0; at < validity.length; at++) {
    if (validity[at] === 1) to[row + at] = values[next++] ?? 0;
  }
}

const DAY = 24 * 60 * 60 * 1000;

/** The day of the Julian calendar that 1970 began with. */
const JULIAN_1970 = 2_440_588;

/** Returns what values are as numbers: of dates and moments, milliseconds since 1970. */
function readNumbers(values: PageValues, type: LeafType): Float64Array {
  if (values.kind === 'slices') return readDecimals(values.slices, type);
  if (values.kind !== 'fixed') throw new RangeError('The values are not numbers.');
  const { bytes } = values;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { size } = type;
  const read = createReader(type, view);
  const numbers = new Float64Array(bytes.length / size);
  for (let index = 0; index < numbers.length; index++) numbers[index] = read(index * size);
  return numbers;
}

function createReader({ physical, size, meaning }: LeafType, view: DataView): (at: number) => number {
  const low = (at: number) => view.getInt32(at, true);
  switch (meaning.kind) {
    case 'date':
      return (at) => withinCalendar(low(at) * DAY);
    case 'moment':
      return momentReader(physical, meaning.unit, view);
    case 'half':
      return (at) => halfFloat(view.getUint16(at, true));
    case 'decimal': {
      const { scale } = meaning;
      if (physical === Physical.FixedBytes) return (at) => decimal(signedBig(view, at, size), scale);
      return (at) => decimal(signedLittle(view, at, size), scale);
    }
    default:
  }
  const isSigned = meaning.kind !== 'number' || meaning.isSigned;
  switch (physical) {
    case Physical.Float:
      return (at) => view.getFloat32(at, true);
    case Physical.Double:
      return (at) => view.getFloat64(at, true);
    case Physical.Int64:
      return isSigned
        ? (at) => nearestOfWords(low(at), low(at + 4))
        : (at) => nearestOfWords(low(at), view.getUint32(at + 4, true));
    default:
      return isSigned ? low : (at) => view.getUint32(at, true);
  }
}

function momentReader(physical: number, unit: TimeUnit, view: DataView): (at: number) => number {
  const word = (at: number) => view.getInt32(at, true);
  if (physical === Physical.Int64) {
    return (at) => withinCalendar(millisOfWords(word(at), word(at + 4), unit));
  }
  return (at) => {
    const days = word(at + 8) - JULIAN_1970;
    return withinCalendar(days * DAY + millisOfWords(word(at), word(at + 4), unit));
  };
}

function readDecimals({ bytes, starts, ends }: Slices, { meaning }: LeafType): Float64Array {
  if (meaning.kind !== 'decimal') throw new RangeError('The values are not numbers.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float64Array.from(starts, (start, index) => {
    const size = (ends[index] ?? start) - start;
    if (size > 1024) throw new RangeError('A decimal is too long.');
    return decimal(signedBig(view, start, size), meaning.scale);
  });
}

/** Texts of pages, which are decoded when they are first needed. */
class TextPages implements EntrySource {
  readonly #parts = new ValueParts();
  #kept = 0;
  #count = 0;

  /** The texts of the dictionary, if it comes first: others are in one row each. */
  get count(): number {
    return this.#count;
  }

  /** Adds the texts of a page, and returns the index of the first, and their number. */
  add(values: PageValues, isDictionary: boolean): { first: number; count: number } {
    const page = textPage(values);
    const { count } = page;
    const first = this.#parts.add(page, count);
    this.#kept += page.bytes;
    if (isDictionary && first === 0) {
      // Its texts stay as strings, too, which may take twice their bytes.
      this.#count = count;
      this.#kept += 2 * page.bytes + ENTRY_BYTES * count;
    }
    return { first, count };
  }

  /** Returns the bytes that were kept since the last call. */
  takeKept(): number {
    const bytes = this.#kept;
    this.#kept = 0;
    return bytes;
  }

  value(index: number): unknown {
    return this.#parts.value(index);
  }

  textBytes(index: number): number {
    return this.#parts.textBytes(index);
  }
}

interface TextPage extends OtherValues {
  readonly count: number;
  /** The values of the page. */
  readonly bytes: number;
}

/** About what a page takes besides its values, and a text of a dictionary as a string besides its letters. */
const PAGE_BYTES = 512;
const ENTRY_BYTES = 48;

const UUID_BYTES = 16;
const UUID_TEXT_BYTES = 36;

function textPage(values: PageValues): TextPage {
  if (values.kind === 'slices') {
    const { bytes, starts, ends } = values.slices;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return {
      count: starts.length,
      bytes: PAGE_BYTES + bytes.length + starts.byteLength + ends.byteLength,
      value: (index) => buffer.toString('utf8', starts[index] ?? 0, ends[index] ?? 0),
      textBytes: (index) => (ends[index] ?? 0) - (starts[index] ?? 0),
    };
  }
  if (values.kind !== 'fixed') throw new RangeError('The values are not texts.');
  const { bytes } = values;
  return {
    count: bytes.length / UUID_BYTES,
    bytes: PAGE_BYTES + bytes.length,
    value: (index) => uuidText(bytes.subarray(UUID_BYTES * index, UUID_BYTES * (index + 1))),
    textBytes: () => UUID_TEXT_BYTES,
  };
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
