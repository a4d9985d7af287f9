import type { DuckDBVector } from '@duckdb/node-api';
import { type ArrowType, type BatchBody, BOOL, FLOAT64, INT32, TypeId, UTF8 } from 'roster-prediction/arrow';
import { TextDictionary } from './text-dictionary.js';

/** The type of a column as it is sent. */
export interface SentType {
  /** The values, as an expression of SQL with `?` for the column. */
  readonly sql: string;
  readonly arrow: ArrowType;
  /** The bytes of a value; 0 for truth values, which take a bit, and for texts, which are sent as a dictionary. */
  readonly width: number;
}

const AS_IS = '?';

function integer(bits: number, isSigned: number): SentType {
  return { sql: AS_IS, arrow: { id: TypeId.Int, params: [bits, isSigned] }, width: bits / 8 };
}

/** @param unit by its number in Schema.fbs: 0 is a second, 3 a nanosecond */
function moment(unit: number, zone = ''): SentType {
  return { sql: AS_IS, arrow: { id: TypeId.Timestamp, params: [unit, zone] }, width: 8 };
}

const TEXT: SentType = { sql: AS_IS, arrow: UTF8, width: 0 };
const WRITTEN_TEXT: SentType = { ...TEXT, sql: '?::VARCHAR' };
const NUMBER: SentType = { sql: '?::DOUBLE', arrow: FLOAT64, width: 8 };

/** The types of DuckDB that Parquet has, but for decimals, whose names have parameters. */
const TYPES: Readonly<Record<string, SentType>> = {
  BOOLEAN: { sql: AS_IS, arrow: BOOL, width: 0 },
  TINYINT: integer(8, 1),
  SMALLINT: integer(16, 1),
  INTEGER: integer(32, 1),
  BIGINT: integer(64, 1),
  UTINYINT: integer(8, 0),
  USMALLINT: integer(16, 0),
  UINTEGER: integer(32, 0),
  UBIGINT: integer(64, 0),
  HUGEINT: NUMBER,
  UHUGEINT: NUMBER,
  FLOAT: { sql: AS_IS, arrow: { id: TypeId.Float, params: [1] }, width: 4 },
  DOUBLE: { ...NUMBER, sql: AS_IS },
  VARCHAR: TEXT,
  JSON: WRITTEN_TEXT,
  UUID: WRITTEN_TEXT,
  DATE: { sql: AS_IS, arrow: { id: TypeId.Date, params: [0] }, width: 4 },
  TIME: { sql: AS_IS, arrow: { id: TypeId.Time, params: [2, 64] }, width: 8 },
  TIMESTAMP: moment(2),
  TIMESTAMP_S: moment(0),
  TIMESTAMP_MS: moment(1),
  TIMESTAMP_NS: moment(3),
  'TIMESTAMP WITH TIME ZONE': moment(2, 'UTC'),
};

/** Returns how the values of a type of DuckDB are sent; undefined for those that no model reads, such as a struct. */
export function findSentType(duckdbType: string): SentType | undefined {
  const [, scale] = /^DECIMAL\(\d+,(\d+)\)$/.exec(duckdbType) ?? [];
  if (scale !== undefined) {
    // DuckDB has decimals of this width as Arrow has them.
    const arrow = { id: TypeId.Decimal, params: [38, Number(scale), 128] };
    return { sql: `?::DECIMAL(38,${scale})`, arrow, width: 16 };
  }
  if (duckdbType.startsWith('ENUM(')) return WRITTEN_TEXT;
  return Object.hasOwn(TYPES, duckdbType) ? TYPES[duckdbType] : undefined;
}

const NO_BYTES = new Uint8Array();

/** The values of a column of some rows, which are added chunk by chunk and written in parts. */
export class SentColumn {
  readonly #type: SentType;
  readonly #bytes: Uint8Array;
  readonly #validity: Uint8Array;
  /** The texts, for a column of these; its bytes are indices. */
  readonly texts: TextDictionary | undefined;
  #hasMissing = false;

  /** @param rows the most rows that are added */
  constructor(type: SentType, rows: number) {
    this.#type = type;
    this.texts = type.arrow.id === TypeId.Utf8 ? new TextDictionary() : undefined;
    const width = this.texts ? 4 : type.width;
    this.#bytes = new Uint8Array(width === 0 ? Math.ceil(rows / 8) : width * rows);
    this.#validity = new Uint8Array(Math.ceil(rows / 8)).fill(0xff);
  }

  /** The bytes that the values take. */
  get byteLength(): number {
    return this.#bytes.length + (this.texts?.byteLength ?? 0);
  }

