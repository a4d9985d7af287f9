import type { OrderedSink } from '../../table/row-reader.js';
import { FaultList, TableError } from '../../table/table-error.js';
import type { CsvOptions } from './csv-dialect.js';
import { type CsvRecord, CsvScanner, ENDS_REMOVED } from './csv-scanner.js';
import { toUtf8 } from './csv-text.js';

/**
 * Adds the rows of CSV, until no more are wanted. The first lines show whether commas, semicolons or tabs separate the
 * fields, unless `delimiter` does. With `header: false` the columns are named `column_1`, `column_2` and so on.
 *
 * @throws {FormatError | TableError} at a fault of the text.
 */
export async function addCsv(pieces: AsyncIterable<Uint8Array>, rows: OrderedSink, options: CsvOptions): Promise<void> {
  const scanner = new CsvScanner(options);
  const table = new CsvTable(rows, options.header ?? true);
  for await (const piece of toUtf8(pieces, options.charset)) {
    table.add(scanner, scanner.add(piece));
    if (rows.isFull) break;
  }
  if (!rows.isFull) table.add(scanner, scanner.end());
  table.end();
}

/** Takes the records of a table, the header first if there is one. */
class CsvTable {
  readonly #rows: OrderedSink;
  readonly #hasHeader: boolean;
  readonly #faults = new FaultList();
  /** The first record, which is looked at when there is a second: a table of one line has another fault. */
  #first: readonly string[] | undefined;
  #fieldCount = 0;

  constructor(rows: OrderedSink, hasHeader: boolean) {
    this.#rows = rows;
    this.#hasHeader = hasHeader;
  }

  /**
   * @throws {TableError} at a header that cannot be used, at the tenth faulty record, and at the first row too many.
   */
  add(scanner: CsvScanner, parts: Iterable<Buffer>): void {
    for (const part of parts) for (const record of scanner.parse(part)) this.#addRecord(record);
  }

  /** @throws {TableError} if what was added has no rows, or faults. */
  end(): void {
    if (this.#first === undefined) {
      const message = 'The table is empty. Send a header line and a line for each row.';
      throw new TableError([{ message }]);
    }
    if (this.#fieldCount === 0) throw oneLine(this.#first.length);
    this.#faults.throwIfAny();
  }

  #addRecord({ fields, line }: CsvRecord): void {
    // Blanks of other scripts, and a form feed, make a blank line, too.
    if (fields.length === 1 && fields[0] !== '' && fields[0]?.trim() === '') return;
    if (this.#first === undefined) {
      this.#first = fields;
      if (this.#hasHeader) return;
    }
    if (this.#fieldCount === 0) this.#begin(this.#first);
    // A row of totals may have fewer fields than the others.
    if (fields.length === this.#fieldCount || this.#rows.drops({ line })) {
      this.#rows.add(fields, { line });
      return;
    }
    const first = this.#hasHeader ? 'header' : 'first row';
    const message = `Line ${line} has ${fields.length} fields, the ${first} has ${this.#fieldCount}. Put a field that holds the delimiter in quotes, and leave no field out.`;
    this.#faults.add({ message, line });
  }

  #begin(first: readonly string[]): void {
    this.#rows.begin(this.#hasHeader ? first : first.map((_, index) => `column_${index + 1}`));
    this.#fieldCount = first.length;
  }
}

function oneLine(count: number): TableError {
  const fields = count === 1 ? '1 field' : `${count.toLocaleString('en')} fields`;
  const message = `The table is one line of ${fields}. ${ENDS_REMOVED} Otherwise send a line for each row, below the header.`;
  return new TableError([{ message }]);
}
