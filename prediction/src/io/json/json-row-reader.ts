import { isUtf8 } from 'node:buffer';
import type { RowColumns } from '../../rows/blocks.js';
import type { SchemaCheck } from '../../rows/row-check.js';
import { skipBlanks } from '../../text/json.js';
import { DeclinedError, type ReadOptions, type RowReader, refuseUnknown } from '../answer-part.js';
import type { CellBlock } from '../cells/cell-block.js';
import { CellMemory } from '../cells/cell-memory.js';
import { MAX_HELD_BYTES } from '../columns/byte-budget.js';
import { JsonScanner, type Scan } from './json-scanner.js';

/** Larger bodies are left to the reader of objects, which reports what is too large. */
const MAX_ROWS = 100_000;
const MAX_VALUES = 5_000_000;

/** Cells may take this much, or this many times the bytes of the body. */
const MIN_CELL_BYTES = 8 * 1024 * 1024;
const MAX_CELL_SHARE = 8;

/**
 * Reads an array of rows, or one under `data`, in the kernel. For fewer than some thirty rows, to prepare it takes
 * longer than the way of objects, `Predictor.answer`, does in all.
 */
export class JsonRowReader implements RowReader {
  readonly isWhole = true;
  /** Known once all of the body is read. */
  rowCount: number | undefined;
  readonly #blocks: RowColumns;
  readonly #unknown: ReadOptions['unknown'];
  readonly #check: SchemaCheck;

  constructor(blocks: RowColumns, { unknown }: ReadOptions, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#check = check;
  }

  /** @throws {DeclinedError} as it says */
  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<CellBlock>> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length > MAX_HELD_BYTES) throw new DeclinedError();
    const lent = CellMemory.tryAcquire(this.#blocks);
    if (!lent) throw new DeclinedError();
    try {
      const blocks = this.#readRows(lent, pieces, length);
      if (this.#unknown === 'refuse') refuseUnknown(this.#check);
      this.rowCount = blocks.reduce((sum, { rowCount }) => sum + rowCount, 0);
      yield blocks;
    } finally {
      lent.release();
    }
  }

  #readRows(lent: CellMemory, pieces: readonly Uint8Array[], length: number): CellBlock[] {
    const start = lent.put(pieces);
    const body = Buffer.from(lent.memory.bytes.buffer, start, length);
    const frame = isUtf8(body) ? bodyFrame(body) : undefined;
    if (frame === undefined) throw new DeclinedError();
    if (frame.isEmpty) return [];
    const scanner = new JsonScanner(lent, this.#blocks, this.#check, { areLines: false, addsUnknown: true });
    const blocks = this.#scanRows(scanner, lent, frame, start, length);
    scanner.report();
    return blocks;
  }

  #scanRows(scanner: JsonScanner, lent: CellMemory, frame: BodyFrame, start: number, length: number): CellBlock[] {
    const blocks: CellBlock[] = [];
    const mostBytes = Math.max(MIN_CELL_BYTES, MAX_CELL_SHARE * length);
    const end = start + length;
    let at = start + frame.rowsAt;
    for (let rows = 0, bytes = 0; ; bytes += scanner.blockBytes) {
      const scan = scanner.scan(at, end, scanner.room());
      rows += scan.rowCount;
      const isTooLarge = rows > MAX_ROWS || scanner.values > MAX_VALUES || bytes > mostBytes;
      if (scan.end === 'declined' || isTooLarge) throw new DeclinedError();
      this.#addSlowRows(scanner, scan);
      blocks.push(scanner.block(scan.place, scan.rowCount));
      at = scan.at;
      if (scan.end === 'done') break;
    }
    const tail = Buffer.from(lent.memory.bytes.buffer, at, end - at);
    if (!frame.endsWith(tail)) throw new DeclinedError();
    return blocks;
  }

  /** Adds the rows that the kernel does not read. All are parsed at once: their bytes are lost when the memory grows. */
  #addSlowRows(scanner: JsonScanner, scan: Scan): void {
    const rows = scan.slowRows.map(({ index, bytes }) => ({ index, value: JSON.parse(bytes.toString()) as unknown }));
    let looked = 0;
    for (const { index, value } of rows) {
      this.#check.skip(index - looked);
      this.#check.addNames(value);
      scanner.setRow(scan, index, value);
      looked = index + 1;
    }
    this.#check.skip(scan.rowCount - looked);
  }
}

/** The text around the rows of a body. */
interface BodyFrame {
  /** The place where the first row begins. */
  readonly rowsAt: number;
  /** True if the array has no rows. */
  readonly isEmpty: boolean;
  /** Returns whether the body may end so, behind the array of rows. */
  readonly endsWith: (tail: Buffer) => boolean;
}

/** Bytes that are looked at for the beginning of the rows. */
const MAX_HEAD = 256;

/** More is left to the way of objects. */
const MAX_TAIL = 16 * 1024;
const MAX_PARTS = 50;
const MAX_PARAMS = 1000;

const HEAD = /^\s*(?:(\[)|\{\s*"data"\s*:\s*\[)(\s*\])?/;

/** Returns the frame of a body that is an array, or an object that begins with one as `data`; undefined for any other. */
function bodyFrame(body: Buffer): BodyFrame | undefined {
  const [head, bare, close] = HEAD.exec(body.toString('latin1', 0, MAX_HEAD)) ?? [];
  // Other blanks than JSON's are none.
  if (head === undefined || /[^\x20-\x7e\t\n\r]/.test(head)) return undefined;
  const endsWith = bare === undefined ? endsObject : isBlank;
  const isEmpty = close !== undefined;
  if (isEmpty && !endsWith(body.subarray(head.length))) return undefined;
  return { rowsAt: head.length, isEmpty, endsWith };
}

function isBlank(tail: Buffer): boolean {
  return tail.length <= MAX_TAIL && skipBlanks(tail, 0, tail.length) === tail.length;
}

/** Returns whether the object ends, with at most `params` behind its rows. */
function endsObject(tail: Buffer): boolean {
  if (tail.length > MAX_TAIL) return false;
  const text = tail.toString();
  if (text.split(/[[{]/).length > MAX_PARTS) return false;
  try {
    const members: unknown = JSON.parse(`{"params":null${text}`);
    return isParams(members);
  } catch {
    return false;
  }
}

function isParams(members: unknown): boolean {
  if (typeof members !== 'object' || members === null || !('params' in members)) return false;
  const { params, ...others } = members;
  if (Object.keys(others).length > 0 || typeof params !== 'object') return false;
  return params === null || (!Array.isArray(params) && Object.keys(params).length <= MAX_PARAMS);
}