  /** Adds the values of a vector behind the first `at` rows. */
  add(vector: DuckDBVector, at: number, rows: number): void {
    const missing = vector.validity.data;
    if (missing) this.#addMissing(missing, at, rows);
    if (this.texts) this.#addTexts(this.texts, vector, at, rows);
    else if (this.#type.width === 0) this.#addBits(viewBytes(vector), at, rows);
    else {
      const { width } = this.#type;
      this.#bytes.set(viewBytes(vector).subarray(0, width * rows), width * at);
    }
  }

  /** Writes rows as the next column of a batch. @param from a multiple of 8 */
  write(body: BatchBody, from: number, to: number): void {
    const bits = this.#validity.subarray(from >> 3, Math.ceil(to / 8));
    const missing = this.#hasMissing ? to - from - countBits(bits, to - from) : 0;
    body.node(to - from, missing);
    body.buffer(missing > 0 ? bits : NO_BYTES);
    const width = this.texts ? 4 : this.#type.width;
    body.buffer(
      width === 0 ? this.#bytes.subarray(from >> 3, Math.ceil(to / 8)) : this.#bytes.subarray(width * from, width * to),
    );
  }

  /** Returns numbers that were added, NaN where they are missing. */
  doubles(rows: number): Float64Array {
    const values = new Float64Array(this.#bytes.buffer, 0, rows);
    return values.map((value, row) => (bitAt(this.#validity, row) === 1 ? value : Number.NaN));
  }

  /** Returns texts that were added, or the texts of numbers; the empty one where they are missing. */
  strings(rows: number): string[] {
    const { texts } = this;
    if (texts === undefined)
      return Array.from(this.doubles(rows), (value) => (Number.isNaN(value) ? '' : String(value)));
    const { bytes, offsets } = texts.texts;
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const known = Array.from({ length: texts.count }, (_, number) =>
      all.toString('utf8', offsets[number], offsets[number + 1]).trim(),
    );
    const codes = new Int32Array(this.#bytes.buffer, 0, rows);
    return Array.from(codes, (code, row) => (bitAt(this.#validity, row) === 1 ? (known[code] ?? '') : ''));
  }

  #addMissing(validity: BigUint64Array, at: number, rows: number): void {
    const bytes = new Uint8Array(validity.buffer, validity.byteOffset, validity.byteLength);
    this.#hasMissing = true;
    if (at % 8 !== 0) {
      for (let row = 0; row < rows; row++) setBit(this.#validity, at + row, bitAt(bytes, row));
      return;
    }
    const end = Math.ceil(rows / 8);
    this.#validity.set(bytes.subarray(0, end), at >> 3);
    // Rows that are added behind these have a value until it is known that they do not.
    if (rows % 8 > 0) this.#validity[(at >> 3) + end - 1] = (bytes[end - 1] ?? 0) | (0xff << (rows % 8));
  }

  #addBits(bytes: Uint8Array, at: number, rows: number): void {
    for (let row = 0; row < rows; row++) setBit(this.#bytes, at + row, bytes[row] === 0 ? 0 : 1);
  }

  #addTexts(texts: TextDictionary, vector: DuckDBVector, at: number, rows: number): void {
    const codes = new Int32Array(this.#bytes.buffer, 4 * at, rows);
    const { data } = vector.validity;
    const validity = data ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : undefined;
    const strings = viewBytes(vector);
    const words = new Uint32Array(strings.buffer, strings.byteOffset, 4 * rows);
    for (let row = 0; row < rows; row++) {
      if (validity && bitAt(validity, row) === 0) continue;
      codes[row] = texts.add(words, 4 * row, () => String(vector.getItem(row)));
    }
  }
}

/** The type of the indices of texts. */
export const INDEX = INT32;

function viewBytes({ items, dataView }: DuckDBVector): Uint8Array {
  const view = items ?? dataView;
  if (view === undefined) throw new Error('This release of @duckdb/node-api has vectors of another kind.');
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function bitAt(bits: Uint8Array, index: number): number {
  return ((bits[index >> 3] ?? 0) >> (index & 7)) & 1;
}

function setBit(bits: Uint8Array, index: number, bit: number): void {
  const mask = 1 << (index & 7);
  const byte = bits[index >> 3] ?? 0;
  bits[index >> 3] = bit === 0 ? byte & ~mask : byte | mask;
}

function countBits(bits: Uint8Array, count: number): number {
  let ones = 0;
  for (let index = 0; index < count; index++) ones += bitAt(bits, index);
  return ones;
}
