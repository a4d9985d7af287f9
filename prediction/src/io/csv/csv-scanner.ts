import { isUtf8 } from 'node:buffer';
import { MAX_ROW_BYTES } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import { type CsvDialect, type CsvOptions, DialectDetector } from './csv-dialect.js';
import { countLineEnds } from './csv-text.js';
import { SkippedLines } from './skipped-lines.js';

/** The most fields of a record: far more than a table may have columns, so that a few too many are counted. */
const MAX_FIELDS = 10_000;

/** Bytes that are read together, so that a large piece of the body keeps nobody waiting. */
const SLICE = 64 * 1024;

const BOM = [0xef, 0xbb, 0xbf];
const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, QUOTE] = [0x09, 0x0a, 0x0d, 0x20, 0x22];

/** A frequent cause of tables that are one long line. */
export const ENDS_REMOVED = 'If it was sent with curl, use --data-binary @FILE: -d removes the ends of lines.';

const QUOTING = 'Put the whole of a field in quotes, and write a quote inside it twice ("").';

/** A record of CSV: its fields without quotes and the blanks around them, and the line on which it begins. */
export interface CsvRecord {
  readonly fields: readonly string[];
  readonly line: number;
}

/**
 * Reads CSV (RFC 4180 in UTF-8) as it arrives. Lines end with LF, CRLF or CR; blank ones are passed over, at the cost
 * of a byte. The first lines show the delimiter, those above the header apart.
 *
 * Use: hand each part that `add` and `end` yield to `parse` before the next one is asked for.
 */
export class CsvScanner {
  readonly #skipped: SkippedLines;
  readonly #dialect: DialectDetector;
  readonly #whole = new WholeRecords();
  #delimiter = 0;
  #line: number;
  #text = '';
  #at = 0;

  constructor(options: CsvOptions) {
    const { headerLine = 1 } = options;
    this.#skipped = new SkippedLines(headerLine);
    this.#line = headerLine;
    this.#dialect = new DialectDetector(options);
  }

  /** The byte between fields; 0 before it is known. */
  get delimiter(): number {
    return this.#delimiter;
  }

  /** The place in the text behind the record that was parsed last. */
  get at(): number {
    return this.#at;
  }

  /** Counts lines that were read elsewhere. */
  passOver(lines: number): void {
    this.#line += lines;
  }

  /**
   * Yields the whole records of a piece of the body, some at a time. The next call overwrites them.
   *
   * @throws {FormatError} at text that is not CSV in UTF-8, and at a record of more than 1 MiB.
   */
  *add(piece: Uint8Array): Generator<Buffer> {
    if (this.#delimiter > 0) {
      yield* this.#gather(piece);
      return;
    }
    const rest = this.#skipped.cut(piece);
    if (rest.length === 0) return;
    const dialect = this.#dialect.add(rest);
    if (dialect !== undefined) yield* this.#begin(dialect);
  }

