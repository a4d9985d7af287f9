import { DEFAULT_WORDS, MissingWords } from './missing-words.js';

/** The length of "false". */
const MAX_BOOLEAN_LENGTH = 5;

/** Returns the text of a cell, and '' for a missing value. */
export type TextReader = (cell: unknown) => string;

/**
 * Returns the one reading of a cell that training and prediction share: its text without surrounding blanks, and '' for a
 * missing value. A number and its text are the same cell, and so are `true` and "TRUE". Objects and arrays hold no single
 * value and count as missing.
 *
 * @param words that count as missing, as a model lists them; undefined, for a model of a release that did not.
 */
export function textReader(words: readonly string[] | undefined): TextReader {
  const missing = MissingWords.of(words);
  const longest = Math.max(missing.longest, MAX_BOOLEAN_LENGTH);
  const { texts, numbers } = missing;
  return (cell) => {
    switch (typeof cell) {
      case 'string': {
        const text = cell.trim();
        if (numbers.size > 0 && missing.find(text) !== undefined) return '';
        if (text.length > longest) return text;
        const lower = text.toLowerCase();
        if (texts.has(lower)) return '';
        return lower === 'true' || lower === 'false' ? lower : text;
      }
      case 'number':
        return Number.isNaN(cell) || numbers.has(cell) ? '' : String(cell);
      case 'boolean':
        return texts.has(String(cell)) ? '' : String(cell);
      default:
        return '';
    }
  };
}

/** Reads a cell where neither a model nor a table says which words count as missing: see `textReader`. */
export const cellText = textReader(DEFAULT_WORDS);

/** The text of a cell that names something. Words for a missing value are names there: NA is Namibia, or North America. */
export function nameText(cell: unknown): string {
  return cellText(cell) || (typeof cell === 'string' ? cell.trim() : '');
}

/** The name of a series, or of a part of it. */
export function groupText(cell: unknown): string {
  return wholeName(nameText(cell));
}

const WHOLE = /^([+-]?\d+)\.0+$/;

/**
 * Returns the name of a class, a series or a row, given the text of a cell: programs write the whole number 1 as `1.0`
 * where others are missing.
 */
export function wholeName(text: string): string {
  return text.endsWith('0') ? text.replace(WHOLE, '$1') : text;
}

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
