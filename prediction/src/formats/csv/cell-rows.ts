import type { RowBlock } from '../../serving/row-binner.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { RowObject } from '../../table/cells.js';
import { CellBinner } from '../cells/cell-binner.js';
import type { BlockPlace } from '../cells/cell-block.js';
import { CellMemory } from '../cells/cell-memory.js';
import type { CsvHeader } from './csv-header.js';
import type { ObjectRows } from './object-rows.js';
import type { RecordParser } from './record-parser.js';

/** The end of a scan by the kernel: see `kernel/assembly/csv/records.ts`. */
const [DONE, DECLINED] = [1, 2];

/** The column of a field that is not read. */
const NONE = 0xffff_ffff;

/** Bytes of a stretch of the memory to begin with, and zeros behind what is in it. */
const ROOM = 128 * 1024;
const PADDING = 64;

/** Bodies may take their time, and a process has addresses for a few hundred memories only. */
const MAX_HELD = 16;
let held = 0;

const NO_OTHERS: ReadonlyMap<number, RowObject> = new Map();

/** The memory that is lent for one body, and what is where in it. */
interface Layout {
  readonly lent: CellMemory;
  readonly binner: CellBinner;
  readonly place: BlockPlace;
  /** The number of cells of a row. */
  readonly width: number;
  /** By field, the column of its cells. */
  readonly columns: number;
}

/**
 * Reads records as cells, in the kernel. A faulty record, and those behind it, are left to the way of objects. Close it
 * when all is read, or nothing more is to be.
 */
export class CellRows {
  readonly #blocks: BlockPredictor;
  readonly #header: CsvHeader;
  readonly #check: SchemaCheck;
  readonly #objects: ObjectRows;
  readonly #layout: Layout;
  #room = { start: 0, size: 0 };
  #rows = 0;

  /** Returns nothing if many bodies are read so already, or the kernel cannot be loaded. */
  static open(
    blocks: BlockPredictor,
    header: CsvHeader,
    check: SchemaCheck,
    objects: ObjectRows,
  ): CellRows | undefined {
    if (held >= MAX_HELD) return undefined;
    try {
      return new CellRows(blocks, header, check, objects);
    } catch {
      return undefined;
    }
  }

  private constructor(
    blocks: BlockPredictor,
    header: CsvHeader,
    check: SchemaCheck,
    objects: ObjectRows,
  ) {
    this.#blocks = blocks;
    this.#header = header;
    this.#check = check;
    this.#objects = objects;
    this.#layout = layOut(blocks, header);
    held++;
  }

  /**
   * Yields the rows of whole records. Each block holds until the next one is asked for.
   *
   * @throws {RowsError} at a faulty record.
   */
  *read(parser: RecordParser, bytes: Buffer): Generator<RowBlock> {
    const { lent, binner, place, columns } = this.#layout;
    const { maxRows } = this.#blocks;
    const { kernel } = lent.memory;
    const start = this.#put(bytes);
    const end = start + bytes.length;
    const width = this.#layout.width;
    const fields = this.#header.names.length;
    for (let at = start, code = -1; code !== DONE; ) {
      const { memory } = lent;
      binner.clear(place, end - at);
      const ofScan = [at, end, parser.delimiter, columns, fields] as const;
      code = kernel.scanRecords(...ofScan, place.cells, width, maxRows);
      const state = kernel.recordStateAddress() / 4;
      const [next = 0, count = 0, lines = 0] = memory.words.subarray(state, state + 3);
      at = next;
      parser.passOver(lines);
      this.#rows += count;
      if (count > 0) yield binner.block(place, count, NO_OTHERS);
      if (code === DECLINED) {
        yield* this.#objects.read(parser, bytes.subarray(at - start));
        return;
      }
    }
  }

  /** Tells the check what was counted, and gives the memory back. */
  close(): void {
    const { lent, binner } = this.#layout;
    binner.tell(this.#check);
    this.#count(this.#rows);
    lent.giveBack();
    held--;
  }

  /** Puts bytes into the memory, with zeros behind them. */
  #put(bytes: Buffer): number {
    const { memory } = this.#layout.lent;
    const needed = bytes.length + PADDING;
    if (needed > this.#room.size) {
      const size = Math.max(needed, 2 * this.#room.size, ROOM);
      this.#room = { start: memory.allocate(size), size };
    }
    const { start } = this.#room;
    memory.bytes.set(bytes, start);
    memory.bytes.fill(0, start + bytes.length, start + needed);
    return start;
  }

  /** Counts rows that have the names of the header. Their values were counted by the kernel. */
  #count(rows: number): void {
    if (rows === 0) return;
    const empty = this.#header.emptyRow();
    const { unknown, hasInput } = this.#blocks.names.layoutOf(empty);
    this.#check.add([empty]);
    this.#check.skip(rows - 1);
    for (const name of unknown) this.#check.addUnknown(name, rows - 1);
    if (!hasInput) this.#check.addWithoutColumn(rows - 1);
  }
}

/** @throws {Error} if the kernel cannot be loaded. */
function layOut(blocks: BlockPredictor, { names }: CsvHeader): Layout {
  const lent = CellMemory.lend(blocks);
  const { memory, plan } = lent;
  const columnOf = new Map(plan.columns.map((name, index) => [name, index]));
  const binner = new CellBinner(lent, blocks, textOf);
  const place = binner.room();
  const columns = memory.allocate(4 * names.length);
  for (const [field, name] of names.entries()) {
    memory.words[columns / 4 + field] = columnOf.get(name) ?? NONE;
  }
  return { lent, binner, place, width: plan.columns.length, columns };
}

/** Returns the text of a field, given the bytes within its quotes. */
function textOf(bytes: Buffer): string {
  return bytes.toString().replaceAll('""', '"');
}
