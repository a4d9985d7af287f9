import { MAX_COLUMNS } from '../../table/table.js';
import { TableError } from '../../table/table-error.js';
import { MAX_ROW_BYTES } from '../columns/byte-budget.js';
import type { Delimiter } from './csv-opening.js';

/** The most fields of a record: far more than a table may have columns, so that a few too many are counted. */
const MAX_FIELDS = 10 * MAX_COLUMNS;

/** A frequent cause of tables that are one long line. */
export const ENDS_REMOVED =
  'If it was sent with curl, use --data-binary @FILE: -d removes the ends of lines.';

/** The state of a quoted field. */
export const QUOTING =
  'Put the whole of a field in quotes, and write a quote inside it twice ("").';

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22];

/**
 * Bounds the bytes and the fields of each CSV record (RFC 4180) before a parser sees them: a parser holds a whole
 * record, and an array of a hundred million fields ends the process. A quote opens or closes a quoted field, and one
 * that is written twice does both, so counting quotes is enough; where a quote may not stand, the parser stops.
 */
export class CsvRecordLimit {
  readonly #delimiter: number;
  #isQuoted = false;
  #fields = 1;
  /** Of the current record, in the chunks before. */
  #bytes = 0;
  #line = 1;
  #recordLine = 1;
  #endedWithReturn = false;

  constructor(delimiter: Delimiter) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** @throws {TableError} at a record of more than 1 MiB or 10,000 fields, the header too, and at U+0000. */
  check(chunk: Uint8Array): void {
    const delimiter = this.#delimiter;
    const last = Math.max(delimiter, QUOTE);
    let start = -this.#bytes;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte > last) continue;
      if (byte === delimiter) {
        if (!this.#isQuoted && ++this.#fields > MAX_FIELDS) throw this.#tooManyFields();
      } else if (byte === QUOTE) {
        this.#isQuoted = !this.#isQuoted;
      } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (byte === CARRIAGE_RETURN || !this.#followsReturn(chunk, at)) this.#line++;
        if (this.#isQuoted) continue;
        if (at - start > MAX_ROW_BYTES) throw this.#tooLong();
        start = at + 1;
        this.#fields = 1;
        this.#recordLine = this.#line;
      } else if (byte === 0) {
        throw this.#nullCharacter();
      }
    }
    this.#bytes = chunk.length - start;
    if (this.#bytes > MAX_ROW_BYTES) throw this.#tooLong();
    if (chunk.length > 0) this.#endedWithReturn = chunk.at(-1) === CARRIAGE_RETURN;
  }

  #followsReturn(chunk: Uint8Array, at: number): boolean {
    return at === 0 ? this.#endedWithReturn : chunk[at - 1] === CARRIAGE_RETURN;
  }

  #nullCharacter(): TableError {
    const line = this.#line;
    const message = `Line ${line} has the character U+0000 in it. Remove it.`;
    return new TableError([{ message, line }]);
  }

  #tooLong(): TableError {
    const line = this.#recordLine;
    const message = `The row that begins on line ${line} is longer than 1 MiB; perhaps a quote in it is not closed. ${QUOTING}${this.#hint()}`;
    return new TableError([{ message, line }]);
  }

  #tooManyFields(): TableError {
    const line = this.#recordLine;
    const message = `The row that begins on line ${line} has more than ${MAX_FIELDS.toLocaleString('en')} fields, and a table has at most ${MAX_COLUMNS.toLocaleString('en')} columns. Send the columns that bear on the target, and put a field that holds the delimiter in quotes.${this.#hint()}`;
    return new TableError([{ message, line }]);
  }

  #hint(): string {
    return this.#recordLine === 1 ? ` ${ENDS_REMOVED}` : '';
  }
}
