/** Notations of a missing value, in lower case. */
const MISSING = new Set(['', 'na', 'n/a', '#n/a', '<na>', 'nan', '-nan', 'null', 'none']);
/** The texts that count as a missing value, beside an empty text, in lower case. */
export const MISSING_WORDS: readonly string[] = [...MISSING].filter((word) => word !== '');
/** Of these and of "false". */
const MAX_WORD_LENGTH = 5;

/**
 * The one reading of a cell that training and prediction share: its text without surrounding
 * blanks, and '' for a missing value. A number and its text are the same cell, and so are `true`
 * and "TRUE". Objects and arrays hold no single value and count as missing.
 */
export function cellText(cell: unknown): string {
  switch (typeof cell) {
    case 'string':
      return normalText(cell.trim());
    case 'number':
      return Number.isNaN(cell) ? '' : String(cell);
    case 'boolean':
      return String(cell);
    default:
      return '';
  }
}

/**
 * The text of a cell that tells series apart. Words for a missing value are names there: NA is Namibia, or North
 * America.
 */
export function groupText(cell: unknown): string {
  return cellText(cell) || (typeof cell === 'string' ? cell.trim() : '');
}

function normalText(text: string): string {
  if (text.length > MAX_WORD_LENGTH) return text;
  const lower = text.toLowerCase();
  if (MISSING.has(lower)) return '';
  return lower === 'true' || lower === 'false' ? lower : text;
}

/** No number that people or programs write is longer, and a text of megabytes costs time to look through. */
const MAX_NUMBER_LENGTH = 1000;

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^[+-]?(?:\d+,\d*|,\d+)(?:e[+-]?\d+)?$/i;
/** 1,234.5 and 1,234,567: one comma alone is a decimal comma, and is matched before this. */
const COMMA_GROUPS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;
/** 1.234,5 and 1.234.567. */
const DOT_GROUPS = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/;

/**
 * Reads a number from the text of a cell; NaN if it is none. A comma alone is a decimal comma; of
 * two kinds of separators the last is the decimal one; several of one kind group thousands.
 * Numbers beyond the range of a double, as 1e400, are infinite.
 */
export function parseNumber(text: string): number {
  if (text.length > MAX_NUMBER_LENGTH) return Number.NaN;
  const plain = plainNumber(text);
  if (plain !== undefined) return plain;
  if (DECIMAL_COMMA.test(text)) return Number(text.replace(',', '.'));
  if (COMMA_GROUPS.test(text)) return Number(text.replaceAll(',', ''));
  if (DOT_GROUPS.test(text)) return Number(text.replaceAll('.', '').replace(',', '.'));
  if (text === 'Infinity' || text === '-Infinity') return Number(text);
  return Number.NaN;
}

/** Reads a number as programs write it; undefined, if the text has anything but digits, a sign, a point and an exponent. */
export function plainNumber(text: string): number | undefined {
  const short = shortNumber(text);
  if (short !== undefined) return short;
  return text.length <= MAX_NUMBER_LENGTH && PLAIN.test(text) ? Number(text) : undefined;
}

/** The most characters of a number whose digits, as an integer, are exact in a double. */
const MAX_SHORT_LENGTH = 15;
const TENS = Array.from({ length: MAX_SHORT_LENGTH }, (_, exponent) => 10 ** exponent);

/** Reads digits with at most one point among them, which most numbers are; undefined, if the text has anything else. */
function shortNumber(text: string): number | undefined {
  const { length } = text;
  if (length > MAX_SHORT_LENGTH) return undefined;
  let digits = 0;
  let decimals = -1;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit >= 0 && digit <= 9) {
      digits = 10 * digits + digit;
      if (decimals >= 0) decimals++;
    } else if (digit === POINT && decimals < 0 && at > 0) {
      decimals = 0;
    } else return undefined;
  }
  if (length === 0) return undefined;
  // A quotient of two exact doubles is rounded once, as the text is.
  return decimals > 0 ? digits / (TENS[decimals] ?? 1) : digits;
}

/** A point, as a digit. */
const POINT = 0x2e - 0x30;

const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?([.,]\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Reads an ISO 8601 date or date-time as milliseconds since 1970; NaN if it is none, or if the
 * calendar has no such day. Without an offset it is UTC, so that no answer depends on where the
 * service runs.
 */
export function parseDate(text: string): number {
  const match = ISO_DATE.exec(text);
  if (match === null) return Number.NaN;
  const [, day = '', minutes = '00:00', seconds = ':00', fraction = '', offset = 'Z'] = match;
  // Date rolls 30 February over into March: only a day that survives is in the calendar.
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) {
    return Number.NaN;
  }
  const zone = /^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  return Date.parse(`${day}T${minutes}${seconds}${fraction.replace(',', '.')}${zone}`);
}

/** An object with a row's values by name. */
export type RowObject = Readonly<Record<string, unknown>>;

/** Returns whether a JSON value is an object, whose properties supply a row's values. */
export function isRowObject(row: unknown): row is RowObject {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

/** Returns the value of a row under a name; null if it has none, or is not an object. */
export function ownValue(row: unknown, name: string): unknown {
  // Every object inherits something under the names "constructor" and "__proto__".
  return isRowObject(row) && Object.hasOwn(row, name) ? row[name] : null;
}

const NO_VALUES: RowObject = {};

/** A row's values: none, if it is not an object. */
export function toRowObject(row: unknown): RowObject {
  return isRowObject(row) ? row : NO_VALUES;
}

/** Reads what many rows say under one name. */
export class Cell {
  readonly name: string;
  /** True if every object has something under this name that is not its own. */
  readonly #isInherited: boolean;

  constructor(name: string) {
    // As a key, the text is the very one that objects have; looking it up is faster then.
    this.name = Object.keys({ [name]: null })[0] ?? name;
    this.#isInherited = name in NO_VALUES;
  }

  /** Whether the row has the name, also if it says null. */
  isIn(row: RowObject): boolean {
    return Object.hasOwn(row, this.name);
  }

  /** Null, if the row says nothing under the name. */
  of(row: RowObject): unknown {
    if (this.#isInherited && !Object.hasOwn(row, this.name)) return null;
    return row[this.name] ?? null;
  }
}
