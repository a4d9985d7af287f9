import { isUtf8 } from 'node:buffer';
import { MAX_NESTING, nestsDeeperThan, skipBlanks, ValueScan } from '../../text/json.js';
import { MAX_ROW_BYTES } from '../columns/byte-budget.js';

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Lines are handed on together in about so many bytes, so that no step takes long. */
const REGION = 64 * 1024;

/** Bytes that an incomplete line is held in at first; they grow with it. */
const FIRST_HELD = 4096;

/**
 * Splits bytes that arrive in pieces at line ends, and counts the lines. An incomplete line is copied into one buffer:
 * pieces may be single bytes, and a list of them would take a hundred times their size.
 */
export class LineSplitter {
  #held = Buffer.alloc(0);
  #length = 0;
  /** True if the rest of a line that was too long is left out. */
  #isSkipping = false;
  #count = 0;

  /** The number of lines that were read. */
  get count(): number {
    return this.#count;
  }

  /** Counts lines that were read elsewhere. */
  passOver(lines: number): void {
    this.#count += lines;
  }

  /** Yields the lines that a piece completes, several together; null stands for a line that is too long. */
  *add(piece: Uint8Array): Generator<Uint8Array | null> {
    let rest = piece;
    if (this.#isSkipping) {
      const end = piece.indexOf(LINE_FEED);
      if (end === -1) return;
      this.#isSkipping = false;
      rest = piece.subarray(end + 1);
    }
    const whole = rest.lastIndexOf(LINE_FEED) + 1;
    if (whole > 0) yield* this.#regions(this.#joined(rest.subarray(0, whole)));
    if (this.#length + rest.length - whole > MAX_ROW_BYTES) {
      this.#take();
      this.#isSkipping = true;
      this.#count++;
      yield null;
    } else {
      this.#hold(rest.subarray(whole));
    }
  }

  /** Yields the last line, if it has no line end. */
  *end(): Generator<Uint8Array> {
    if (this.#length > 0) yield this.#unmarked(this.#take());
  }

  /** Yields the lines of a region that are not empty; `count` is then the number of each. */
  *lines(region: Uint8Array): Generator<Uint8Array> {
    for (let start = 0; start < region.length; ) {
      this.#count++;
      if (region[start] === LINE_FEED) {
        start++;
        continue;
      }
      const found = region.indexOf(LINE_FEED, start);
      const end = found === -1 ? region.length : found;
      yield region.subarray(start, end);
      start = end + 1;
    }
  }

  /** Returns the held bytes together with those that follow. */
  #joined(lines: Uint8Array): Uint8Array {
    return this.#length === 0 ? lines : Buffer.concat([this.#take(), lines]);
  }

  /** @param lines whole lines. */
  *#regions(lines: Uint8Array): Generator<Uint8Array | null> {
    let start = 0;
    while (start < lines.length) {
      const cut = lines.subarray(start, start + REGION).lastIndexOf(LINE_FEED);
      const end = cut === -1 ? lines.indexOf(LINE_FEED, start + REGION) + 1 : start + cut + 1;
      if (end - start - 1 > MAX_ROW_BYTES) {
        this.#count++;
        yield null;
      } else {
        yield this.#unmarked(lines.subarray(start, end));
      }
      start = end;
    }
  }

  /** Leaves out a byte order mark at the beginning of the text. */
  #unmarked(region: Uint8Array): Uint8Array {
    const { length } = BYTE_ORDER_MARK;
    const isMarked = this.#count === 0 && BYTE_ORDER_MARK.equals(region.subarray(0, length));
    return isMarked ? region.subarray(length) : region;
  }

  #hold(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#held.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#held.length, FIRST_HELD));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    this.#held.set(bytes, this.#length);
    this.#length = length;
  }

  /** Returns the held bytes, which the caller may keep. */
  #take(): Uint8Array {
    const taken = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }
}

const MAX_VALUES = 10_000;
const LIMITS = { values: MAX_VALUES, parts: Number.POSITIVE_INFINITY };

/** A shorter line cannot have too many values: each needs a character, and one before the next. */
const MAX_UNCOUNTED = 2 * MAX_VALUES;

/** A line that is not a row. The message says why, and how to send it. */
export class UnreadableLine {
  constructor(readonly message: string) {}
}

export const TOO_LONG = new UnreadableLine(
  `The line has more than ${MAX_ROW_BYTES} bytes, the most that a line may have. Send less in it, and see that each row ends with an end of line.`,
);
const NOT_UTF8 = new UnreadableLine('The line is not UTF-8. Send the rows in UTF-8.');
const TOO_MANY = new UnreadableLine(
  `The line holds more than ${MAX_VALUES} values. Send a row as an object of plain values, and only the columns of the model.`,
);
const TOO_DEEP = new UnreadableLine(
  `The line nests deeper than ${MAX_NESTING} levels. Send a row as an object of plain values.`,
);

/** Returns the value of a line without its end; undefined, if the line is blank. */
export function lineValue(line: Uint8Array): unknown {
  if (skipBlanks(line, 0, line.length) === line.length) return undefined;
  if (!isUtf8(line)) return NOT_UTF8;
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  // The blanks of other scripts make a blank line, too.
  if (text.trim() === '') return undefined;
  if (text.length > MAX_UNCOUNTED) {
    const excess = findExcess(line);
    if (excess) return excess;
  }
  try {
    const value: unknown = JSON.parse(text);
    const mayBeDeep = text.length > 2 * MAX_NESTING;
    return mayBeDeep && nestsDeeperThan(MAX_NESTING, value) ? TOO_DEEP : value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const words = reason.replace(/ is not valid JSON$/, '');
    return new UnreadableLine(`The line is not valid JSON: ${words}. Write one JSON value on it.`);
  }
}

/** Returns what a line has too much of, before it is parsed: in a line of many values, that takes long. */
function findExcess(line: Uint8Array): UnreadableLine | undefined {
  const scan = new ValueScan(0, LIMITS);
  scan.skip(line, 0, line.length);
  return scan.excess && (scan.excess === 'nesting' ? TOO_DEEP : TOO_MANY);
}
