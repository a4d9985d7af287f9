import { MAX_ROW_BYTES } from '../../columns/byte-budget.js';
import type { RowBlock } from '../../serving/row-binner.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import { CsvOpeningReader, type CsvOptions } from '../../table/csv/csv-opening.js';
import { QUOTING } from '../../table/csv/csv-record-limit.js';
import type { RowReader } from '../answer-part.js';
import { type AnswerOptions, RowsError } from '../answer-part.js';
import { CellRows } from './cell-rows.js';
import { CsvHeader } from './csv-header.js';
import { checkText } from './csv-text.js';
import { ObjectRows } from './object-rows.js';
import { RecordParser } from './record-parser.js';
import { WholeRecords } from './whole-records.js';

/** Bytes that are read together, so that a large piece of the body keeps nobody waiting. */
const SLICE = 64 * 1024;

const BOM = [0xef, 0xbb, 0xbf];

/**
 * Reads rows of CSV as they arrive. The first line has the names of the columns, in any order; without it (`header:
 * false`) the fields are the model's input columns in their order. A cell is the text of its field, an empty one is
 * missing, and so are the cells that a row is short of.
 */
export class CsvRowReader implements RowReader {
  readonly isWhole = false;
  readonly #blocks: BlockPredictor;
  readonly #unknown: AnswerOptions['unknown'];
  readonly #options: CsvOptions;
  readonly #check: SchemaCheck;
  readonly #whole = new WholeRecords();
  /** Undefined until the header has been read. */
  #rows: ObjectRows | CellRows | undefined;

  constructor(blocks: BlockPredictor, { unknown, csv = {} }: AnswerOptions, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#options = csv;
    this.#check = check;
  }

  /**
   * Yields the rows of each piece of the body.
   *
   * @throws {RowsError} at text that is no CSV in UTF-8, a record of more than 1 MiB or 10,000 fields, a header with
   *   a doubled name, and a row that is longer than the header
   * @throws {UnknownNamesError} if the header has unknown names that are to be refused
   */
  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<RowBlock>> {
    try {
      yield* this.#pieces(body);
    } finally {
      if (this.#rows instanceof CellRows) this.#rows.close();
    }
  }

  async *#pieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<RowBlock>> {
    const opening = new CsvOpeningReader(this.#options);
    if (this.#options.header === false) {
      this.#begin(new CsvHeader(this.#blocks.names.inputs));
    }
    let parser: RecordParser | undefined;
    for await (const piece of body) {
      if (parser !== undefined) {
        yield this.#blocksIn(parser, piece);
        continue;
      }
      const told = opening.add(piece);
      if (told === undefined) continue;
      parser = parserOf(told);
      yield this.#blocksIn(parser, withoutBom(opening.gathered));
    }
    if (parser === undefined) {
      parser = parserOf(opening.end());
      yield this.#blocksIn(parser, withoutBom(opening.gathered));
    }
    yield this.#blocksOf(parser, this.#whole.end());
    if (this.#rows === undefined) {
      throw new RowsError('The body is empty. Send a header line and a line for each row.');
    }
  }

  *#blocksIn(parser: RecordParser, piece: Uint8Array): Generator<RowBlock> {
    for (let start = 0; start < piece.length; start += SLICE) {
      yield* this.#blocksOf(parser, this.#whole.add(piece.subarray(start, start + SLICE)));
      if (this.#whole.pending > MAX_ROW_BYTES) throw tooLong(parser.line);
    }
  }

  *#blocksOf(parser: RecordParser, bytes: Buffer): Generator<RowBlock> {
    if (bytes.length === 0) return;
    checkText(bytes, parser.line);
    const rest = this.#rows === undefined ? this.#readHeader(parser, bytes) : bytes;
    if (this.#rows !== undefined && rest.length > 0) yield* this.#rows.read(parser, rest);
  }

  /** Reads the first record, if there is one, and returns the bytes behind it. */
  #readHeader(parser: RecordParser, bytes: Buffer): Buffer {
    const text = bytes.toString();
    const [record] = parser.parse(text);
    if (record === undefined) return bytes.subarray(bytes.length);
    const header = CsvHeader.of(record);
    if (this.#unknown === 'refuse') header.refuseUnknown(this.#blocks.check());
    this.#begin(header);
    return bytes.subarray(Buffer.byteLength(text.slice(0, parser.at)));
  }

  #begin(header: CsvHeader): void {
    const objects = new ObjectRows(this.#blocks, header, this.#check);
    this.#rows = CellRows.open(this.#blocks, header, this.#check, objects) ?? objects;
  }
}

function parserOf(opening: ReturnType<CsvOpeningReader['end']>): RecordParser {
  if ('fault' in opening) throw new RowsError(opening.fault);
  return new RecordParser(opening.delimiter);
}

function withoutBom(bytes: Uint8Array): Uint8Array {
  return BOM.every((byte, index) => bytes[index] === byte) ? bytes.subarray(BOM.length) : bytes;
}

function tooLong(line: number): RowsError {
  const broken = `The row that begins on line ${line} is longer than 1 MiB; perhaps a quote in it is not closed.`;
  return new RowsError(`${broken} ${QUOTING}`);
}
