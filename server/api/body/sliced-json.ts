import { isUtf8 } from 'node:buffer';
import { asRecord } from '../../../contract/json-record.js';
import { invalidRequest, malformedBody, type ProblemError } from '../../problems/problem.js';

/** The place of the rows in a body: the body is an array of rows, or has such a member. */
export interface RowsPlace {
  readonly member?: string | undefined;
  readonly maxRows: number;
}

/** The limits of what is parsed at once. No other request is served meanwhile. */
interface ValueLimits {
  readonly bytes: number;
  /** The most values: the value itself, and every text, number, array and object in it. */
  readonly values: number;
  /** The most arrays, objects and members of objects, which take by far the longest to parse. */
  readonly parts: number;
}

/** The most levels of arrays and objects in a body. */
export const MAX_NESTING = 100;

/** The limits of everything but rows. Further processing takes several times as long as parsing. */
const REST: ValueLimits = { bytes: 1024 * 1024, values: 100_000, parts: 10_000 };

/** The limits of a member, but that the values of all members are counted together. */
const MEMBER: ValueLimits = { ...REST, values: Number.POSITIVE_INFINITY };

const ROW: ValueLimits = { bytes: 1024 * 1024, values: 10_000, parts: Number.POSITIVE_INFINITY };

/** The most values of all rows together, which limits their memory. */
const MAX_VALUES = 5_000_000;

/** The piece that JSON.parse gets at once: one or two milliseconds of work, or one large row. */
const SLICE_BYTES = 64 * 1024;
const SLICE_VALUES = 4096;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses a JSON body of any size and yields to other requests meanwhile. Rows are parsed in slices;
 * the rest of the body is limited, and is parsed at once. Faults are those of JSON.parse, at their
 * position in the body.
 * @param place the place of the rows, if the body may have rows
 * @param pause called after each slice, to yield to other requests
 * @throws {ProblemError} if the body is not JSON, or exceeds a limit
 */
export function parseSliced(bytes: Buffer, place: RowsPlace | undefined, pause: () => Promise<void>): Promise<unknown> {
  return new SlicedJson(bytes, place, pause).parse();
}

/**
 * Returns the problem of a body that JSON.parse refuses.
 * @param before the number of characters of the body before the text that JSON.parse got
 */
export function malformedJson(error: unknown, before = 0): ProblemError {
  const reason = error instanceof Error ? error.message : String(error);
  // JSON.parse counts from the beginning of its input, and its line numbers are not the body's.
  const placed = reason
    .replace(/ \(line \d+ column \d+\)$/, '')
    .replace(/(?<= at position )\d+$/, (place) => String(Number(place) + before));
  return malformedBody(`The body is not valid JSON: ${placed.replace(/ is not valid JSON$/, '')}.`);
}

