import { ObjectBlock } from '../../serving/row-binner.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { RowObject } from '../../table/cells.js';
import type { CsvHeader } from './csv-header.js';
import type { RecordParser } from './record-parser.js';

/** Reads records as objects, in plain TypeScript. */
export class ObjectRows {
  readonly #blocks: BlockPredictor;
  readonly #header: CsvHeader;
  readonly #check: SchemaCheck;

  constructor(blocks: BlockPredictor, header: CsvHeader, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#header = header;
    this.#check = check;
  }

  /**
   * Yields the rows of whole records.
   *
   * @throws {RowsError} at a faulty record.
   */
  *read(parser: RecordParser, bytes: Buffer): Generator<ObjectBlock> {
    const { maxRows, binner } = this.#blocks;
    let rows: RowObject[] = [];
    for (const record of parser.parse(bytes.toString())) {
      rows.push(this.#header.row(record));
      if (rows.length < maxRows) continue;
      this.#check.add(rows);
      yield new ObjectBlock(rows, binner);
      rows = [];
    }
    if (rows.length === 0) return;
    this.#check.add(rows);
    yield new ObjectBlock(rows, binner);
  }
}
