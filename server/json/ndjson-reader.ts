import { isUtf8 } from 'node:buffer';
import { holdsMoreValuesThan } from './count-values.js';
import { LineBytes } from './line-splitter.js';
import { nestsDeeperThan } from './nesting-depth.js';

/** A line that holds no JSON value; no value of JSON is an instance of it. */
export class LineFault {
  constructor(
    /** Which line it is, from 1; blank lines count. */
    readonly line: number,
    /** Sentences for the caller: what is wrong, and how to fix it. */
    readonly detail: string,
  ) {}
}

/** Lines that are worked on together. Fewer are, if no more have arrived. */
const BLOCK = 256;

/** In bytes, without its end. */
const MAX_LINE_BYTES = 1024 * 1024;
const MAX_NESTING = 100;
/** A line is parsed at one go, in which nobody else is served; so many take some milliseconds. */
const MAX_VALUES = 10_000;

/**
 * Reads lines of JSON (NDJSON) out of bytes that arrive in pieces: one value a line, in UTF-8, ended by
 * LF or CRLF, the last one with or without an end. Blank lines are skipped, and so is a BOM at the
 * beginning. No more is held than the piece at hand and one line.
 */
export class LineReader {
  readonly #bytes = new LineBytes(MAX_LINE_BYTES);
  #line = 0;

  /** @param review gives what stands for a value in its block, with the line that it was on */
  constructor(private readonly review: (value: unknown, line: number) => unknown = asItIs) {}

  /**
   * The lines that a piece completes, in blocks: the value of each, or a {@link LineFault} in its place.
   * The next piece is for when all blocks of this one were taken.
   */
  *read(piece: Buffer): Generator<unknown[]> {
    for (const region of this.#bytes.read(piece)) yield* this.#blocks(region);
  }

  /** The line that the last piece has left without an end, if there is one. */
  *end(): Generator<unknown[]> {
    for (const region of this.#bytes.end()) yield* this.#blocks(region);
  }

  /** @param region whole lines; null in place of a line that is too long to be held. */
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
    if (holdsMoreValuesThan(MAX_VALUES, text)) return this.#fault(TOO_MANY);
    try {
      const value: unknown = JSON.parse(text);
      return nestsDeeperThan(MAX_NESTING, value)
        ? this.#fault(TOO_DEEP)
        : this.review(value, this.#line);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const words = reason.replace(/ is not valid JSON$/, '');
      return this.#fault(`The line is not valid JSON: ${words}. Write one JSON value on it.`);
    }
  }

  #fault(detail: string): LineFault {
    return new LineFault(this.#line, detail);
  }
}

const asItIs = (value: unknown) => value;

/** A line without a value. */
interface Unreadable {
  readonly detail: string;
}

const TOO_LONG: Unreadable = {
  detail: `The line has more than ${MAX_LINE_BYTES} bytes, the most that a line may have. Send less in it, and see that each row ends with an end of line.`,
};
const NOT_UTF8: Unreadable = { detail: 'The line is not UTF-8. Send the rows in UTF-8.' };
const TOO_MANY = `The line holds more than ${MAX_VALUES} values. Send a row as an object of plain values, and only the columns of the model.`;
const TOO_DEEP = `The line nests deeper than ${MAX_NESTING} levels. Send a row as an object of plain values.`;

/** The texts of whole lines, without their ends. */
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
  // Most lines begin with what is no space; the expression would look at those too.
  return text.length === 0 || (text.charCodeAt(0) <= 0x20 && /^[ \t\r]*$/.test(text));
}
