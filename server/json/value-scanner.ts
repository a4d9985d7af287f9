const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The most that a value may have. */
export interface ValueBounds {
  readonly bytes: number;
  /** It, and all that it holds: text, numbers, arrays … */
  readonly values: number;
  /** Arrays and objects, and members of objects: they take the most time to parse, by far. */
  readonly parts: number;
  /** Levels of arrays and objects. */
  readonly nesting: number;
}

/** Levels of arrays and objects in a body or a line. */
export const MAX_NESTING = 100;

/** The bounds of a row to predict. One row is parsed at a time that nobody else is served in. */
export const ROW_BOUNDS: ValueBounds = {
  bytes: 1024 * 1024,
  values: 10_000,
  parts: Number.POSITIVE_INFINITY,
  nesting: MAX_NESTING,
};

/** A value exceeds the bound `what`. */
export class ExcessError extends Error {
  constructor(readonly what: keyof ValueBounds) {
    super(`a JSON value has too many ${what}`);
  }
}

/**
 * Finds where JSON values end in bytes of UTF-8, and counts what they hold, at about a nanosecond a
 * byte. It does not judge whether they are well-formed: of JSON that is, it is right; of what is not,
 * the end that it finds is where a parser finds the fault, or behind it.
 */
export class ValueScanner {
  /** Of the last value that was skipped, as in `ValueBounds`. */
  values = 0;
  parts = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** The first place from `at` on that is not blank; the end, if there is none. */
  skipBlanks(at: number, mostBytes: number): number {
    const { bytes } = this;
    const last = Math.min(bytes.length, at + mostBytes);
    for (let place = at; place < last; place++) if (!isBlank(bytes[place])) return place;
    if (last < bytes.length) throw new ExcessError('bytes');
    return last;
  }

  /** The place after a string whose opening quote is at `at`; the end, if it does not close. */
  skipString(at: number, mostBytes: number): number {
    const last = Math.min(this.bytes.length, at + mostBytes);
    const end = endOfString(this.bytes, at + 1, last);
    if (end > last && last < this.bytes.length) throw new ExcessError('bytes');
    return Math.min(end, this.bytes.length);
  }

  /**
   * The place of the comma or the closing bracket after the value at `from`, or of the end.
   *
   * @throws {ExcessError}
   */
  skipValue(from: number, most: ValueBounds): number {
    const { bytes } = this;
    const last = Math.min(bytes.length, from + most.bytes);
    let values = 1;
    let parts = 0;
    let depth = 0;
    let at = from;
    for (; at < last; at++) {
      switch (bytes[at]) {
        case QUOTE:
          at = endOfString(bytes, at + 1, last) - 1;
          break;
        case COLON:
          parts++;
          break;
        case COMMA:
          if (depth === 0) return this.#found(at, values, parts);
          values++;
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          values++;
          parts++;
          if (++depth > most.nesting) throw new ExcessError('nesting');
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (depth === 0) return this.#found(at, values, parts);
          depth--;
          if (isEmptyBefore(bytes, at)) values--;
          break;
        default:
          continue;
      }
      if (values > most.values) throw new ExcessError('values');
      if (parts > most.parts) throw new ExcessError('parts');
    }
    if (last < bytes.length) throw new ExcessError('bytes');
    return this.#found(last, values, parts);
  }

  #found(at: number, values: number, parts: number): number {
    this.values = values;
    this.parts = parts;
    return at;
  }
}

/** The place after the closing quote; behind `last`, if it does not come before. */
function endOfString(bytes: Uint8Array, from: number, last: number): number {
  let at = from;
  while (at < last) {
    const byte = bytes[at++];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return last + 1;
}

/** Whether the array or the object that closes at `at` holds nothing. */
function isEmptyBefore(bytes: Uint8Array, at: number): boolean {
  let place = at - 1;
  while (isBlank(bytes[place])) place--;
  return bytes[place] === OPEN_ARRAY || bytes[place] === OPEN_OBJECT;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
