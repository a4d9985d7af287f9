import { isUtf8 } from 'node:buffer';
import { BYTE, endOfString, MAX_NESTING, type ScanLimits, skipBlanks, ValueScan } from 'roster-prediction/text';
import { asRecord } from '../../../contract/json-record.js';
import { invalidRequest, malformedBody, type ProblemError } from '../../problems/problem.js';

/** The place of the rows in a body: the body is an array of rows, or has such a member. */
export interface RowsPlace {
  readonly member?: string | undefined;
  readonly maxRows: number;
}

/** The limits of what is parsed at once. No other request is served meanwhile. */
interface ValueLimits extends ScanLimits {
  readonly bytes: number;
}

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
    if (place && bytes[begin] === BYTE.openArray) return this.#parseArray(begin, place.maxRows);
    if (place?.member !== undefined && bytes[begin] === BYTE.openObject) {
      const rowsAt = this.#findMember(begin, place.member);
      if (rowsAt !== undefined) return this.#parseObject(rowsAt, place.member, place.maxRows);
    }
    if (bytes.length > REST.bytes) throw this.#excess('bytes', REST);
    this.#skipValue(new ValueScan(0, REST), begin, REST);
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
    const isMore = bytes[at] === BYTE.comma;
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
    const scan = new ValueScan(1, MEMBER);
    let at = begin;
    do {
      const key = this.#skipBlanks(at + 1);
      if (bytes[key] !== BYTE.quote) return undefined;
      const keyEnd = this.#skipString(key);
      const colon = this.#skipBlanks(keyEnd);
      const value = this.#skipBlanks(colon + 1);
      const isArray = bytes[colon] === BYTE.colon && bytes[value] === BYTE.openArray;
      if (isArray && name.equals(bytes.subarray(key, keyEnd))) return value;
      scan.parts++;
      at = this.#skipValue(scan, value, MEMBER);
      if (at - begin > REST.bytes) throw this.#excess('bytes', REST);
      if (scan.values > REST.values) throw this.#excess('values', REST);
    } while (bytes[at] === BYTE.comma);
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
    do {
      const scan = new ValueScan(level, ROW);
      end = this.#skipValue(scan, end + 1, ROW, pathOfRow);
      rowCount++;
      values += scan.values;
    } while (this.bytes[end] === BYTE.comma && end - begin < SLICE_BYTES && values < SLICE_VALUES);
    return { end, rowCount, values };
  }

  /** Adds the rows of a slice to the others; returns whether the array closes after it. */
  #parseSlice(from: number, end: number, rows: unknown[]): boolean {
    const text = this.#decode(from, end);
    const closes = this.bytes[end] === BYTE.closeArray;
    if (this.bytes[end] !== BYTE.comma && !closes) this.#refuse(`[${text}${this.#excerpt(end)}`, 1);
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
    const end = skipBlanks(this.bytes, at, last);
    if (end >= last && last < length) throw this.#excess('bytes', REST);
    return Math.min(end, last);
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
   * Finds the end of the value at `from`: the comma or closing bracket after it, or the end of the body.
   * @param path returns the path from the body to the value
   */
  #skipValue(scan: ValueScan, from: number, limits: ValueLimits, path = () => ''): number {
    const { length } = this.bytes;
    const last = Math.min(length, from + limits.bytes);
    const end = scan.skip(this.bytes, from, last);
    if (scan.excess === 'nesting') throw refuseAt('', `must not nest deeper than ${MAX_NESTING} levels`);
    if (scan.excess) throw this.#excess(scan.excess, limits, path());
    if (end >= last && last < length) throw this.#excess('bytes', limits, path());
    return end;
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
