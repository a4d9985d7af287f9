import { isUtf8 } from 'node:buffer';
import type { RowWarnings } from '../../row-check/row-warnings.js';
import { columnName } from '../../table/column-names.js';
import { CsvOpeningReader, type CsvOptions } from '../../table/csv/csv-opening.js';
import { QUOTING } from '../../table/csv/csv-record-limit.js';
import type { RowObject } from '../../table/row-object.js';
import { quote } from '../../table/table-error.js';
import { type AnswerOptions, RowsError, UnknownNamesError } from '../answer-part.js';
import type { BlockPredictor } from '../block-predictor.js';
import type { RowReader } from '../formats.js';
import { ObjectBlock } from '../row-block.js';
import { type CsvRecord, RecordParser } from './record-parser.js';
import { WholeRecords } from './whole-records.js';

/** The most bytes of a record; what is longer has a quote that is not closed. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** Bytes that are read together, so that a large piece of the body keeps nobody waiting. */
const SLICE = 64 * 1024;

/** Unknown names that a refusal lists at most. */
const MAX_NAMES = 21;

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
  readonly #check;
  readonly #whole = new WholeRecords();
  /** Undefined until the header has been read. */
  #maker: RowMaker | undefined;

  constructor(blocks: BlockPredictor, { unknown, csv = {} }: AnswerOptions) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#options = csv;
    this.#check = blocks.check();
    if (csv.header === false) this.#maker = new RowMaker(blocks.names.inputs);
  }

  /**
   * Yields the rows of each piece of the body.
   *
   * @throws {RowsError} at text that is no CSV in UTF-8, a record of more than 1 MiB or 10,000 fields, a header with
   *   a doubled name, and a row that is longer than the header
   * @throws {UnknownNamesError} if the header has unknown names that are to be refused
   */
  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<ObjectBlock>> {
    const opening = new CsvOpeningReader(this.#options);
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
    if (this.#maker === undefined) {
      throw new RowsError('The body is empty. Send a header line and a line for each row.');
    }
  }

  warnings(most: number): RowWarnings {
    return this.#check.warnings(most);
  }

  *#blocksIn(parser: RecordParser, piece: Uint8Array): Generator<ObjectBlock> {
    for (let start = 0; start < piece.length; start += SLICE) {
      yield* this.#blocksOf(parser, this.#whole.add(piece.subarray(start, start + SLICE)));
      if (this.#whole.pending > MAX_RECORD_BYTES) throw tooLong(parser.line);
    }
  }

  *#blocksOf(parser: RecordParser, bytes: Buffer): Generator<ObjectBlock> {
    if (bytes.length === 0) return;
    checkText(bytes, parser.line);
    const { binner, maxRows } = this.#blocks;
    let rows: RowObject[] = [];
    for (const record of parser.parse(bytes.toString())) {
      if (this.#maker === undefined) {
        this.#maker = this.#header(record);
        continue;
      }
      rows.push(this.#maker.row(record));
      if (rows.length < maxRows) continue;
      this.#check.add(rows);
      yield new ObjectBlock(rows, binner);
      rows = [];
    }
    if (rows.length === 0) return;
    this.#check.add(rows);
    yield new ObjectBlock(rows, binner);
  }

  #header({ fields, line }: CsvRecord): RowMaker {
    const names = fields.map(columnName);
    const seen = new Set<string>();
    for (const name of names) {
      if (name !== '' && seen.has(name)) {
        throw new RowsError(
          `The header on line ${line} names two columns ${quote(name)}. Give each column a name of its own.`,
        );
      }
      seen.add(name);
    }
    const maker = new RowMaker(names);
    if (this.#unknown === 'refuse') {
      const check = this.#blocks.check();
      check.add([maker.row({ fields: [], line })]);
      const unknown = check.unknownNames(MAX_NAMES);
      if (unknown.length > 0) throw new UnknownNamesError(unknown);
    }
    return maker;
  }
}

function parserOf(opening: ReturnType<CsvOpeningReader['end']>): RecordParser {
  if ('fault' in opening) throw new RowsError(opening.fault);
  return new RecordParser(opening.delimiter);
}

function withoutBom(bytes: Uint8Array): Uint8Array {
  return BOM.every((byte, index) => bytes[index] === byte) ? bytes.subarray(BOM.length) : bytes;
}

/** Makes rows of records. */
class RowMaker {
  readonly #names: readonly string[];
  readonly #isPlain: boolean;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#isPlain = !names.includes('__proto__');
  }

  /** @throws {RowsError} if the record has more fields than there are names. */
  row({ fields, line }: CsvRecord): RowObject {
    const names = this.#names;
    if (fields.length > names.length) throw longRow(line, fields.length, names.length);
    // Without a prototype, `__proto__` is a key as any other; objects with one are read faster.
    const row: Record<string, unknown> = this.#isPlain ? {} : Object.create(null);
    for (let index = 0; index < names.length; index++) {
      row[names[index] ?? ''] = fields[index] || null;
    }
    return row;
  }
}

/** @param line on which the bytes begin. */
function checkText(bytes: Buffer, line: number): void {
  const at = bytes.indexOf(0);
  if (at >= 0) {
    throw new RowsError(
      `Line ${line + lineEndsIn(bytes.subarray(0, at))} has the character U+0000 in it. Remove it.`,
    );
  }
  if (isUtf8(bytes)) return;
  let start = 0;
  for (let end = 0; isUtf8(bytes.subarray(start, end)); ) {
    start = end;
    end = bytes.indexOf('\n', start) + 1 || bytes.length;
  }
  const place = line + lineEndsIn(bytes.subarray(0, start));
  throw new RowsError(
    `Line ${place} is not UTF-8 text. Save the rows as "CSV UTF-8" and send them again.`,
  );
}

function lineEndsIn(bytes: Buffer): number {
  return bytes.toString('latin1').match(/\r\n|\n|\r/g)?.length ?? 0;
}

function longRow(line: number, fields: number, names: number): RowsError {
  return new RowsError(
    `The row that begins on line ${line} has ${fields} fields, and there are ${names} columns. Put a field that holds the delimiter in quotes.`,
  );
}

function tooLong(line: number): RowsError {
  const broken = `The row that begins on line ${line} is longer than 1 MiB; perhaps a quote in it is not closed.`;
  return new RowsError(`${broken} ${QUOTING}`);
}
