import { booleanEntries, Entries } from '../columns/entries.js';
import { FormatFault, within } from '../columns/format-fault.js';
import { clockText } from '../columns/times.js';
import {
  EntryVector,
  MISSING,
  NumberVector,
  OTHER,
  TimeVector,
  type Vector,
} from '../columns/vector.js';
import { decompress } from './codecs.js';
import { readHybrid } from './hybrid-runs.js';
import { numbersOf, TextPages } from './logical-values.js';
import type { FlatColumn } from './metadata.js';
import { type PageHeader, readPageHeader } from './page-header.js';
import { type PageValues, plainValues, readValues } from './page-values.js';

/** A page is held while it is read. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** The bytes that pages may still take when decompressed. */
export interface PageBudget {
  left: number;
}

const BOOLEANS = booleanEntries();

/**
 * Reads the rows of a column in one row group.
 *
 * @param place what messages call the row group.
 * @throws {FormatFault} at a fault of the bytes.
 */
export function readColumn(
  chunk: Uint8Array,
  codec: number,
  rows: number,
  column: FlatColumn,
  budget: PageBudget,
  place: string,
): Vector {
  const where = `${place}, column ${JSON.stringify(column.name.slice(0, 60))},`;
  return within(where, () => {
    try {
      return new ChunkReader(column, rows, budget).read(chunk, codec);
    } catch (error) {
      if (!(error instanceof FormatFault)) throw error;
      throw new FormatFault(`${where} cannot be read: ${error.message}.`);
    }
  });
}

class ChunkReader {
  readonly #column: FlatColumn;
  readonly #rows: number;
  readonly #budget: PageBudget;
  readonly #values: Values;
  #row = 0;

  constructor(column: FlatColumn, rows: number, budget: PageBudget) {
    this.#column = column;
    this.#rows = rows;
    this.#budget = budget;
    const { kind } = column.type.meaning;
    const isCoded = kind === 'text' || kind === 'uuid' || kind === 'boolean';
    this.#values = isCoded ? new Codes(rows, column) : new Numbers(rows, column);
  }

  read(chunk: Uint8Array, codec: number): Vector {
    for (let at = 0; this.#row < this.#rows; ) {
      const header = readPageHeader(chunk, at);
      this.#spend(header);
      at = header.end + header.compressedBytes;
      const bytes = chunk.subarray(header.end, at);
      if (header.kind === 0) this.#firstVersion(decompress(bytes, codec, header.bytes), header);
      else if (header.kind === 3) this.#secondVersion(bytes, codec, header);
      else if (header.kind === 2) this.#dictionary(decompress(bytes, codec, header.bytes), header);
    }
    return this.#values.vector();
  }

  #spend({ bytes, values }: PageHeader): void {
    this.#budget.left -= bytes;
    if (bytes > MAX_PAGE_BYTES || this.#budget.left < 0) {
      throw new FormatFault(
        `its pages claim far more bytes than the file has, or more than ${MAX_PAGE_BYTES} each. Write smaller pages`,
      );
    }
    if (values > this.#rows) throw new RangeError('A page has more values than there are rows.');
  }

  #dictionary(bytes: Uint8Array, { values }: PageHeader): void {
    this.#values.keep(plainValues(bytes, Math.max(values, 0), this.#column.type));
  }

  #firstVersion(bytes: Uint8Array, header: PageHeader): void {
    if (!this.#column.isOptional) {
      this.#put(bytes, header, null);
      return;
    }
    if (header.levelEncoding !== 3)
      throw new FormatFault('its levels are of an old encoding. Write the file again');
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
    if (4 + length > bytes.length) throw new RangeError('The levels end early.');
    const isThere = this.#levels(bytes.subarray(4, 4 + length), header);
    this.#put(bytes.subarray(4 + length), header, isThere);
  }

  #secondVersion(bytes: Uint8Array, codec: number, header: PageHeader): void {
    const levels = header.levelBytes + header.repetitionBytes;
    const of = bytes.subarray(levels);
    const values = header.isCompressed ? decompress(of, codec, header.bytes - levels) : of;
    const isThere = this.#column.isOptional
      ? this.#levels(bytes.subarray(header.repetitionBytes, levels), header)
      : null;
    this.#put(values, header, isThere);
  }

  #levels(bytes: Uint8Array, { values }: PageHeader): Uint8Array {
    const isThere = new Uint8Array(this.#countOf(values));
    readHybrid(bytes, 1, isThere);
    return isThere;
  }

  /** @param isThere a number for each row, 0 where it has no value; null, if all have one. */
  #put(bytes: Uint8Array, header: PageHeader, isThere: Uint8Array | null): void {
    const rows = this.#countOf(header.values);
    let count = rows;
    for (const each of isThere ?? []) count -= 1 - each;
    const values = readValues(bytes, header.encoding, count, this.#column.type);
    this.#values.put(values, this.#row, isThere);
    this.#row += rows;
  }

  #countOf(values: number): number {
    if (values >= 0 && this.#row + values <= this.#rows) return values;
    throw new RangeError('The pages have another number of rows than the row group.');
  }
}

/** Takes the values of pages. */
interface Values {
  /** Keeps a dictionary. */
  keep(dictionary: PageValues): void;
  put(values: PageValues, row: number, isThere: Uint8Array | null): void;
  vector(): Vector;
}

class Numbers implements Values {
  readonly #column: FlatColumn;
  readonly #values: Float64Array;
  #dictionary: Float64Array = new Float64Array();

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
        return new EntryVector(codes, BOOLEANS, text);
      }
      default:
        return new NumberVector(values);
    }
  }
}

class Codes implements Values {
  readonly #isBoolean: boolean;
  readonly #codes: Int32Array;
  readonly #texts = new TextPages();
  #dictionary = { first: 0, count: 0 };

  constructor(rows: number, { type }: FlatColumn) {
    this.#isBoolean = type.meaning.kind === 'boolean';
    this.#codes = new Int32Array(rows).fill(MISSING);
  }

  keep(dictionary: PageValues): void {
    const first = this.#texts.add(dictionary);
    this.#dictionary = { first, count: this.#texts.count - first };
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
    const first = this.#texts.add(values);
    return Int32Array.from({ length: this.#texts.count - first }, (_, index) => first + index);
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
