import { JsonParts } from './json-text.js';
import {
  ExcessError,
  MAX_NESTING,
  ROW_BOUNDS,
  type ValueBounds,
  ValueScanner,
} from './value-scanner.js';

/**
 * The place of the rows in a body: the body is an array of rows, or an object with such a member.
 */
export interface RowsPlace {
  readonly member?: string;
  readonly maxRows: number;
}

export class OutOfBoundsError extends Error {
  /** @param path the path from the body to the value that is too large, such as `/data/7`. */
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

const MEBIBYTE = 1024 * 1024;

/** The limits of a row inside the array of rows, which is a level of the body. */
const ROW: ValueBounds = { ...ROW_BOUNDS, nesting: MAX_NESTING - 1 };

/**
 * The limits of everything but rows: it is parsed at once, and further processing takes several
 * times as long.
 */
const REST: ValueBounds = {
  bytes: MEBIBYTE,
  values: 100_000,
  parts: 10_000,
  nesting: MAX_NESTING,
};

/** The limits of a member of the body. The values of all members are counted together. */
const MEMBER: ValueBounds = {
  ...REST,
  values: Number.POSITIVE_INFINITY,
  nesting: MAX_NESTING - 1,
};

/** The most values of all rows together, which limits their memory. */
const MAX_VALUES = 5_000_000;

/**
 * The size that JSON.parse gets at once, about one or two milliseconds of work: some rows, or one
 * large row.
 */
const SLICE_BYTES = 64 * 1024;
const SLICE_VALUES = 4096;

const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;

/**
 * Parses a JSON body of any size and yields to other requests meanwhile. Rows are parsed in slices;
 * the rest of the body is limited, and is parsed at once.
 *
 * @param place the place of the rows, if the body may have rows.
 * @param pause called after each slice, to yield to other requests.
 * @throws {MalformedJsonError}
 * @throws {OutOfBoundsError}
 */
export function parseSliced(
  bytes: Uint8Array,
  place: RowsPlace | undefined,
  pause: () => Promise<void>,
): Promise<unknown> {
  return new SlicedJson(bytes, place, pause).parse();
}

class SlicedJson {
  readonly #bytes: Uint8Array;
  readonly #scanner: ValueScanner;
  readonly #parts: JsonParts;
  readonly #place: RowsPlace | undefined;
  readonly #pause: () => Promise<void>;

  constructor(bytes: Uint8Array, place: RowsPlace | undefined, pause: () => Promise<void>) {
    this.#bytes = bytes;
    this.#scanner = new ValueScanner(bytes);
    this.#parts = new JsonParts(bytes);
    this.#place = place;
    this.#pause = pause;
  }

  async parse(): Promise<unknown> {
    const begin = this.#bounded('', () => this.#scanner.skipBlanks(0, REST.bytes));
    if (this.#place && this.#bytes[begin] === OPEN_ARRAY) return this.#bare(begin, this.#place);
    const member = this.#place?.member;
    if (this.#place && member !== undefined && this.#bytes[begin] === OPEN_OBJECT) {
      const rowsAt = this.#findMember(begin, member);
      if (rowsAt !== undefined) return this.#wrapped(rowsAt, member, this.#place.maxRows);
    }
    if (this.#bytes.length > REST.bytes) throw this.#excess('', 'bytes', REST);
    this.#bounded('', () => this.#scanner.skipValue(begin, REST));
    return this.#parts.parse(this.#parts.text(0, this.#bytes.length));
  }

  /** Parses a body that is an array of rows, which opens at `begin`. */
  async #bare(begin: number, { maxRows }: RowsPlace): Promise<unknown[]> {
    this.#parts.advance(begin + 1);
    const { rows, end } = await this.#rows(begin + 1, '', maxRows);
    const after = this.#bounded('', () => this.#scanner.skipBlanks(end, REST.bytes));
    if (after === this.#bytes.length) return rows;
    this.#parts.advance(after - end);
    throw this.#parts.fault(`[]${this.#someText(after)}`, 2);
  }

  /** Parses a body that is an object, with the array of rows at `begin` as this member. */
  async #wrapped(begin: number, member: string, maxRows: number): Promise<unknown> {
    const before = this.#parts.text(0, begin);
    const early = this.#parts.parse(`${before}[]}`);
    this.#parts.advance(before.length + 1);
    const { rows, end } = await this.#rows(begin + 1, `/${member}`, maxRows);
    const late = this.#late(end);
    // If a name occurs twice, the last member counts, as in JSON.parse.
    return { ...asObject(early), [member]: rows, ...late };
  }

  /** Parses the members after the rows, which end before `end`. */
  #late(end: number): object {
    const length = this.#bytes.length;
    if (length - end > REST.bytes) throw this.#excess('', 'bytes', REST);
    const at = this.#scanner.skipBlanks(end, REST.bytes);
    const isMore = this.#bytes[at] === COMMA;
    if (isMore) this.#findMember(at, undefined);
    const text = this.#parts.text(at, length);
    this.#parts.advance(at - end);
    // Parse with a placeholder for the earlier members, to check that the rest is well-formed.
    this.#parts.parse(`{"":0${text}`, 5);
    return asObject(JSON.parse(`{${isMore ? text.slice(1) : text}`));
  }

