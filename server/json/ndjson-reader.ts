import { isUtf8 } from 'node:buffer';
import { LineSplitter } from './line-splitter.js';
import { nestsDeeperThan } from './nesting-depth.js';
import { ExcessError, ROW_BOUNDS, type ValueBounds, ValueScanner } from './value-scanner.js';

/** A line without a valid JSON value. No JSON value is an instance of this class. */
export class LineFault {
  constructor(
    /** The number of the line, from 1; blank lines count. */
    readonly line: number,
    /** The fault and how to fix it, in sentences for the caller. */
    readonly detail: string,
  ) {}
}

/** The most lines per block. A block is smaller if no more lines have arrived. */
const BLOCK = 256;

/**
 * A shorter line cannot have too many values: each value needs a character, and a separator before
 * the next.
 */
const MAX_UNSCANNED_LENGTH = 2 * ROW_BOUNDS.values;

/**
 * Reads NDJSON from bytes that arrive in pieces: one value per line, in UTF-8, ended by LF or CRLF;
 * the last line needs no end. Skips blank lines, and a BOM at the beginning. Holds only the current
 * piece and one line.
 */
export class NdjsonReader {
  readonly #bytes = new LineSplitter(ROW_BOUNDS.bytes);
  #line = 0;

  /** @param review gives what stands for a value in its block, with the line that it was on */
  constructor(private readonly review: (value: unknown, line: number) => unknown = identity) {}

  /**
   * Yields the lines that a piece completes, in blocks: the value of each, or a {@link LineFault}
   * in its place. Read all blocks before you pass the next piece.
   */
  *read(piece: Buffer): Generator<unknown[]> {
    for (const region of this.#bytes.read(piece)) yield* this.#blocks(region);
  }

  /** Yields the last line if it has no line end. */
  *end(): Generator<unknown[]> {
    for (const region of this.#bytes.end()) yield* this.#blocks(region);
  }

  /** @param region whole lines; null for a line that is too long. */
  *#blocks(region: Buffer | null): Generator<unknown[]> {
    let block: unknown[] = [];
    for (const line of region === null ? [TOO_LONG] : textsOf(region)) {
      this.#line += 1;
      const text = this.#line === 1 ? withoutBom(line) : line;
      if (typeof text === 'string' && isBlank(text)) continue;
      block.push(typeof text === 'string' ? this.#valueOf(text) : this.#fault(text.detail));
      if (block.length < BLOCK) continue;
      yield block;
      block = [];
    }
    if (block.length > 0) yield block;
  }

  #valueOf(text: string): unknown {
    try {
      if (text.length > MAX_UNSCANNED_LENGTH) {
        new ValueScanner(Buffer.from(text)).skipValue(0, LINE_BOUNDS);
      }
      const value: unknown = JSON.parse(text);
      return nestsDeeperThan(ROW_BOUNDS.nesting, value)
        ? this.#fault(TOO_DEEP)
        : this.review(value, this.#line);
    } catch (error) {
      if (error instanceof ExcessError) {
        return this.#fault(error.what === 'nesting' ? TOO_DEEP : TOO_MANY);
      }
      const reason = error instanceof Error ? error.message : String(error);
      const words = reason.replace(/ is not valid JSON$/, '');
      return this.#fault(`The line is not valid JSON: ${words}. Write one JSON value on it.`);
    }
  }

  #fault(detail: string): LineFault {
    return new LineFault(this.#line, detail);
  }
}

/** `LineSplitter` has already limited the bytes. */
const LINE_BOUNDS: ValueBounds = { ...ROW_BOUNDS, bytes: Number.POSITIVE_INFINITY };
const identity = (value: unknown) => value;

/** A line without a value. */
interface Unreadable {
  readonly detail: string;
}

const TOO_LONG: Unreadable = {
  detail: `The line has more than ${ROW_BOUNDS.bytes} bytes, the most that a line may have. Send less in it, and see that each row ends with an end of line.`,
};
const NOT_UTF8: Unreadable = { detail: 'The line is not UTF-8. Send the rows in UTF-8.' };
const TOO_MANY = `The line holds more than ${ROW_BOUNDS.values} values. Send a row as an object of plain values, and only the columns of the model.`;
const TOO_DEEP = `The line nests deeper than ${ROW_BOUNDS.nesting} levels. Send a row as an object of plain values.`;

/** Yields the texts of whole lines, without their ends. */
function* textsOf(region: Buffer): Generator<string | Unreadable> {
  if (!isUtf8(region)) {
    for (const line of splitBytes(region)) yield isUtf8(line) ? line.toString() : NOT_UTF8;
    return;
  }
  const text = region.toString();
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield text.slice(start, end);
    start = end + 1;
  }
}

function* splitBytes(region: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < region.length) {
    const found = region.indexOf(LF, start);
    const end = found === -1 ? region.length : found;
    yield region.subarray(start, end);
    start = end + 1;
  }
}

const LF = 0x0a;

function withoutBom(line: string | Unreadable): string | Unreadable {
  return typeof line === 'string' ? line.replace(/^\uFEFF/, '') : line;
}

function isBlank(text: string): boolean {
  // Most lines do not begin with a space, and need no regular expression.
  return text.length === 0 || (text.charCodeAt(0) <= 0x20 && /^[ \t\r]*$/.test(text));
}
