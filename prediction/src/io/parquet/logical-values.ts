import type { EntrySource } from '../columns/entries.js';
import { partOf } from '../columns/part-of.js';
import { type TimeUnit, withinCalendar } from '../columns/times.js';
import {
  decimal,
  halfFloat,
  millisOfWords,
  nearestOfWords,
  signedBig,
  signedLittle,
} from '../columns/wide-numbers.js';
import { type LeafType, Physical } from './leaf-type.js';
import type { PageValues, Slices } from './page-values.js';

const DAY = 24 * 60 * 60 * 1000;

/** The day of the Julian calendar that 1970 began with. */
const JULIAN_1970 = 2_440_588;

/** Returns what values are as numbers: of dates and moments, milliseconds since 1970. */
export function numbersOf(values: PageValues, type: LeafType): Float64Array {
  if (values.kind === 'slices') return decimalsOf(values.slices, type);
  if (values.kind !== 'fixed') throw new RangeError('The values are no numbers.');
  const { bytes } = values;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { size } = type;
  const read = readerOf(type, view);
  const numbers = new Float64Array(bytes.length / size);
  for (let index = 0; index < numbers.length; index++) numbers[index] = read(index * size);
  return numbers;
}

function readerOf({ physical, size, meaning }: LeafType, view: DataView): (at: number) => number {
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
      if (physical === Physical.FixedBytes)
        return (at) => decimal(signedBig(view, at, size), scale);
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

function decimalsOf({ bytes, starts, ends }: Slices, { meaning }: LeafType): Float64Array {
  if (meaning.kind !== 'decimal') throw new RangeError('The values are no numbers.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float64Array.from(starts, (start, index) => {
    const size = (ends[index] ?? start) - start;
    if (size > 1024) throw new RangeError('A decimal is too long.');
    return decimal(signedBig(view, start, size), meaning.scale);
  });
}

/** Texts of pages, which are decoded when they are first needed. */
export class TextPages implements EntrySource {
  readonly #starts: number[] = [];
  readonly #pages: TextPage[] = [];
  #total = 0;
  #kept = 0;
  #count = 0;

  /** The texts of the dictionary, if it comes first: others are in one row each. */
  get count(): number {
    return this.#count;
  }

  /** Adds the texts of a page, and returns the index of the first, and their number. */
  add(values: PageValues, isDictionary: boolean): { first: number; count: number } {
    const page = textPage(values);
    const first = this.#total;
    this.#starts.push(first);
    this.#pages.push(page);
    this.#total += page.count;
    this.#kept += page.bytes;
    if (isDictionary && first === 0) {
      // Its texts stay as strings, too, which may take twice their bytes.
      this.#count = page.count;
      this.#kept += 2 * page.bytes + ENTRY_BYTES * page.count;
    }
    return { first, count: page.count };
  }

  /** Returns the bytes that were kept since the last call. */
  takeKept(): number {
    const bytes = this.#kept;
    this.#kept = 0;
    return bytes;
  }

  value(index: number): unknown {
    const part = partOf(this.#starts, index);
    return this.#pages[part]?.text(index - (this.#starts[part] ?? 0)) ?? null;
  }

  textBytes(index: number): number {
    const part = partOf(this.#starts, index);
    return this.#pages[part]?.textBytes(index - (this.#starts[part] ?? 0)) ?? 0;
  }
}

interface TextPage {
  readonly count: number;
  /** What the page holds. */
  readonly bytes: number;
  readonly text: (index: number) => string;
  readonly textBytes: (index: number) => number;
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
      text: (index) => buffer.toString('utf8', starts[index] ?? 0, ends[index] ?? 0),
      textBytes: (index) => (ends[index] ?? 0) - (starts[index] ?? 0),
    };
  }
  if (values.kind !== 'fixed') throw new RangeError('The values are no texts.');
  const { bytes } = values;
  return {
    count: bytes.length / UUID_BYTES,
    bytes: PAGE_BYTES + bytes.length,
    text: (index) => uuidText(bytes.subarray(UUID_BYTES * index, UUID_BYTES * (index + 1))),
    textBytes: () => UUID_TEXT_BYTES,
  };
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
