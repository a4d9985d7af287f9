import { isUtf8 } from 'node:buffer';
import { MAX_ROW_BYTES } from '../columns/byte-budget.js';

const MAX_VALUES = 10_000;
const MAX_NESTING = 100;

/** A shorter line cannot have too many values: each needs a character, and one before the next. */
const MAX_UNCOUNTED = 2 * MAX_VALUES;

/** A line that is no row. The message says why, and how to send it. */
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
  if (line.every(isBlank)) return undefined;
  if (!isUtf8(line)) return NOT_UTF8;
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  if (text.length > MAX_UNCOUNTED) {
    const excess = excessOf(text);
    if (excess) return excess;
  }
  try {
    const value: unknown = JSON.parse(text);
    return nestsDeeperThan(MAX_NESTING, value) ? TOO_DEEP : value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const words = reason.replace(/ is not valid JSON$/, '');
    return new UnreadableLine(`The line is not valid JSON: ${words}. Write one JSON value on it.`);
  }
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN;
}

const [TAB, CARRIAGE_RETURN, SPACE] = [0x09, 0x0d, 0x20];
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns what a text has too much of, before it is parsed: in a text of many values, that takes long. Values are the
 * text itself, each array and object that is not empty, and what is behind a comma.
 */
function excessOf(text: string): UnreadableLine | undefined {
  let values = 1;
  let depth = 0;
  let isEmpty = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    if (code === QUOTE) {
      at = stringEnd(text, at);
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      values++;
      depth++;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      if (depth === 0) return undefined;
      depth--;
      if (isEmpty) values--;
    } else if (code === COMMA) {
      if (depth === 0) return undefined;
      values++;
    }
    isEmpty = code === OPEN_BRACKET || code === OPEN_BRACE;
    if (depth > MAX_NESTING) return TOO_DEEP;
    if (values > MAX_VALUES) return TOO_MANY;
  }
  return undefined;
}

/** Returns the place of the quote that closes the string at a place, or the end of the text. */
function stringEnd(text: string, quote: number): number {
  let at = quote + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}

function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (nestsDeeperThan(levels - 1, child)) return true;
  }
  return false;
}
