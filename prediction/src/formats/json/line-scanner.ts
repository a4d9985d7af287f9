import type { RowBlock } from '../../serving/row-binner.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { RowObject } from '../../table/cells.js';
import type { LineFault } from '../answer-part.js';
import type { BlockPlace } from '../cells/cell-block.js';
import type { CellMemory } from '../cells/cell-memory.js';
import { JsonScanner, type Scan } from './json-scanner.js';

/** The content of a line: its values under the model's names, or its fault. */
export type ReadLine =
  | { readonly row: RowObject; readonly fault?: never }
  | { readonly row?: never; readonly fault: LineFault };

/** Room for the bytes of lines, to begin with. */
const ROOM = 64 * 1024;

/** Reads lines of JSON in the kernel, in the same stretch of its memory one after another. */
export class LineScanner {
  readonly #lent: CellMemory;
  readonly #check: SchemaCheck;
  readonly #scanner: JsonScanner;
  readonly #readLine: (bytes: Uint8Array, line: number) => ReadLine | undefined;
  readonly #place: BlockPlace;
  #text: number;
  #length = ROOM;

  /**
   * @param addsUnknown whether unknown names are left to the kernel
   * @param readLine reads a line that the kernel does not, and adds it to the check
   */
  constructor(
    lent: CellMemory,
    blocks: BlockPredictor,
    check: SchemaCheck,
    addsUnknown: boolean,
    readLine: (bytes: Uint8Array, line: number) => ReadLine | undefined,
  ) {
    this.#lent = lent;
    this.#check = check;
    this.#scanner = new JsonScanner(lent, blocks, check, { areLines: true, addsUnknown });
    this.#readLine = readLine;
    this.#place = this.#scanner.room();
    this.#text = lent.room(ROOM);
  }

  /**
   * Reads whole lines in UTF-8. A block holds until the next one is asked for.
   *
   * @param linesBefore the number of lines before these
   * @returns the number of lines
   */
  *read(region: Uint8Array, linesBefore: number): Generator<RowBlock | LineFault, number> {
    if (region.length > this.#length) {
      this.#length = 2 * region.length;
      this.#text = this.#lent.room(this.#length);
    }
    const end = this.#lent.put(this.#text, region);
    let lines = 0;
    for (let at = this.#text; ; ) {
      const scan = this.#scanner.scan(at, end, this.#place);
      yield* this.#blocks(scan, linesBefore + lines);
      lines += scan.lineCount;
      at = scan.at;
      if (scan.end === 'done') return lines;
    }
  }

  /** Adds to the check what the kernel counted. Call it once, at the end. */
  tell(): void {
    this.#scanner.tell();
  }

  *#blocks(scan: Scan, linesBefore: number): Generator<RowBlock | LineFault> {
    let others = new Map<number, RowObject>();
    let begin = 0;
    for (const { index, row, fault } of this.#readOdd(scan, linesBefore)) {
      if (row) others.set(index - begin, row);
      if (!fault) continue;
      yield* this.#block(scan, begin, index, others);
      yield fault;
      begin = index + 1;
      others = new Map();
    }
    yield* this.#block(scan, begin, scan.rowCount, others);
  }

  /** Reads the lines that the kernel does not, all at once: their bytes are lost when the memory grows. */
  #readOdd(scan: Scan, linesBefore: number): (ReadLine & { readonly index: number })[] {
    const read: (ReadLine & { readonly index: number })[] = [];
    let looked = 0;
    for (const { index, line, bytes } of scan.odd) {
      this.#check.skip(index - looked);
      looked = index + 1;
      const found = this.#readLine(bytes, linesBefore + line);
      if (found) read.push({ ...found, index });
    }
    this.#check.skip(scan.rowCount - looked);
    return read;
  }

  *#block(
    scan: Scan,
    from: number,
    to: number,
    others: ReadonlyMap<number, RowObject>,
  ): Generator<RowBlock> {
    if (from === to) return;
    yield this.#scanner.block(this.#scanner.placeFrom(scan, from), to - from, others);
  }
}