  /**
   * Finds the array that is the value of a member; returns undefined if there is no such member.
   *
   * @param begin the position of the brace or the comma before the members.
   */
  #findMember(begin: number, member: string | undefined): number | undefined {
    const scanner = this.#scanner;
    const name = Buffer.from(JSON.stringify(member) ?? '');
    return this.#bounded('', () => {
      let at = begin;
      let parts = 0;
      let values = 0;
      do {
        const key = scanner.skipBlanks(at + 1, REST.bytes);
        if (this.#bytes[key] !== QUOTE) return undefined;
        const keyEnd = scanner.skipString(key, REST.bytes);
        const colon = scanner.skipBlanks(keyEnd, REST.bytes);
        const value = scanner.skipBlanks(colon + 1, REST.bytes);
        const isArray = this.#bytes[colon] === COLON && this.#bytes[value] === OPEN_ARRAY;
        if (isArray && name.equals(this.#bytes.subarray(key, keyEnd))) return value;
        at = scanner.skipValue(value, MEMBER);
        parts += scanner.parts + 1;
        values += scanner.values;
        if (parts > REST.parts) throw new ExcessError('parts');
        if (at - begin > REST.bytes) throw new ExcessError('bytes');
        if (values > REST.values) throw new ExcessError('values');
      } while (this.#bytes[at] === COMMA);
      return undefined;
    });
  }

  /**
   * Parses the rows of an array, the first of which is at `begin`.
   *
   * @param path the path from the body to the array.
   * @returns the rows, and the position after the array.
   */
  async #rows(
    begin: number,
    path: string,
    maxRows: number,
  ): Promise<{ rows: unknown[]; end: number }> {
    const rows: unknown[] = [];
    const bounds = path === '' ? ROW : { ...ROW, nesting: ROW.nesting - 1 };
    let values = 0;
    for (let from = begin; ; ) {
      const slice = this.#findSlice(from, rows.length, path, bounds);
      if (rows.length + slice.rowCount > maxRows) {
        throw new OutOfBoundsError(path, `must have at most ${maxRows} items`);
      }
      values += slice.values;
      if (values > MAX_VALUES) {
        throw new OutOfBoundsError(path, `must hold at most ${MAX_VALUES} values`);
      }
      const closes = this.#parseSlice(from, slice.end, rows);
      if (closes) return { rows, end: slice.end + 1 };
      from = slice.end + 1;
      await this.#pause();
    }
  }

  /** Finds the rows, from a position on, that are parsed at once. */
  #findSlice(begin: number, firstRow: number, path: string, most: ValueBounds) {
    const bytes = this.#bytes;
    let rowCount = 0;
    let values = 0;
    let end = begin - 1;
    do {
      const row = firstRow + rowCount;
      const from = end + 1;
      end = this.#bounded(`${path}/${row}`, () => this.#scanner.skipValue(from, most), most);
      rowCount++;
      values += this.#scanner.values;
    } while (bytes[end] === COMMA && end - begin < SLICE_BYTES && values < SLICE_VALUES);
    return { end, rowCount, values };
  }

  /** Adds the rows of a slice to the others; returns whether the array closes after it. */
  #parseSlice(from: number, end: number, rows: unknown[]): boolean {
    const text = this.#parts.text(from, end);
    const ending = this.#bytes[end];
    const closes = ending === CLOSE_ARRAY;
    if (ending !== COMMA && !closes) throw this.#parts.fault(`[${text}${this.#someText(end)}`, 1);
    const slice = this.#parts.parse(`[${text}]`, 1);
    if (!Array.isArray(slice)) throw this.#parts.fault('');
    // Empty between two commas, or after the last one.
    if (slice.length === 0 && !(closes && rows.length === 0)) {
      throw this.#parts.fault(`[0,${text}${this.#someText(end)}`, 3);
    }
    for (const row of slice) rows.push(row);
    this.#parts.advance(text.length + 1);
    return closes;
  }

  #someText(at: number): string {
    return Buffer.from(this.#bytes.subarray(at, at + 16)).toString();
  }

  #bounded<T>(path: string, scan: () => T, most = REST): T {
    try {
      return scan();
    } catch (error) {
      throw error instanceof ExcessError ? this.#excess(path, error.what, most) : error;
    }
  }

  #excess(path: string, what: keyof ValueBounds, most: ValueBounds): OutOfBoundsError {
    const apart = this.#place && path === '' ? ', its rows apart' : '';
    switch (what) {
      case 'nesting':
        return new OutOfBoundsError('', `must not nest deeper than ${MAX_NESTING} levels`);
      case 'values':
        return new OutOfBoundsError(path, `must hold at most ${most.values} values${apart}`);
      case 'bytes':
        return new OutOfBoundsError(path, `must have at most ${most.bytes} bytes${apart}`);
      case 'parts': {
        const parts = `${most.parts} arrays, objects and members`;
        return new OutOfBoundsError(path, `must hold at most ${parts}${apart}`);
      }
    }
  }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
