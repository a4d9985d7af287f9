import { RowsError } from '../answer-part.js';
import type { Delimiter } from './csv-opening.js';
import { QUOTING } from './csv-record-limit.js';

/** The most fields of a record. */
const MAX_FIELDS = 10_000;

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, QUOTE] = [0x09, 0x0a, 0x0d, 0x20, 0x22];

/** A record of CSV: its fields without quotes and the blanks around them, and the line on which it begins. */
export interface CsvRecord {
  readonly fields: readonly string[];
  readonly line: number;
}

/** Splits CSV into records and fields (RFC 4180). Lines end with LF, CRLF or CR; blank ones are passed over. */
export class RecordParser {
  /** The byte between fields. */
  readonly delimiter: number;
  #line = 1;
  #text = '';
  #at = 0;

  constructor(delimiter: Delimiter) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** The line on which the next record begins. */
  get line(): number {
    return this.#line;
  }

  /** The place behind the record that was yielded last. */
  get at(): number {
    return this.#at;
  }

  /** Counts lines that were read elsewhere. */
  passOver(lines: number): void {
    this.#line += lines;
  }

  /**
   * Yields the records of a text of whole records.
   *
   * @throws {RowsError} at a quote where none may stand, and at a record of more than 10,000 fields.
   */
  *parse(text: string): Generator<CsvRecord> {
    this.#text = text;
    this.#at = 0;
    while (this.#at < text.length) {
      const line = this.#line;
      const start = this.#at;
      const fields = this.#record();
      const isBlank = fields.length === 1 && fields[0] === '' && text.charCodeAt(start) !== QUOTE;
      if (!isBlank) yield { fields, line };
    }
  }

  #record(): string[] {
    const line = this.#line;
    const fields: string[] = [];
    for (;;) {
      if (fields.length === MAX_FIELDS) throw tooManyFields(line);
      this.#skipBlanks();
      const isQuoted = this.#text.charCodeAt(this.#at) === QUOTE;
      fields.push(isQuoted ? this.#quoted(line) : this.#plain(line));
      if (this.#text.charCodeAt(this.#at) !== this.delimiter) break;
      this.#at++;
    }
    this.#endLine();
    return fields;
  }

  #plain(line: number): string {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) break;
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
    if (end < 0) throw openQuote(line);
    this.#at = end + 1;
    this.#skipBlanks();
    const next = text.charCodeAt(this.#at);
    const isEnd = this.#at >= text.length || next === LINE_FEED || next === CARRIAGE_RETURN;
    if (!isEnd && next !== this.delimiter) throw misplacedQuote(line);
    const field = text.slice(start, end);
    this.#line += lineBreaksIn(field);
    return isDoubled ? field.replaceAll('""', '"') : field;
  }

  #skipBlanks(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === this.delimiter || !isBlank(code)) return;
    }
  }

  #endLine(): void {
    const code = this.#text.charCodeAt(this.#at++);
    if (code === CARRIAGE_RETURN && this.#text.charCodeAt(this.#at) === LINE_FEED) this.#at++;
    this.#line++;
  }
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function lineBreaksIn(field: string): number {
  if (!field.includes('\n') && !field.includes('\r')) return 0;
  return field.match(/\r\n|\n|\r/g)?.length ?? 0;
}

function openQuote(line: number): RowsError {
  const broken = `A quote is opened in the row that begins on line ${line}, and never closed.`;
  return new RowsError(`${broken} ${QUOTING}`);
}

function misplacedQuote(line: number): RowsError {
  const broken = `A quote stands where none may, in the row that begins on line ${line}.`;
  return new RowsError(`${broken} ${QUOTING}`);
}

function tooManyFields(line: number): RowsError {
  const most = MAX_FIELDS.toLocaleString('en');
  return new RowsError(
    `The row that begins on line ${line} has more than ${most} fields. Put a field that holds the delimiter in quotes, and end each row with its line.`,
  );
}
