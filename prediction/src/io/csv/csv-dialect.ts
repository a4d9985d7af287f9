import { parseNumber } from '../../table/parse-number.js';
import type { Charset } from './csv-text.js';

/** The characters that may stand between the fields of CSV. */
export type Delimiter = ',' | ';' | '\t' | '|';

/** The form of CSV, in place of what its first lines show. */
export interface CsvOptions {
  /** True if a line has the names of the columns; true without it. */
  readonly header?: boolean | undefined;
  /** The line with the names, or without them of the first row, from 1; the lines above it are passed over. */
  readonly headerLine?: number | undefined;
  readonly delimiter?: Delimiter | undefined;
  /** The encoding, by default UTF-8. A byte order mark takes precedence. */
  readonly charset?: Charset | undefined;
}

/** The findings in the first lines of CSV: its delimiter, or why it cannot be read. */
export type CsvDialect = { readonly delimiter: Delimiter } | { readonly fault: string };

/** Those that the first lines are asked for. */
const DELIMITERS: readonly Delimiter[] = [',', ';', '\t'];

/** The most bytes, and the most records, that are looked at. */
const MAX_BYTES = 64 * 1024;
const MAX_RECORDS = 20;

/** Bytes in which the pattern of UTF-16 is looked for. */
const PATTERN_BYTES = 64;

/** Looks that are taken at most because a line has ended; more of them wait until there is twice as much to see. */
const MAX_LOOKS = 100;

const UNCLEAR =
  'The first lines do not show whether commas, semicolons or tabs separate the fields. Set the parameter delimiter to comma, semicolon or tab.';

/** Gathers the first bytes of CSV until they show how it is written. */
export class DialectDetector {
  readonly #options: CsvOptions;
  #gathered = Buffer.alloc(0);
  #looks = 0;
  #seen = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** The bytes so far. */
  get gathered(): Uint8Array {
    return this.#gathered;
  }

  /** Adds bytes. Returns the form that all bytes so far show; undefined if more are needed. */
  add(piece: Uint8Array): CsvDialect | undefined {
    this.#gathered = Buffer.concat([this.#gathered, piece]);
    const { length } = this.#gathered;
    const hasEnded = piece.includes(LINE_FEED) || piece.includes(CARRIAGE_RETURN);
    const mayLook = (hasEnded && this.#looks < MAX_LOOKS) || length >= 2 * this.#seen;
    if (!mayLook && length < MAX_BYTES) return undefined;
    this.#looks++;
    this.#seen = length;
    return this.#look(length >= MAX_BYTES);
  }

  /** Returns the form that the bytes show if there are no more. */
  end(): CsvDialect {
    return this.#look(true) ?? { delimiter: ',' };
  }

  #look(isAll: boolean): CsvDialect | undefined {
    if (isUtf16(this.#gathered)) {
      return {
        fault:
          'The text is UTF-16 without a byte order mark. Save it as "CSV UTF-8", or name its encoding: Content-Type: text/csv; charset=utf-16le, or utf-16be.',
      };
    }
    const { delimiter, header = true } = this.#options;
    const text = this.#gathered.toString('latin1', 0, MAX_BYTES);
    const records = firstRecords(text, isAll);
    if (delimiter !== undefined) return records.length > 0 || isAll ? { delimiter } : undefined;
    return tell(records, header, isAll || records.length === MAX_RECORDS);
  }
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

function isUtf16(bytes: Uint8Array): boolean {
  const nulls = [0, 0];
  const length = Math.min(bytes.length, PATTERN_BYTES) & ~1;
  for (let at = 0; at < length; at++) {
    if (bytes[at] === 0) nulls[at & 1] = (nulls[at & 1] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = nulls;
  return length >= 4 && Math.min(even, odd) === 0 && Math.max(even, odd) > length / 4;
}

/** A record, by its texts outside quotes and inside them in turn. */
type Parts = readonly string[];

/** Returns the first records that are not blank, without the one that has not ended. */
function firstRecords(text: string, isAll: boolean): Parts[] {
  const records: Parts[] = [];
  let parts: string[] = [];
  const close = () => {
    if (parts.some((part, index) => index % 2 === 1 || part.trim() !== '')) records.push(parts);
    parts = [];
  };
  for (const [index, part] of text.split('"').entries()) {
    const lines = index % 2 === 1 ? [part] : part.split(/[\r\n]/);
    for (const [line, rest] of lines.entries()) {
      if (line > 0) close();
      if (records.length === MAX_RECORDS) return records;
      parts.push(rest);
    }
  }
  if (isAll) close();
  return records;
}

/** @param isAll whether there are no more records to look at. */
function tell(records: readonly Parts[], header: boolean, isAll: boolean): CsvDialect | undefined {
  const [first, ...others] = records;
  if (first === undefined) return isAll ? { delimiter: ',' } : undefined;
  const possible = DELIMITERS.filter((delimiter) => countDelimiters(delimiter, first) > 0);
  const [only = ',', second] = possible;
  if (second === undefined) return { delimiter: only };
  if (!isAll) return undefined;
  const agreeing = possible.map((delimiter) => {
    const count = countDelimiters(delimiter, first);
    return others.filter((record) => countDelimiters(delimiter, record) === count).length;
  });
  const most = Math.max(...agreeing);
  const best = possible.filter((_, index) => agreeing[index] === most);
  const rows = header ? others : records;
  if (best.includes(';') && rows.length > 0 && rows.every(hasOnlyDecimalCommas)) {
    return { delimiter: ';' };
  }
  const [winner, another] = best;
  return winner === undefined || another !== undefined ? { fault: UNCLEAR } : { delimiter: winner };
}

function countDelimiters(delimiter: Delimiter, parts: Parts): number {
  let count = 0;
  for (let index = 0; index < parts.length; index += 2) {
    count += (parts[index] ?? '').split(delimiter).length - 1;
  }
  return count;
}

/** Returns whether each comma of a record that semicolons separate is part of a number. */
function hasOnlyDecimalCommas(parts: Parts): boolean {
  return parts.every((part, index) => {
    if (index % 2 === 1) return true;
    const fields = part.split(/[;\t]/).filter((field) => field.includes(','));
    return fields.every((field) => !Number.isNaN(parseNumber(field.trim())));
  });
}
