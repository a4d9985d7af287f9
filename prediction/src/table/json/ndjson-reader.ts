import { isUtf8 } from 'node:buffer';
import { MAX_ROW_BYTES } from '../../columns/byte-budget.js';
import { RowsReader } from '../row-reader.js';
import type { Table, Task } from '../table.js';
import { TableError } from '../table-error.js';

const LINE_END = 0x0a;

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
  #line = 1;
  /** The beginning of a line whose end has not come. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(rows: RowsReader) {
    this.#rows = rows;
  }

  add(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#readLine();
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  build(): Table {
    this.#readLine();
    return this.#rows.build();
  }

  #hold(bytes: Uint8Array): void {
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > MAX_ROW_BYTES) {
      throw this.#fault(`is longer than ${MAX_ROW_BYTES} bytes. Send one row a line`);
    }
    if (bytes.length > 0) this.#pending.push(bytes);
  }

  #readLine(): void {
    if (this.#pendingBytes === 0) {
      this.#line++;
      return;
    }
    const [only] = this.#pending;
    const isOne = this.#pending.length === 1 && only !== undefined;
    const bytes = isOne ? only : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    if (!isUtf8(bytes)) throw this.#fault('is not UTF-8. Write the lines in UTF-8');
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    // A byte order mark may begin the text.
    const row = this.#line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
    if (row.trim() !== '') this.#rows.add(this.#parse(row), { line: this.#line });
    this.#line++;
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
