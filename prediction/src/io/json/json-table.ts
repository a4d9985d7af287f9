import { isUtf8 } from 'node:buffer';
import type { ObjectSink } from '../../table/row-reader.js';
import { MAX_ROWS } from '../../table/table.js';
import { TableError } from '../../table/table-error.js';
import { BYTE, MAX_NESTING, skipBlanks, ValueScan } from '../../text/json.js';
import { MAX_ROW_BYTES } from '../columns/byte-budget.js';
import { JsonShapeError, MalformedJsonError } from '../columns/format-error.js';

/**
 * Adds the elements of a JSON array of row objects, until no more are wanted: it is never parsed, nor held, as a whole.
 *
 * @throws {MalformedJsonError} if it is not JSON.
 * @throws {JsonShapeError} if it is not an array, or has too many elements, or nests too deep.
 * @throws {TableError} at a row that cannot be used.
 */
export async function addJson(pieces: AsyncIterable<Uint8Array>, rows: ObjectSink): Promise<void> {
  const table = new JsonTable(rows);
  for await (const piece of pieces) {
    table.add(piece);
    if (rows.isFull) return;
  }
  table.end();
}

/** The first character of a value that is not an array. */
const OTHER_VALUE = /[{"\d\-tfn]/;

/** Elements are parsed as many at a time as are in so many bytes. */
const RUN = 64 * 1024;

/**
 * Reads the elements of one JSON array (RFC 8259) from chunks of bytes. It finds where they end, and leaves the rest to
 * `JSON.parse`, a run of elements at a time. JSON that is not to be read comes before a table that cannot be learnt
 * from, wherever either shows: after such a fault, the form of the array is looked at alone.
 */
class JsonTable {
  readonly #rows: ObjectSink;
  #fault: TableError | undefined;
  /** The bytes of an element that has not come to its end. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  readonly #scan = new ValueScan(1);
  #place: 'before' | 'within' | 'after' = 'before';
  /** Between elements of the array. */
  #commas = 0;
  #parsed = 0;

  constructor(rows: ObjectSink) {
    this.#rows = rows;
  }

  /**
   * @throws {MalformedJsonError} where it is not JSON.
   * @throws {JsonShapeError} where it is not an array, or at the first element or level too many.
   */
  add(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length; start += RUN) {
      this.#addRun(chunk.subarray(start, start + RUN));
    }
  }

  /**
   * @throws {MalformedJsonError | JsonShapeError} if the array is not whole.
   * @throws {TableError} at the first fault of its rows.
   */
  end(): void {
    // As elsewhere, a body of no bytes is a body of nothing.
    if (this.#place === 'before') throw notAnArray();
    if (this.#place !== 'after') throw new MalformedJsonError('It ends before its array does.');
    if (this.#fault !== undefined) throw this.#fault;
  }

  #addRun(bytes: Uint8Array): void {
    // The positions of the first element that has not been parsed, and of the last comma between elements.
    const start = this.#place === 'within' ? 0 : this.#begin(bytes);
    if (this.#place !== 'within') return;
    let lastComma = -1;
    for (let at = start; ; at++) {
      at = this.#scan.skip(bytes, at, bytes.length);
      if (this.#scan.excess) throw new JsonShapeError(`must not nest deeper than ${MAX_NESTING} levels`);
      if (at >= bytes.length) break;
      if (bytes[at] !== BYTE.comma) {
        this.#close(bytes, start, at);
        return;
      }
      lastComma = at;
      if (++this.#commas >= MAX_ROWS) throw tooManyElements();
    }
    if (lastComma >= 0) this.#parse(bytes.subarray(start, lastComma), false);
    this.#hold(bytes.subarray(Math.max(start, lastComma + 1)));
  }

  /** Reads the bracket that opens the array, and returns the position after it. Only blanks may follow the array. */
  #begin(bytes: Uint8Array): number {
    const at = skipBlanks(bytes, 0, bytes.length);
    if (at === bytes.length) return at;
    if (this.#place === 'after') throw new MalformedJsonError('It goes on after the end of its array.');
    if (bytes[at] !== BYTE.openArray) {
      const letter = String.fromCharCode(bytes[at] ?? 0);
      throw OTHER_VALUE.test(letter) ? notAnArray() : unexpected(letter, 0);
    }
    this.#place = 'within';
    return at + 1;
  }

  /** @param at the position of the bracket that closes the array */
  #close(bytes: Uint8Array, start: number, at: number): void {
    if (bytes[at] === BYTE.closeObject) throw unexpected('}', this.#parsed);
    this.#parse(bytes.subarray(start, at), true);
    this.#place = 'after';
    this.#begin(bytes.subarray(at + 1));
  }

  #hold(bytes: Uint8Array): void {
    if (this.#fault !== undefined) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes <= MAX_ROW_BYTES) return;
    this.#pending = [];
    const message = `Row ${this.#commas} is longer than 1 MiB. Leave out the columns that do not bear on the target.`;
    this.#fault = new TableError([{ message, row: this.#commas }]);
  }

  /** Parses what is pending and what follows on it, up to a comma or the end of the array. */
  #parse(bytes: Uint8Array, isEnd: boolean): void {
    if (this.#fault !== undefined) return;
    const run = Buffer.concat([...this.#pending, bytes]);
    this.#pending = [];
    this.#pendingBytes = 0;
    if (!isUtf8(run)) throw new MalformedJsonError('It is not UTF-8.');
    const text = run.toString();
    if (/^\s*$/.test(text)) {
      if (isEnd && this.#commas === 0) return;
      throw unexpected(isEnd ? ']' : ',', this.#parsed);
    }
    const elements = this.#parseElements(text);
    try {
      for (const element of elements) {
        this.#parsed++;
        this.#rows.add(element);
      }
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.#fault = error;
    }
  }

  #parseElements(text: string): unknown[] {
    try {
      const elements: unknown = JSON.parse(`[${text}]`);
      return Array.isArray(elements) ? elements : [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // Positions are those within the run.
      const what = reason.replace(/ in JSON at position.*$| is not valid JSON$/s, '');
      throw new MalformedJsonError(`${what}, in row ${this.#parsed} or soon after it.`);
    }
  }
}

function notAnArray(): JsonShapeError {
  return new JsonShapeError('must be an array');
}

function tooManyElements(): JsonShapeError {
  return new JsonShapeError(`must have at most ${MAX_ROWS} items`);
}

function unexpected(letter: string, row: number): MalformedJsonError {
  return new MalformedJsonError(`Unexpected token '${letter}', in row ${row} or soon after it.`);
}
