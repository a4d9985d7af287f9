import type { RowCheck } from '../../row-check/row-check.js';
import { KeyReader } from '../../row-check/row-keys.js';
import type { RowObject } from '../../table/row-object.js';
import type { BlockPredictor } from '../block-predictor.js';
import { CellBinner } from '../cells/cell-binner.js';
import type { BlockPlace, CellBlock } from '../cells/cell-block.js';
import { CELL } from '../cells/cell-kind.js';
import type { CellMemory } from '../cells/cell-memory.js';
import type { CellPlan } from '../cells/cell-plan.js';
import { KeyTable } from './key-table.js';

/** How a scan of the kernel ended: see `kernel/assembly/json/rows.ts`. */
const ENDS = ['full', 'done', 'declined', 'new-keys'] as const;

/** Bytes that tell of a row: the addresses of its beginning and end, whether it is odd, and its line. */
const ROW = 16;

/** A row that the kernel leaves to JavaScript. */
export interface OddRow {
  /** The index in the block. */
  readonly index: number;
  /** Its line among those of the scan, from 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

/** The rows of one scan. */
export interface Scan {
  readonly end: (typeof ENDS)[number];
  /** The address behind what was scanned. */
  readonly at: number;
  readonly rowCount: number;
  readonly lineCount: number;
  readonly odd: readonly OddRow[];
  readonly place: BlockPlace;
}

/** Reads rows of JSON in the kernel, block by block, and counts what the model does not know in them. */
export class JsonScanner {
  readonly #lent: CellMemory;
  readonly #plan: CellPlan;
  readonly #maxRows: number;
  readonly #binner: CellBinner;
  readonly #table: KeyTable;
  readonly #keys: KeyReader;
  readonly #check: RowCheck;
  readonly #rows: number;
  readonly #areLines: boolean;
  #withoutInput = 0;

  constructor(
    lent: CellMemory,
    plan: CellPlan,
    blocks: BlockPredictor,
    check: RowCheck,
    { areLines, addsUnknown }: { readonly areLines: boolean; readonly addsUnknown: boolean },
  ) {
    this.#lent = lent;
    this.#plan = plan;
    this.#maxRows = blocks.maxRows;
    this.#check = check;
    this.#keys = new KeyReader(blocks.names);
    this.#areLines = areLines;
    this.#table = new KeyTable(lent, plan, addsUnknown);
    this.#rows = lent.memory.allocate(ROW * blocks.maxRows);
    this.#binner = new CellBinner(lent, plan, blocks, parsed);
    lent.memory.kernel.beginRows();
  }

  /** Bytes of the memory that a block takes. */
  get blockBytes(): number {
    return this.#binner.blockBytes;
  }

  /** The number of values in what was scanned so far. */
  get values(): number {
    return this.#lent.memory.kernel.scannedValues();
  }

  /** Returns room for a block. */
  room(): BlockPlace {
    return this.#binner.room();
  }

  /** Scans rows from one address up to another, as many as a block has room for. */
  scan(at: number, end: number, place: BlockPlace): Scan {
    this.#binner.clear(place);
    const { kernel } = this.#lent.memory;
    const { start } = this.#plan;
    const code = kernel.scanRows(
      ...([start, at, end, place.cells, this.#rows, this.#maxRows] as const),
      this.#areLines,
    );
    const { words } = this.#lent.memory;
    const state = kernel.scanStateAddress() / 4;
    const wordAt = (index: number) => words[index] ?? 0;
    const rowCount = wordAt(state + 1);
    this.#withoutInput = wordAt(state + 3);
    const scan: Scan = {
      end: ENDS[code] ?? 'declined',
      at: wordAt(state),
      rowCount,
      lineCount: wordAt(state + 4),
      odd: wordAt(state + 5) > 0 ? this.#oddRows(rowCount) : [],
      place,
    };
    const keys = wordAt(state + 6) / 4;
    for (let key = keys; key < keys + 2 * wordAt(state + 2); key += 2) {
      this.#table.add(wordAt(key), wordAt(key + 1));
    }
    return scan;
  }

  /** Returns the place of the rows of a scan from an index on. */
  placeFrom({ place }: Scan, index: number): BlockPlace {
    return { ...place, cells: place.cells + CELL * this.#plan.columns.length * index };
  }

  /** Bins rows, those that JavaScript read by index among them. */
  block(place: BlockPlace, rowCount: number, others: ReadonlyMap<number, RowObject>): CellBlock {
    return this.#binner.block(place, rowCount, others);
  }

  /** Returns the values of a row that JavaScript read, under the model's names. */
  underNames(value: unknown): RowObject {
    return this.#keys.read([value], 0, 1)[0] ?? {};
  }

  /** Adds to the check what the kernel counted. Call it once, at the end. */
  tell(): void {
    this.#binner.tell(this.#check);
    this.#check.addWithoutColumn(this.#withoutInput);
    const { kernel, words } = this.#lent.memory;
    const counts = (words[kernel.scanStateAddress() / 4 + 7] ?? 0) / 4;
    for (const [name, number] of this.#table.unknown) {
      this.#check.addUnknown(name, words[counts + number] ?? 0);
    }
  }

  #oddRows(rowCount: number): OddRow[] {
    const { words, bytes } = this.#lent.memory;
    const odd: OddRow[] = [];
    for (let index = 0; index < rowCount; index++) {
      const place = (this.#rows + ROW * index) / 4;
      if (words[place + 2] !== 1) continue;
      const start = words[place] ?? 0;
      const length = (words[place + 1] ?? 0) - start;
      const row = Buffer.from(bytes.buffer, start, length);
      odd.push({ index, line: words[place + 3] ?? 0, bytes: row });
    }
    return odd;
  }
}

function parsed(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString());
}
