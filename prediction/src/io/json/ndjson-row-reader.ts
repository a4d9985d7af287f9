import { isUtf8 } from 'node:buffer';
import { ObjectBlock, type RowBlock } from '../../serving/row-binner.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import { ColumnMapper } from '../../serving/row-keys.js';
import type { RowColumns } from '../../serving/row-server.js';
import type { UnknownName } from '../../serving/row-warnings.js';
import type { RowObject } from '../../table/cells.js';
import { type LineFault, MAX_UNKNOWN_NAMES, type ReadOptions, type RowReader } from '../answer-part.js';
import type { BlockPlace } from '../cells/cell-block.js';
import { CellMemory } from '../cells/cell-memory.js';
import { JsonScanner, type Scan } from './json-scanner.js';
import { LineSplitter, lineValue, TOO_LONG, UnreadableLine } from './lines.js';

/**
 * Reads NDJSON as it arrives: one value a line, in UTF-8, ended by LF or CRLF; the last line needs no end. Skips blank
 * lines, and a byte order mark at the beginning. Holds the current piece and one line.
 */
export class NdjsonRowReader implements RowReader {
  readonly isWhole = false;
  readonly #blocks: RowColumns;
  readonly #refuses: boolean;
  readonly #check: SchemaCheck;
  readonly #keys: ColumnMapper;
  readonly #splitter = new LineSplitter();

  constructor(blocks: RowColumns, { unknown }: ReadOptions, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#refuses = unknown === 'refuse';
    this.#check = check;
    this.#keys = new ColumnMapper(blocks.names);
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<RowBlock | LineFault>> {
    // Where the kernel cannot be had, JavaScript reads all lines.
    const lent = CellMemory.tryAcquire(this.#blocks);
    const scanner = lent && this.#scanner(lent);
    try {
      for await (const piece of body) yield this.#readRegions(this.#splitter.add(piece), scanner);
      yield this.#readRegions(this.#splitter.end(), scanner);
      scanner?.report();
    } finally {
      lent?.release();
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
    const splitter = this.#splitter;
    for (const region of regions) {
      if (region === null) {
        yield { kind: 'fault', line: splitter.count, message: TOO_LONG.message };
      } else if (scanner && isUtf8(region)) {
        splitter.passOver(yield* scanner.read(region, splitter.count));
      } else {
        yield* this.#readObjects(region);
      }
    }
  }

  /** Reads lines in JavaScript. */
  *#readObjects(region: Uint8Array): Generator<RowBlock | LineFault> {
    const { binner, maxRows } = this.#blocks;
    let rows: RowObject[] = [];
    for (const line of this.#splitter.lines(region)) {
      const read = this.#readLine(line, this.#splitter.count);
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

function faultAt(line: number, message: string, unknown?: readonly UnknownName[]): ReadLine {
  return { fault: { kind: 'fault', line, message, ...(unknown && { unknown }) } };
}

/** The content of a line: its values under the model's names, or its fault. */
type ReadLine =
  | { readonly row: RowObject; readonly fault?: never }
  | { readonly row?: never; readonly fault: LineFault };

/** Reads lines of JSON in the kernel, in the same stretch of its memory one after another. */
class LineScanner {
  readonly #lent: CellMemory;
  readonly #check: SchemaCheck;
  readonly #scanner: JsonScanner;
  readonly #readLine: (bytes: Uint8Array, line: number) => ReadLine | undefined;
  readonly #place: BlockPlace;

  /**
   * @param addsUnknown whether unknown names are left to the kernel
   * @param readLine reads a line that the kernel does not, and adds it to the check
   */
  constructor(
    lent: CellMemory,
    blocks: RowColumns,
    check: SchemaCheck,
    addsUnknown: boolean,
    readLine: (bytes: Uint8Array, line: number) => ReadLine | undefined,
  ) {
    this.#lent = lent;
    this.#check = check;
    this.#scanner = new JsonScanner(lent, blocks, check, { areLines: true, addsUnknown });
    this.#readLine = readLine;
    this.#place = this.#scanner.room();
  }

  /**
   * Reads whole lines in UTF-8. A block holds until the next one is asked for.
   *
   * @param linesBefore the number of lines before these
   * @returns the number of lines
   */
  *read(region: Uint8Array, linesBefore: number): Generator<RowBlock | LineFault, number> {
    const start = this.#lent.put([region]);
    const end = start + region.length;
    let lines = 0;
    for (let at = start; ; ) {
      const scan = this.#scanner.scan(at, end, this.#place);
      yield* this.#blocks(scan, linesBefore + lines);
      lines += scan.lineCount;
      at = scan.at;
      if (scan.end === 'done') return lines;
    }
  }

  /** Adds to the check what the kernel counted. Call it once, at the end. */
  report(): void {
    this.#scanner.report();
  }

  *#blocks(scan: Scan, linesBefore: number): Generator<RowBlock | LineFault> {
    let others = new Map<number, RowObject>();
    let begin = 0;
    for (const { index, row, fault } of this.#readOdd(scan, linesBefore)) {
      if (row) {
        others.set(index - begin, row);
        continue;
      }
      // A fault, or blanks that only JavaScript knows.
      yield* this.#block(scan, begin, index, others);
      if (fault) yield fault;
      begin = index + 1;
      others = new Map();
    }
    yield* this.#block(scan, begin, scan.rowCount, others);
  }

  /** Reads the lines that the kernel does not, all at once: their bytes are lost when the memory grows. */
  #readOdd(scan: Scan, linesBefore: number): (Partial<ReadLine> & { readonly index: number })[] {
    const read: (Partial<ReadLine> & { readonly index: number })[] = [];
    let looked = 0;
    for (const { index, line, bytes } of scan.odd) {
      this.#check.skip(index - looked);
      looked = index + 1;
      const found = this.#readLine(bytes, linesBefore + line);
      read.push({ ...found, index });
    }
    this.#check.skip(scan.rowCount - looked);
    return read;
  }

  *#block(scan: Scan, from: number, to: number, others: ReadonlyMap<number, RowObject>): Generator<RowBlock> {
    if (from === to) return;
    yield this.#scanner.block(this.#scanner.placeFrom(scan, from), to - from, others);
  }
}
