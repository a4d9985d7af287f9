import { isUtf8 } from 'node:buffer';
import { RowsReader } from '../../table/row-reader.js';
import type { Table, Task } from '../../table/table.js';
import { TableError } from '../../table/table-error.js';
import { MAX_ROW_BYTES } from '../columns/byte-budget.js';
import { LineSplitter } from './line-splitter.js';

const [TAB, LINE_END, CARRIAGE_RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * Reads a table from NDJSON as it streams in: a row object a line, in UTF-8. Blank lines count, and are no rows.
 *
 * A bad table is parsed no further, but its source is read to the end before the promise rejects, because it may be
 * a request whose connection has to carry the refusal. With `drain: false` it rejects at once.
 *
 * @param options `task` predicts the target as numbers or as classes; left out, its values decide.
 * @throws {TableError} if a line is no JSON, or no model can be trained on the table.
 * @throws the source's own error, if it breaks off.
 */
export async function readNdjsonTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { drain = true, task }: { drain?: boolean; task?: Task | undefined } = {},
): Promise<Table> {
  const lines = new LineReader(new RowsReader(target, task));
  let fault: unknown;
  for await (const chunk of source) {
    if (fault !== undefined) continue;
    try {
      lines.add(chunk);
    } catch (error) {
      if (!drain) throw error;
      fault = error;
    }
  }
  if (fault !== undefined) throw fault;
  return lines.build();
}

class LineReader {
  readonly #rows: RowsReader;
  readonly #splitter = new LineSplitter(MAX_ROW_BYTES);
  #line = 1;

  constructor(rows: RowsReader) {
    this.#rows = rows;
  }

  add(chunk: Uint8Array): void {
    for (const lines of this.#splitter.read(chunk)) this.#readLines(lines);
  }

  build(): Table {
    for (const lines of this.#splitter.end()) this.#readLines(lines);
    return this.#rows.build();
  }

  /** @param lines several; null stands for a line that is too long. */
  #readLines(lines: Uint8Array | null): void {
    if (lines === null) {
      throw this.#fault(`is longer than ${MAX_ROW_BYTES} bytes. Send one row a line`);
    }
    const { buffer, byteOffset } = lines;
    const readable = readableBytes(lines);
    const text = Buffer.from(buffer, byteOffset, readable).toString();
    // A byte order mark may begin the text.
    for (let at = this.#line === 1 && text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_END) this.#line++;
      if (isBlank(code)) continue;
      const end = text.indexOf('\n', at);
      const row = text.slice(at, end < 0 ? text.length : end);
      // The blanks of other scripts make a blank line, too.
      if (row.trim() !== '') this.#rows.add(this.#parse(row), { line: this.#line });
      at += row.length - 1;
    }
    if (readable < lines.length) throw this.#fault('is not UTF-8. Write the lines in UTF-8');
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.#fault('is no JSON. Send a row object on each line');
    }
  }

  #fault(what: string): TableError {
    return new TableError([{ message: `Line ${this.#line} ${what}.`, line: this.#line }]);
  }
}

function isBlank(code: number): boolean {
  return code === SPACE || code === LINE_END || code === CARRIAGE_RETURN || code === TAB;
}

/** Returns the length of the lines before the first one that is not UTF-8. */
function readableBytes(lines: Uint8Array): number {
  if (isUtf8(lines)) return lines.length;
  let start = 0;
  for (let end = 0; end >= 0; start = end + 1) {
    end = lines.indexOf(LINE_END, start);
    if (!isUtf8(lines.subarray(start, end < 0 ? lines.length : end))) break;
  }
  return start;
}
