import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, Parser } from 'csv-parse';
import type { Table, Task } from '../table.js';
import { TableError } from '../table-error.js';
import { CsvRecordLimit, ENDS_REMOVED, QUOTING } from './csv-record-limit.js';
import { CsvRecords } from './csv-records.js';

type Chunks = AsyncIterator<Uint8Array | string>;

/**
 * Reads a table from CSV (RFC 4180: commas, double quotes, a header line; UTF-8) as it streams in.
 *
 * A bad table is parsed no further, but its source is read to the end before the promise rejects,
 * because it may be a request whose connection has to carry the refusal. With `drain: false` it rejects at once.
 *
 * @param options `task` predicts the target as numbers or as classes; left out, its values decide.
 * @throws {TableError} if no model can be trained on the table, or it has more than 1,000,000 rows.
 * @throws the source's own error, if it breaks off.
 */
export async function readCsvTable(
  source: Readable | AsyncIterable<Uint8Array>,
  target: string,
  { drain = true, task }: { drain?: boolean; task?: Task | undefined } = {},
): Promise<Table> {
  const chunks: Chunks = source[Symbol.asyncIterator]();
  const records = new CsvRecords(target, task);
  const parser = new RecordParser(records);
  try {
    await pipeline(decodeUtf8(chunks), parser.resume());
    return records.build();
  } catch (error) {
    const fault = error instanceof CsvError ? syntaxFault(error, parser.nextLine) : error;
    if (fault instanceof TableError && drain) await readToEnd(chunks);
    throw fault;
  }
}

/**
 * Hands each record over as soon as it is read: what stands in a stream's buffer is lost at an
 * error. The parser's own hook, `on_record`, would take as long as all the rest.
 */
class RecordParser extends Parser {
  readonly #records: CsvRecords;

  constructor(records: CsvRecords) {
    super({
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
async function* decodeUtf8(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      const message = 'The table is not UTF-8 text. Save it as "CSV UTF-8" and send it again.';
      throw new TableError([{ message }]);
    }
  };
  const limit = new CsvRecordLimit();
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    const bytes = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
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
