import { booleanEntries, Entries } from '../columns/entries.js';
import { clockText } from '../columns/times.js';
import {
  EntryVector,
  MISSING,
  NumberVector,
  OTHER,
  TimeVector,
  type Vector,
} from '../columns/vector.js';
import type { Meaning } from './leaf-type.js';
import { numbersOf, TextPages } from './logical-values.js';
import type { FlatColumn } from './metadata.js';
import type { PageValues } from './page-values.js';

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
  /** Keeps a dictionary. */
  keep(dictionary: PageValues): void;
  put(values: PageValues, row: number, isThere: Uint8Array | null): void;
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
    this.#dictionary = numbersOf(dictionary, this.#column.type);
  }

  put(values: PageValues, row: number, isThere: Uint8Array | null): void {
    const numbers =
      values.kind === 'indices' ? this.#known(values.codes) : numbersOf(values, this.#column.type);
    scatter(numbers, this.#values, row, isThere);
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

  put(values: PageValues, row: number, isThere: Uint8Array | null): void {
    scatter(this.#codesOf(values), this.#codes, row, isThere);
  }

  #codesOf(values: PageValues): Int32Array {
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
  isThere: Uint8Array | null,
): void {
  if (isThere === null) {
    to.set(values, row);
    return;
  }
  let next = 0;
  for (let at = 0; at < isThere.length; at++) {
    if (isThere[at] === 1) to[row + at] = values[next++] ?? 0;
  }
}
