import { isUtf8 } from 'node:buffer';
import { MAX_ROW_BYTES } from '../../columns/byte-budget.js';
import { ObjectBlock, type RowBlock } from '../../serving/row-binner.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import { ColumnMapper } from '../../serving/row-keys.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { UnknownName } from '../../serving/row-warnings.js';
import type { RowObject } from '../../table/cells.js';
import { LineSplitter } from '../../table/json/line-splitter.js';
import type { LineFault, RowReader } from '../answer-part.js';
import { type AnswerOptions, MAX_UNKNOWN_NAMES } from '../answer-part.js';
import { CellMemory } from '../cells/cell-memory.js';
import { LineScanner, type ReadLine } from './line-scanner.js';
import { lineValue, TOO_LONG, UnreadableLine } from './line-value.js';

const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Reads NDJSON as it arrives: one value a line, in UTF-8, ended by LF or CRLF; the last line needs no end. Skips blank
 * lines, and a byte order mark at the beginning. Holds the current piece and one line.
 */
export class NdjsonRowReader implements RowReader {
  readonly isWhole = false;
  readonly #blocks: BlockPredictor;
  readonly #refuses: boolean;
  readonly #check: SchemaCheck;
  readonly #keys: ColumnMapper;
  readonly #splitter = new LineSplitter(MAX_ROW_BYTES);
  /** The number of lines before the region at hand. */
  #lines = 0;

  constructor(blocks: BlockPredictor, { unknown }: AnswerOptions, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#refuses = unknown === 'refuse';
    this.#check = check;
    this.#keys = new ColumnMapper(blocks.names);
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<RowBlock | LineFault>> {
    const lent = this.#lend();
    const scanner = lent && this.#scanner(lent);
    try {
      for await (const piece of body) yield this.#readRegions(this.#splitter.read(piece), scanner);
      yield this.#readRegions(this.#splitter.end(), scanner);
      scanner?.tell();
    } finally {
      lent?.giveBack();
    }
  }

  /** Returns nothing where the kernel cannot be had: then JavaScript reads all lines. */
  #lend(): CellMemory | undefined {
    try {
      return CellMemory.lend(this.#blocks);
    } catch {
      return undefined;
    }
  }

  #scanner(lent: CellMemory): LineScanner {
    const read = (bytes: Uint8Array, line: number) => this.#readLine(bytes, line);
    return new LineScanner(lent, this.#blocks, this.#check, !this.#refuses, read);
  }

  *#readRegions(
    regions: Iterable<Uint8Array | null>,
    scanner: LineScanner | undefined,
  ): Generator<RowBlock | LineFault> {
    for (const region of regions) {
      if (region === null) {
        this.#lines++;
        yield { kind: 'fault', line: this.#lines, message: TOO_LONG.message };
        continue;
      }
      const lines = this.#lines === 0 ? withoutMark(region) : region;
      if (scanner && isUtf8(lines)) this.#lines += yield* scanner.read(lines, this.#lines);
      else yield* this.#readObjects(lines);
    }
  }

  /** Reads lines in JavaScript. */
  *#readObjects(region: Uint8Array): Generator<RowBlock | LineFault> {
    const { binner, maxRows } = this.#blocks;
    let rows: RowObject[] = [];
    for (let start = 0; start < region.length; ) {
      if (region[start] === LF) {
        this.#lines++;
        start++;
        continue;
      }
      const found = region.indexOf(LF, start);
      const end = found === -1 ? region.length : found;
      this.#lines++;
      const read = this.#readLine(region.subarray(start, end), this.#lines);
      start = end + 1;
      if (read?.row) rows.push(read.row);
      if (rows.length > 0 && (read?.fault || rows.length === maxRows)) {
        yield new ObjectBlock(rows, binner);
        rows = [];
      }
      if (read?.fault) yield read.fault;
    }
    if (rows.length > 0) yield new ObjectBlock(rows, binner);
  }

  /** Reads a line in JavaScript; undefined, if it is blank. */
  #readLine(bytes: Uint8Array, line: number): ReadLine | undefined {
    const value = lineValue(bytes);
    if (value === undefined) return undefined;
    if (value instanceof UnreadableLine) return faultAt(line, value.message);
    if (this.#refuses && this.#check.unknownIn(value).length > 0) {
      const check = this.#blocks.check();
      check.add([value]);
      const message = 'The line has names that the model does not know';
      return faultAt(line, message, check.unknownNames(MAX_UNKNOWN_NAMES));
    }
    this.#check.add([value]);
    return { row: this.#keys.read([value], 0, 1)[0] ?? {} };
  }
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  const { length } = BYTE_ORDER_MARK;
  return BYTE_ORDER_MARK.equals(bytes.subarray(0, length)) ? bytes.subarray(length) : bytes;
}

function faultAt(line: number, message: string, unknown?: readonly UnknownName[]): ReadLine {
  return { fault: { kind: 'fault', line, message, ...(unknown && { unknown }) } };
}
