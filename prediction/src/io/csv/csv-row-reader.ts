import type { RowCheck } from '../../row-check/row-check.js';
import type { RowBlock } from '../../serving/row-binner.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { AnswerOptions, RowReader } from '../answer-part.js';
import { FormatError } from '../columns/format-error.js';
import { CellRows } from './cell-rows.js';
import { CsvScanner } from './csv-scanner.js';
import { CsvHeader, ObjectRows } from './object-rows.js';

/**
 * Reads rows of CSV as they arrive. The first line has the names of the columns, in any order; without it (`header:
 * false`) the fields are the model's input columns in their order. A cell is the text of its field, an empty one is
 * missing, and so are the cells that a row is short of.
 */
export class CsvRowReader implements RowReader {
  readonly isWhole = false;
  readonly #blocks: BlockPredictor;
  readonly #unknown: AnswerOptions['unknown'];
  readonly #check: RowCheck;
  readonly #scanner: CsvScanner;
  /** Undefined until the header has been read. */
  #rows: ObjectRows | CellRows | undefined;

  constructor(blocks: BlockPredictor, { unknown, csv = {} }: AnswerOptions, check: RowCheck) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#check = check;
    this.#scanner = new CsvScanner(csv);
    if (csv.header === false) this.#begin(new CsvHeader(blocks.names.inputs));
  }

  /**
   * Yields the rows of each piece of the body.
   *
   * @throws {FormatError} as `CsvScanner` does, and at a header with a doubled name, and a row that is longer than it
   * @throws {UnknownNamesError} if the header has unknown names that are to be refused
   */
  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<RowBlock>> {
    try {
      for await (const piece of body) yield this.#readRecords(this.#scanner.add(piece));
      yield this.#readRecords(this.#scanner.end());
      if (this.#rows === undefined) {
        throw new FormatError('The body is empty. Send a header line and a line for each row.');
      }
    } finally {
      if (this.#rows instanceof CellRows) this.#rows.close();
    }
  }

  *#readRecords(parts: Iterable<Buffer>): Generator<RowBlock> {
    for (const records of parts) {
      const rest = this.#rows === undefined ? this.#readHeader(records) : records;
      if (this.#rows !== undefined && rest.length > 0) yield* this.#rows.read(this.#scanner, rest);
    }
  }

  /** Reads the first record, if there is one, and returns the bytes behind it. */
  #readHeader(bytes: Buffer): Buffer {
    const [record] = this.#scanner.parse(bytes);
    if (record === undefined) return bytes.subarray(bytes.length);
    const header = CsvHeader.of(record);
    if (this.#unknown === 'refuse') header.refuseUnknown(this.#blocks.check());
    this.#begin(header);
    return bytes.subarray(Buffer.byteLength(bytes.toString().slice(0, this.#scanner.at)));
  }

  #begin(header: CsvHeader): void {
    const objects = new ObjectRows(this.#blocks, header, this.#check);
    this.#rows = CellRows.open(this.#blocks, header, this.#check, objects) ?? objects;
  }
}
