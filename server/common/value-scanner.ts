const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export interface ValueBounds {
  readonly bytes: number;
  /** The most values: the value itself, and every text, number, array and object in it. */
  readonly values: number;
  /** The most arrays, objects and members of objects, which take by far the longest to parse. */
  readonly parts: number;
  readonly nesting: number;
}

/** The most levels of arrays and objects in a body or a line. */
export const MAX_NESTING = 100;

/** The limits of a row to predict. No other request is served while a row is parsed. */
export const ROW_BOUNDS: ValueBounds = {
  bytes: 1024 * 1024,
  values: 10_000,
  parts: Number.POSITIVE_INFINITY,
  nesting: MAX_NESTING,
};

export class ExcessError extends Error {
  constructor(readonly what: keyof ValueBounds) {
    super(`a JSON value has too many ${what}`);
  }
}

/**
 * Finds the ends of JSON values in UTF-8 bytes and counts their contents, at about a nanosecond per
 * byte. It does not check the syntax. In valid JSON the ends are exact; in invalid JSON, an end is
 * at or after the position where a parser finds the fault.
 */
export class ValueScanner {
  /** The counts of the last skipped value, as in `ValueBounds`. */
  values = 0;
  parts = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Returns the first position from `at` on that is not blank, or the end. */
  skipBlanks(at: number, maxBytes: number): number {
    const { bytes } = this;
    const last = Math.min(bytes.length, at + maxBytes);
    for (let place = at; place < last; place++) if (!isBlank(bytes[place])) return place;
    if (last < bytes.length) throw new ExcessError('bytes');
    return last;
  }

  /** Returns the position after a string that opens at `at`, or the end if it does not close. */
  skipString(at: number, maxBytes: number): number {
    const last = Math.min(this.bytes.length, at + maxBytes);
    const end = endOfString(this.bytes, at + 1, last);
    if (end > last && last < this.bytes.length) throw new ExcessError('bytes');
    return Math.min(end, this.bytes.length);
  }

  /**
   * Returns the position of the comma or closing bracket after the value at `from`, or the end.
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