  /** Yields what is left when there are no more pieces. */
  *end(): Generator<Buffer> {
    this.#skipped.refuseEnd();
    if (this.#delimiter === 0) yield* this.#begin(this.#dialect.end());
    yield* this.#checked(this.#whole.end());
  }

  /**
   * Yields the records of what was read, unless they are blank.
   *
   * @throws {FormatError} at a quote where none may stand, and at a record of more than 10,000 fields.
   */
  *parse(bytes: Buffer): Generator<CsvRecord> {
    const text = bytes.toString();
    this.#text = text;
    this.#at = 0;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      if (code === LINE_FEED || code === CARRIAGE_RETURN) {
        this.#endLine();
        continue;
      }
      const line = this.#line;
      const fields = this.#record();
      if (fields !== undefined) yield { fields, line };
    }
  }

  *#begin(dialect: CsvDialect): Generator<Buffer> {
    if ('fault' in dialect) throw new FormatError(dialect.fault);
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    const { gathered } = this.#dialect;
    const hasBom = BOM.every((byte, index) => gathered[index] === byte);
    yield* this.#gather(hasBom ? gathered.subarray(BOM.length) : gathered);
  }

  *#gather(piece: Uint8Array): Generator<Buffer> {
    for (let start = 0; start < piece.length; start += SLICE) {
      const records = this.#whole.add(piece.subarray(start, start + SLICE));
      if (records === undefined) throw this.#tooLong();
      yield* this.#checked(records);
    }
  }

  *#checked(bytes: Buffer): Generator<Buffer> {
    if (bytes.length === 0) return;
    checkText(bytes, this.#line);
    yield bytes;
  }

  /** Reads a record; undefined, if it is a line of blanks. */
  #record(): string[] | undefined {
    const line = this.#line;
    const text = this.#text;
    const fields: string[] = [];
    for (let isBlankLine = true; ; isBlankLine = false) {
      if (fields.length === MAX_FIELDS) throw tooManyFields(line);
      this.#skipBlanks();
      const isQuoted = text.charCodeAt(this.#at) === QUOTE;
      const field = isQuoted ? this.#quoted(line) : this.#plain(line);
      fields.push(field);
      if (text.charCodeAt(this.#at) === this.#delimiter) {
        this.#at++;
        continue;
      }
      this.#endLine();
      return isBlankLine && !isQuoted && field === '' ? undefined : fields;
    }
  }

  #plain(line: number): string {
    const text = this.#text;
    const delimiter = this.#delimiter;
    const start = this.#at;
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) break;
      if (code === QUOTE) throw misplacedQuote(line);
    }
    this.#at = at;
    while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
    return text.slice(start, at);
  }

  #quoted(line: number): string {
    const text = this.#text;
    const start = this.#at + 1;
    let end = text.indexOf('"', start);
    let isDoubled = false;
    while (end >= 0 && text.charCodeAt(end + 1) === QUOTE) {
      isDoubled = true;
      end = text.indexOf('"', end + 2);
    }
    if (end < 0) {
      throw fault(`A quote is opened in the row that begins on line ${line}, and never closed.`, line);
    }
    this.#at = end + 1;
    this.#skipBlanks();
    const next = text.charCodeAt(this.#at);
    const isEnd = this.#at >= text.length || next === LINE_FEED || next === CARRIAGE_RETURN;
    if (!isEnd && next !== this.#delimiter) throw misplacedQuote(line);
    const field = text.slice(start, end);
    this.#line += countLineEnds(field);
    return isDoubled ? field.replaceAll('""', '"') : field;
  }

  #skipBlanks(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === this.#delimiter || !isBlank(code)) return;
    }
  }

  #endLine(): void {
    const code = this.#text.charCodeAt(this.#at++);
    if (code === CARRIAGE_RETURN && this.#text.charCodeAt(this.#at) === LINE_FEED) this.#at++;
    this.#line++;
  }

  #tooLong(): FormatError {
    const line = this.#line;
    return fault(
      `The row that begins on line ${line} is longer than 1 MiB; perhaps a quote in it is not closed.`,
      line,
    );
  }
}

/** Bytes of memory to begin with. */
const CAPACITY = 64 * 1024;

/**
 * Gathers the bytes of CSV until they hold whole records. A quote opens or closes a quoted field, and one that is
 * written twice does both, so counting quotes is enough to find the ends of records; where a quote may not stand, the
 * parser stops.
 */
class WholeRecords {
  #held = Buffer.allocUnsafe(CAPACITY);
  #length = 0;
  /** The end of the records that were handed over and not let go yet. */
  #handedOver = 0;
  #isQuoted = false;
  #endedWithReturn = false;

