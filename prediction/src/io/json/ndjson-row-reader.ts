import { isUtf8 } from 'node:buffer';
import type { RowColumns } from '../../rows/blocks.js';
import { ObjectBlock, type RowBlock } from '../../rows/row-binner.js';
import type { SchemaCheck } from '../../rows/row-check.js';
import { ColumnMapper } from '../../rows/row-keys.js';
import type { UnknownName } from '../../rows/row-warnings.js';
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
      if (read && !read.fault) {
        this.#check.add([read.value]);
        rows.push(this.#keys.read([read.value], 0, 1)[0] ?? {});
      }
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
    return { value };
  }
}

function faultAt(line: number, message: string, unknown?: readonly UnknownName[]): ReadLine {
  return { fault: { kind: 'fault', line, message, ...(unknown && { unknown }) } };
}

/** The content of a line: its value, or its fault. */
type ReadLine = { readonly value: unknown; readonly fault?: never } | { readonly fault: LineFault };

/** Reads lines of JSON in the kernel, in the same stretch of its memory one after another. */
class LineScanner {
  readonly #lent: CellMemory;
  readonly #check: SchemaCheck;
  readonly #scanner: JsonScanner;
  readonly #readLine: (bytes: Uint8Array, line: number) => ReadLine | undefined;
  readonly #place: BlockPlace;

  /**
   * @param addsUnknown whether unknown names are left to the kernel
   * @param readLine reads a line that the kernel does not
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
    let begin = 0;
    for (const { index, fault } of this.#addSlowRows(scan, linesBefore)) {
      yield* this.#block(scan, begin, index);
      if (fault) yield fault;
      begin = index + 1;
    }
    yield* this.#block(scan, begin, scan.rowCount);
  }

  /**
   * Adds the lines that the kernel does not read. All are parsed at once: their bytes are lost when the memory grows.
   * Returns those that are no rows: a fault, or blanks that only JavaScript knows.
   */
  #addSlowRows(scan: Scan, linesBefore: number): { readonly index: number; readonly fault: LineFault | undefined }[] {
    const read = scan.slowRows.map(({ index, line, bytes }) => ({
      index,
      line: this.#readLine(bytes, linesBefore + line),
    }));
    const without: { readonly index: number; readonly fault: LineFault | undefined }[] = [];
    let looked = 0;
    for (const { index, line } of read) {
      this.#check.skip(index - looked);
      looked = index + 1;
      if (line === undefined || line.fault) {
        without.push({ index, fault: line?.fault });
        continue;
      }
      this.#check.addNames(line.value);
      this.#scanner.setRow(scan, index, line.value);
    }
    this.#check.skip(scan.rowCount - looked);
    return without;
  }

  *#block(scan: Scan, from: number, to: number): Generator<RowBlock> {
    if (from < to) yield this.#scanner.block(this.#scanner.placeFrom(scan, from), to - from);
  }
}