class SlicedJson {
  /** The number of characters of the body before the text that is parsed next. */
  #before = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly place: RowsPlace | undefined,
    private readonly pause: () => Promise<void>,
  ) {}

  async parse(): Promise<unknown> {
    const { bytes, place } = this;
    const begin = this.#skipBlanks(0);
    if (place && bytes[begin] === OPEN_ARRAY) return this.#parseArray(begin, place.maxRows);
    if (place?.member !== undefined && bytes[begin] === OPEN_OBJECT) {
      const rowsAt = this.#findMember(begin, place.member);
      if (rowsAt !== undefined) return this.#parseObject(rowsAt, place.member, place.maxRows);
    }
    if (bytes.length > REST.bytes) throw this.#excess('bytes', REST);
    this.#skipValue(begin, REST, 0);
    return this.#parse(this.#decode(0, bytes.length));
  }

  /** Parses a body that is an array of rows, which opens at `begin`. */
  async #parseArray(begin: number, maxRows: number): Promise<unknown[]> {
    this.#before = begin + 1;
    const { rows, end } = await this.#parseRows(begin + 1, '', maxRows);
    const after = this.#skipBlanks(end);
    if (after === this.bytes.length) return rows;
    this.#before += after - end;
    return this.#refuse(`[]${this.#excerpt(after)}`, 2);
  }

  /** Parses a body that is an object, with the array of rows at `begin` as this member. */
  async #parseObject(begin: number, member: string, maxRows: number): Promise<unknown> {
    const { bytes } = this;
    const head = this.#decode(0, begin);
    const early = this.#parse(`${head}[]}`);
    this.#before = head.length + 1;
    const { rows, end } = await this.#parseRows(begin + 1, `/${member}`, maxRows);
    if (bytes.length - end > REST.bytes) throw this.#excess('bytes', REST);
    const at = this.#skipBlanks(end);
    const isMore = bytes[at] === COMMA;
    if (isMore) this.#findMember(at, undefined);
    const tail = this.#decode(at, bytes.length);
    this.#before += at - end;
    // A placeholder for the earlier members shows whether the rest is well-formed.
    this.#parse(`{"":0${tail}`, 5);
    const late = asRecord(JSON.parse(`{${isMore ? tail.slice(1) : tail}`));
    // If a name occurs twice, the last member counts, as in JSON.parse.
    return { ...asRecord(early), [member]: rows, ...late };
  }

  /**
   * Finds the array that is the value of a member; returns undefined if there is no such member.
   * @param begin the position of the brace or the comma before the members
   */
  #findMember(begin: number, member: string | undefined): number | undefined {
    const { bytes } = this;
    const name = Buffer.from(JSON.stringify(member) ?? '');
    const counts = { values: 0, parts: 0 };
    let at = begin;
    do {
      const key = this.#skipBlanks(at + 1);
      if (bytes[key] !== QUOTE) return undefined;
      const keyEnd = this.#skipString(key);
      const colon = this.#skipBlanks(keyEnd);
      const value = this.#skipBlanks(colon + 1);
      const isArray = bytes[colon] === COLON && bytes[value] === OPEN_ARRAY;
      if (isArray && name.equals(bytes.subarray(key, keyEnd))) return value;
      counts.parts++;
      at = this.#skipValue(value, MEMBER, 1, undefined, counts);
      if (at - begin > REST.bytes) throw this.#excess('bytes', REST);
      if (counts.values > REST.values) throw this.#excess('values', REST);
    } while (bytes[at] === COMMA);
    return undefined;
  }

  /**
   * Parses the rows of an array, the first of which is at `begin`.
   * @param path the path from the body to the array
   * @returns the rows, and the position after the array
   */
  async #parseRows(begin: number, path: string, maxRows: number) {
    const rows: unknown[] = [];
    let values = 0;
    for (let from = begin; ; await this.pause()) {
      const slice = this.#findSlice(from, rows.length, path);
      if (rows.length + slice.rowCount > maxRows) {
        throw refuseAt(path, `must have at most ${maxRows} items`);
      }
      values += slice.values;
      if (values > MAX_VALUES) throw refuseAt(path, `must hold at most ${MAX_VALUES} values`);
      const closes = this.#parseSlice(from, slice.end, rows);
      from = slice.end + 1;
      if (closes) return { rows, end: from };
    }
  }

  /** Finds the rows, from a position on, that are parsed at once. */
  #findSlice(begin: number, firstRow: number, path: string) {
    const level = path === '' ? 1 : 2;
    let rowCount = 0;
    let values = 0;
    let end = begin - 1;
    const pathOfRow = () => `${path}/${firstRow + rowCount}`;
    const row = { values: 0, parts: 0 };
    do {
      row.values = 0;
      row.parts = 0;
      end = this.#skipValue(end + 1, ROW, level, pathOfRow, row);
      rowCount++;
      values += row.values;
    } while (this.bytes[end] === COMMA && end - begin < SLICE_BYTES && values < SLICE_VALUES);
    return { end, rowCount, values };
  }

  /** Adds the rows of a slice to the others; returns whether the array closes after it. */
  #parseSlice(from: number, end: number, rows: unknown[]): boolean {
    const text = this.#decode(from, end);
    const closes = this.bytes[end] === CLOSE_ARRAY;
    if (this.bytes[end] !== COMMA && !closes) this.#refuse(`[${text}${this.#excerpt(end)}`, 1);
    const slice = this.#parse(`[${text}]`, 1);
    // Empty between two commas, or after the last one.
    if (!Array.isArray(slice) || (slice.length === 0 && !(closes && rows.length === 0))) {
      return this.#refuse(`[0,${text}${this.#excerpt(end)}`, 3);
    }
    for (const row of slice) rows.push(row);
    this.#before += text.length + 1;
    return closes;
  }

  #decode(from: number, to: number): string {
    const part = this.bytes.subarray(from, to);
    if (!isUtf8(part)) throw malformedBody('The body is not UTF-8.');
    return part.toString();
  }

  #excerpt(at: number): string {
    return this.bytes.subarray(at, at + 16).toString();
  }

  /** @param added the number of leading characters that are not from the body */
  #parse(text: string, added = 0): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw malformedJson(error, this.#before - added);
    }
  }

  /** Throws the fault of text that is known to be faulty. */
  #refuse(text: string, added: number): never {
    this.#parse(text, added);
    throw malformedBody('The body is not valid JSON.');
  }

  /** Returns the first position from `at` on that is not blank, or the end. */
  #skipBlanks(at: number): number {
    const { length } = this.bytes;
    const last = Math.min(length, at + REST.bytes);
    let place = at;
    while (place < last && isBlank(this.bytes[place])) place++;
    if (place >= last && last < length) throw this.#excess('bytes', REST);
    return Math.min(place, last);
  }

  /** Returns the position after a string that opens at `at`, or the end if it does not close. */
  #skipString(at: number): number {
    const { length } = this.bytes;
    const last = Math.min(length, at + REST.bytes);
    const end = endOfString(this.bytes, at + 1, last);
    if (end > last && last < length) throw this.#excess('bytes', REST);
    return Math.min(end, length);
  }

  /**
   * Finds the end of the value at `from`, at about a nanosecond per byte: the comma or closing bracket
   * after it, or the end of the body. It does not check the syntax: in invalid JSON, the end is at or
   * after the position where a parser finds the fault.
   * @param level the number of arrays and objects around the value
   * @param path returns the path from the body to the value
   * @param counts what counts for the limits already; adds the value
   */
  #skipValue(
    from: number,
    limits: ValueLimits,
    level: number,
    path = () => '',
    counts = { values: 0, parts: 0 },
  ): number {
    const { bytes } = this;
    const last = Math.min(bytes.length, from + limits.bytes);
    let values = counts.values + 1;
    let parts = counts.parts;
    let depth = level;
    let at = from;
    scan: for (; at < last; at++) {
      switch (bytes[at]) {
        case QUOTE:
          at = endOfString(bytes, at + 1, last) - 1;
          break;
        case COLON:
          parts++;
          break;
        case COMMA:
          if (depth === level) break scan;
          values++;
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          values++;
          parts++;
          if (++depth > MAX_NESTING) {
            throw refuseAt('', `must not nest deeper than ${MAX_NESTING} levels`);
          }
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (depth === level) break scan;
          depth--;
          if (isEmptyBefore(bytes, at)) values--;
          break;
        default:
          continue;
      }
      this.#limitCounts(values, parts, limits, path);
    }
    // A value without parts adds to the counts of those before it.
    this.#limitCounts(values, parts, limits, path);
    if (at >= last && last < bytes.length) throw this.#excess('bytes', limits, path());
    counts.values = values;
    counts.parts = parts;
    return Math.min(at, last);
  }

  #limitCounts(values: number, parts: number, limits: ValueLimits, path: () => string): void {
    if (values > limits.values) throw this.#excess('values', limits, path());
    if (parts > limits.parts) throw this.#excess('parts', limits, path());
  }

  #excess(what: keyof ValueLimits, limits: ValueLimits, path = ''): ProblemError {
    const verb = what === 'bytes' ? 'have' : 'hold';
    const counted = what === 'parts' ? 'arrays, objects and members' : what;
    const apart = this.place && path === '' ? ', its rows apart' : '';
    return refuseAt(path, `must ${verb} at most ${limits[what]} ${counted}${apart}`);
  }
}

/** @param path the path from the body to the value that is too large, such as `/data/7` */
function refuseAt(path: string, message: string): ProblemError {
  return invalidRequest([{ pointer: `/body${path}`, message }]);
}

/**
 * Returns the position after the closing quote, or one beyond `last` if the string does not close
 * before.
 */
function endOfString(bytes: Uint8Array, from: number, last: number): number {
  let at = from;
  while (at < last) {
    const byte = bytes[at++];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return last + 1;
}

/** Returns whether the array or object that closes at `at` is empty. */
function isEmptyBefore(bytes: Uint8Array, at: number): boolean {
  let place = at - 1;
  while (isBlank(bytes[place])) place--;
  return bytes[place] === OPEN_ARRAY || bytes[place] === OPEN_OBJECT;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