  /** Adds a piece. Returns the records that it ends, which the next call overwrites; undefined, if one is too long. */
  add(added: Uint8Array): Buffer | undefined {
    this.#letGo();
    // CRLF was cut in two, and its record has been handed over.
    const isCut = this.#endedWithReturn && this.#length === 0 && added[0] === LINE_FEED;
    const piece = isCut ? added.subarray(1) : added;
    if (added.length > 0) this.#endedWithReturn = added.at(-1) === CARRIAGE_RETURN;
    const start = this.#length;
    this.#reserve(piece.length);
    this.#held.set(piece, start);
    this.#length += piece.length;
    const { first, last } = this.#ends(piece);
    if (start + (first ?? piece.length) > MAX_ROW_BYTES) return undefined;
    this.#handedOver = last === undefined ? 0 : start + last + 1;
    return this.#held.subarray(0, this.#handedOver);
  }

  /** Returns what is left when there are no more pieces: a record without an end of line, or nothing. */
  end(): Buffer {
    this.#letGo();
    this.#handedOver = this.#length;
    return this.#held.subarray(0, this.#length);
  }

  /** Finds the first and the last line end of a piece that are not in quotes. */
  #ends(piece: Uint8Array): { readonly first?: number | undefined; readonly last?: number } {
    if (!this.#isQuoted && !piece.includes(QUOTE)) {
      const last = Math.max(piece.lastIndexOf(LINE_FEED), piece.lastIndexOf(CARRIAGE_RETURN));
      return last < 0 ? {} : { first: piece.findIndex(isLineEnd), last };
    }
    let isQuoted = this.#isQuoted;
    let first: number | undefined;
    let last: number | undefined;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (byte > QUOTE) continue;
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (!isQuoted && isLineEnd(byte)) {
        first ??= at;
        last = at;
      }
    }
    this.#isQuoted = isQuoted;
    return last === undefined ? {} : { first, last };
  }

  #letGo(): void {
    if (this.#handedOver === 0) return;
    this.#held.copyWithin(0, this.#handedOver, this.#length);
    this.#length -= this.#handedOver;
    this.#handedOver = 0;
  }

  #reserve(room: number): void {
    const needed = this.#length + room;
    if (needed <= this.#held.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#held.length));
    this.#held.copy(larger, 0, 0, this.#length);
    this.#held = larger;
  }
}

/**
 * Checks that bytes are text in UTF-8 without U+0000.
 *
 * @param line on which the bytes begin.
 * @throws {FormatError} with the first line of which they are not.
 */
function checkText(bytes: Buffer, line: number): void {
  const at = bytes.indexOf(0);
  if (at >= 0) {
    const place = line + countLineEnds(bytes.toString('latin1', 0, at));
    throw new FormatError(`Line ${place} has the character U+0000 in it. Remove it.`, place);
  }
  if (isUtf8(bytes)) return;
  let start = 0;
  for (let end = 0; isUtf8(bytes.subarray(start, end)); ) {
    start = end;
    end = bytes.indexOf('\n', start) + 1 || bytes.length;
  }
  const place = line + countLineEnds(bytes.toString('latin1', 0, start));
  throw new FormatError(
    `Line ${place} is not UTF-8 text. Save the rows as "CSV UTF-8", or name their encoding, such as Content-Type: text/csv; charset=windows-1252.`,
    place,
  );
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function isLineEnd(byte: number): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

/** @param line on which the row begins. */
function fault(broken: string, line: number, remedy = QUOTING): FormatError {
  const hint = line === 1 ? ` ${ENDS_REMOVED}` : '';
  return new FormatError(`${broken} ${remedy}${hint}`, line);
}

function misplacedQuote(line: number): FormatError {
  return fault(`A quote stands where none may, in the row that begins on line ${line}.`, line);
}

function tooManyFields(line: number): FormatError {
  return fault(
    `The row that begins on line ${line} has more than ${MAX_FIELDS.toLocaleString('en')} fields.`,
    line,
    'Put a field that holds the delimiter in quotes, and end each row with its line.',
  );
}
