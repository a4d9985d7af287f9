/**
 * Scans JSON (RFC 8259) in UTF-8 for where its values end, at about a nanosecond per byte, without parsing it. A scan
 * does not check the syntax: in invalid JSON, an end is at or after the position where a parser finds the fault.
 */

/** The most levels of arrays and objects in what callers send. */
export const MAX_NESTING = 100;

/** No byte of a longer character of UTF-8 equals one of these. */
export const BYTE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

// V8 compiles them as constants here, which it does not do with exported bindings and members of objects.
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the first position of `from` to `last` that is not blank, or `last`. */
export function skipBlanks(bytes: Uint8Array, from: number, last: number): number {
  let at = from;
  while (at < last && isBlank(bytes[at])) at++;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Returns the position after the quote that closes a string. If it does not close before `last`, returns `last + 1`, or
 * `last + 2` if the last byte escapes the next one.
 * @param from the position after the opening quote
 */
export function endOfString(bytes: Uint8Array, from: number, last: number): number {
  let at = from;
  while (at < last) {
    const byte = bytes[at++];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return at + 1;
}

/** The limits of a scan, which stops where one is exceeded. All values have the limit `MAX_NESTING`. */
export interface ScanLimits {
  /** The most values: the value itself, and every text, number, array and object in it. */
  readonly values: number;
  /** The most arrays, objects and members of objects, which take by far the longest to parse. */
  readonly parts: number;
}

const UNLIMITED: ScanLimits = { values: Number.POSITIVE_INFINITY, parts: Number.POSITIVE_INFINITY };

/** Finds the ends of values that have the same level, and counts what is in them. */
export class ValueScan {
  /** The number of values so far. Exact if each value is in one piece. */
  values = 0;
  /** The number of arrays, objects and members so far. */
  parts = 0;
  /** The limit that was exceeded. */
  excess: 'nesting' | 'values' | 'parts' | undefined;
  readonly #level: number;
  readonly #limits: ScanLimits;
  #depth: number;
  /** In a string that goes on in the next piece: 1, or 2 if the next byte is escaped. */
  #cut = 0;

  /** @param level the number of arrays and objects around the values */
  constructor(level: number, limits = UNLIMITED) {
    this.#level = level;
    this.#limits = limits;
    this.#depth = level;
  }

  /**
   * Returns the end of the value that begins at `from`, or that began in the piece before: the position of the comma or
   * closing bracket after it, of the byte that exceeds a limit, or `last`.
   */
  skip(bytes: Uint8Array, from: number, last: number): number {
    const { values: maxValues, parts: maxParts } = this.#limits;
    const level = this.#level;
    let depth = this.#depth;
    let values = this.values + 1;
    let { parts } = this;
    let at = this.#cut > 0 ? endOfString(bytes, from + this.#cut - 1, last) : from;
    scan: for (; at < last; at++) {
      switch (bytes[at]) {
        case QUOTE:
          at = endOfString(bytes, at + 1, last) - 1;
          continue;
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
          if (++depth > MAX_NESTING) break scan;
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
      if (values > maxValues || parts > maxParts) break;
    }
    if (depth > MAX_NESTING) this.excess = 'nesting';
    else if (values > maxValues) this.excess = 'values';
    else if (parts > maxParts) this.excess = 'parts';
    this.#cut = Math.max(at - last, 0);
    this.#depth = depth;
    this.values = values;
    this.parts = parts;
    return Math.min(at, last);
  }
}

/** Returns whether the array or object that closes at `at` is empty. */
function isEmptyBefore(bytes: Uint8Array, at: number): boolean {
  let place = at - 1;
  while (isBlank(bytes[place])) place--;
  return bytes[place] === OPEN_ARRAY || bytes[place] === OPEN_OBJECT;
}

/** Returns whether a JSON value has more than this many levels; an array of numbers has one. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || someChild(value, (child) => nestsDeeperThan(levels - 1, child));
}

/** Tests the children of a JSON value without a list of them: this is on the way of every body. */
export function someChild(value: object, test: (child: unknown, name: string | number) => boolean): boolean {
  if (Array.isArray(value)) return value.some(test);
  if (isRecord(value)) for (const name in value) if (test(value[name], name)) return true;
  return false;
}

function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  return !Array.isArray(value);
}
