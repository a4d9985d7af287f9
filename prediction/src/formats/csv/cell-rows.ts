import type { RowCheck } from '../../row-check/row-check.js';
import type { RowObject } from '../../table/row-object.js';
import type { BlockPredictor } from '../block-predictor.js';
import { CellBinner } from '../cells/cell-binner.js';
import type { CellBlock } from '../cells/cell-block.js';
import { CELL } from '../cells/cell-kind.js';
import { CellMemory } from '../cells/cell-memory.js';
import { CellPlan } from '../cells/cell-plan.js';
import type { RowBlock } from '../row-block.js';
import type { CsvHeader } from './csv-header.js';
import type { ObjectRows } from './object-rows.js';
import type { RecordParser } from './record-parser.js';

/** How a scan of the kernel ended: see `kernel/assembly/csv/records.ts`. */
const [DONE, DECLINED] = [1, 2];

/** The column of a field that is not read. */
const NONE = 0xffff_ffff;

const NO_OTHERS: ReadonlyMap<number, RowObject> = new Map();

/** Reads records as cells, in the kernel. A faulty record, and those behind it, are left to the way of objects. */
export class CellRows {
  readonly #blocks: BlockPredictor;
  readonly #header: CsvHeader;
  readonly #check: RowCheck;
  readonly #objects: ObjectRows;
  readonly #plan: CellPlan;
  /** By field, the column of its cells. */
  readonly #columns: Uint32Array;
  readonly #unknown: readonly string[];
  readonly #hasInput: boolean;

  /** @throws {Error} if the kernel cannot be loaded. */
  constructor(blocks: BlockPredictor, header: CsvHeader, check: RowCheck, objects: ObjectRows) {
    this.#blocks = blocks;
    this.#header = header;
    this.#check = check;
    this.#objects = objects;
    this.#plan = CellPlan.of(blocks);
    const columnOf = new Map(this.#plan.columns.map((name, index) => [name, index]));
    this.#columns = Uint32Array.from(header.names, (name) => columnOf.get(name) ?? NONE);
    const layout = blocks.names.layoutOf(header.emptyRow());
    this.#unknown = layout.unknown;
    this.#hasInput = layout.hasInput;
  }

  /**
   * Yields the rows of whole records. Each block holds until the next one is asked for.
   *
   * @throws {RowsError} at a faulty record.
   */
  *read(parser: RecordParser, bytes: Buffer): Generator<RowBlock> {
    const lent = this.#lend();
    if (lent === undefined) {
      yield* this.#objects.read(parser, bytes);
      return;
    }
    try {
      yield* this.#scan(lent, parser, bytes);
    } finally {
      lent.giveBack();
    }
  }

  /** A memory is lent for one piece, as a body may take its time. */
  #lend(): CellMemory | undefined {
    try {
      return CellMemory.lend(this.#plan);
    } catch {
      return undefined;
    }
  }

  *#scan(lent: CellMemory, parser: RecordParser, bytes: Buffer): Generator<RowBlock> {
    const { memory } = lent;
    const { kernel } = memory;
    const width = this.#plan.columns.length;
    const binner = new CellBinner(lent, this.#plan, this.#blocks, textOf);
    const place = binner.room();
    const fields = memory.allocate(4 * this.#columns.length);
    const start = lent.add([bytes]);
    memory.words.set(this.#columns, fields / 4);
    const end = start + bytes.length;
    const { maxRows } = this.#blocks;
    let rows = 0;
    for (let at = start, code = -1; code !== DONE; ) {
      const ofScan = [at, end, parser.delimiter, fields, this.#columns.length] as const;
      code = kernel.scanRecords(...ofScan, place.cells, width, maxRows);
      const state = kernel.recordStateAddress() / 4;
      const [next = 0, count = 0, lines = 0] = memory.words.subarray(state, state + 3);
      at = next;
      parser.passOver(lines);
      if (count > 0) yield this.#block(binner, place, count);
      rows += count;
      if (code === DECLINED) {
        yield* this.#objects.read(parser, bytes.subarray(at - start));
        break;
      }
      memory.bytes.fill(0, place.cells, place.cells + count * width * CELL);
      memory.bytes.fill(0, place.isPartial, place.isPartial + count);
    }
    binner.tell(this.#check);
    this.#count(rows);
  }

  #block(binner: CellBinner, place: Parameters<CellBinner['block']>[0], count: number): CellBlock {
    return binner.block(place, count, NO_OTHERS);
  }

  /** Counts rows that have the names of the header. Their values were counted by the kernel. */
  #count(rows: number): void {
    if (rows === 0) return;
    this.#check.add([this.#header.emptyRow()]);
    this.#check.skip(rows - 1);
    for (const name of this.#unknown) this.#check.addUnknown(name, rows - 1);
    if (!this.#hasInput) this.#check.addWithoutColumn(rows - 1);
  }
}

/** Returns the text of a field, given the bytes within its quotes. */
function textOf(bytes: Buffer): string {
  return bytes.toString().replaceAll('""', '"');
}
