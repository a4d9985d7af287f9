import { pipeline } from 'node:stream/promises';
import { CsvError, Parser } from 'csv-parse';
import type { Table, Task } from '../../table/table.js';
import { TableError } from '../../table/table-error.js';
import {
  type CsvOpening,
  CsvOpeningReader,
  type CsvOptions,
  type Delimiter,
} from './csv-opening.js';
import { CsvRecordLimit, ENDS_REMOVED, QUOTING } from './csv-record-limit.js';
import { CsvRecords } from './csv-records.js';

type Chunks = AsyncIterator<Uint8Array | string>;

/** The options for reading a table from CSV. */
export interface CsvTableOptions extends CsvOptions {
  /** Whether the source of a bad table is read to its end; true without it. */
  readonly drain?: boolean;
  /** The task; without it, the values of the target decide. */
  readonly task?: Task | undefined;
}

/**
 * Reads a table from CSV (RFC 4180 in UTF-8) as it streams in. The first lines tell whether commas, semicolons or tabs
 * separate the fields, unless `delimiter` does. With `header: false` the columns are named `column_1`, `column_2` and
 * so on.
 *
 * A bad table is parsed no further, but its source is read to the end before the promise rejects,
 * because it may be a request whose connection has to carry the refusal. With `drain: false` it rejects at once.
 *
 * @throws {TableError} if no model can be trained on the table, or it has more than 1,000,000 rows.
 * @throws the source's own error, if it breaks off.
 */
export async function readCsvTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  { drain = true, task, header = true, delimiter }: CsvTableOptions = {},
): Promise<Table> {
  const chunks: Chunks = source[Symbol.asyncIterator]();
  const records = new CsvRecords(target, task, header);
  try {
    const { opening, first } = await readOpening(chunks, { header, delimiter });
    if ('fault' in opening) throw new TableError([{ message: opening.fault }]);
    const parser = new RecordParser(records, opening.delimiter);
    try {
      await pipeline(decodeUtf8(first, chunks, opening.delimiter), parser.resume());
    } catch (error) {
      throw error instanceof CsvError ? syntaxFault(error, parser.nextLine) : error;
    }
    return records.build();
  } catch (error) {
    if (error instanceof TableError && drain) await readToEnd(chunks);
    throw error;
  }
}

/** Reads the first chunks until they tell how the table is written. */
async function readOpening(
  chunks: Chunks,
  options: CsvOptions,
): Promise<{ opening: CsvOpening; first: Uint8Array }> {
  const reader = new CsvOpeningReader(options);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    const opening = reader.add(bytesOf(next.value));
    if (opening !== undefined) return { opening, first: reader.gathered };
  }
  return { opening: reader.end(), first: reader.gathered };
}

function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/**
 * Hands each record over as soon as it is read: what stands in a stream's buffer is lost at an
 * error. The parser's own hook, `on_record`, would take as long as all the rest.
 */
class RecordParser extends Parser {
  readonly #records: CsvRecords;

  constructor(records: CsvRecords, delimiter: Delimiter) {
    super({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // As records of a wrong length, blank lines would each cost an error with its stack.
      skip_empty_lines: true,
      trim: true,
    });
    this.#records = records;
  }

  /** The line on which the next record begins. */
  get nextLine(): number {
    return this.#records.nextLine + this.info.empty_lines;
  }

  /** @throws {TableError} at a record that ends the reading; the parser then stops at once. */
  override push(record: readonly string[] | null): boolean {
    if (record === null) return super.push(null);
    this.#records.add(record, this.info.empty_lines);
    return true;
  }
}

/** Steps by hand: leaving a `for await` early would destroy the source. */
async function* decodeUtf8(
  first: Uint8Array,
  chunks: Chunks,
  delimiter: Delimiter,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      const message = 'The table is not UTF-8 text. Save it as "CSV UTF-8" and send it again.';
      throw new TableError([{ message }]);
    }
  };
  const limit = new CsvRecordLimit(delimiter);
  limit.check(first);
  yield decode(first);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    const bytes = bytesOf(next.value);
    limit.check(bytes);
    yield decode(bytes);
  }
  yield decode();
}

async function readToEnd(chunks: Chunks): Promise<void> {
  while (!(await chunks.next()).done);
}

/** @param line where the record begins at which the parser gave up. */
function syntaxFault({ code }: CsvError, line: number): TableError {
  const hint = line === 1 ? ` ${ENDS_REMOVED}` : '';
  const message = `${brokenRule(code, line)} ${QUOTING}${hint}`;
  return new TableError([{ message, line }]);
}

function brokenRule(code: string, line: number): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `A quote is opened in the row that begins on line ${line}, and never closed.`;
    default:
      return `A quote stands where none may, in the row that begins on line ${line}.`;
  }
}
