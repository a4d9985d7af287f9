import type { RowColumns } from '../../rows/blocks.js';
import type { SchemaCheck } from '../../rows/row-check.js';
import { ColumnMapper } from '../../rows/row-keys.js';
import { columnName } from '../../table/column-names.js';
import { CellBinner } from '../cells/cell-binner.js';
import { type BlockPlace, CELL, type CellBlock } from '../cells/cell-block.js';
import type { CellMemory } from '../cells/cell-memory.js';
import { MAX_ADDED_NAMES } from '../cells/cell-plan.js';
import { CellTexts } from '../cells/cell-texts.js';

/** The end of a scan by the kernel: see `kernel/assembly/json/rows.ts`. */
const ENDS = ['full', 'done', 'declined', 'full'] as const;
const NEW_KEYS = 3;

/** Bytes that tell of a row: the addresses of its beginning and end, whether it is slow, and its line. */
const ROW = 16;

/** A row that the kernel leaves to JavaScript. */
interface SlowRow {
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
  readonly slowRows: readonly SlowRow[];
  readonly place: BlockPlace;
}

/** Reads rows of JSON in the kernel, block by block, and counts what the model does not know in them. */
export class JsonScanner {
  readonly #lent: CellMemory;
  readonly #maxRows: number;
  readonly #binner: CellBinner;
  readonly #table: KeyTable;
  readonly #keys: ColumnMapper;
  readonly #check: SchemaCheck;
  /** The values of rows that JavaScript read. */
  readonly #texts: CellTexts;
  readonly #rows: number;
  readonly #areLines: boolean;
  #withoutInput = 0;

  constructor(
    lent: CellMemory,
    blocks: RowColumns,
    check: SchemaCheck,
    { areLines, addsUnknown }: { readonly areLines: boolean; readonly addsUnknown: boolean },
  ) {
    this.#lent = lent;
    this.#maxRows = blocks.maxRows;
    this.#check = check;
    this.#keys = new ColumnMapper(blocks.names);
    this.#texts = new CellTexts(lent.memory);
    this.#areLines = areLines;
    this.#table = new KeyTable(lent, addsUnknown);
    this.#rows = lent.memory.allocate(ROW * blocks.maxRows);
    this.#binner = new CellBinner(lent, blocks, parsed);
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

  room(): BlockPlace {
    return this.#binner.room();
  }

  /** Scans rows from one address up to another, as many as fit in a block. Lines of the last scan are dropped. */
  scan(at: number, end: number, place: BlockPlace): Scan {
    if (this.#areLines) this.#texts.clear();
    this.#binner.clear(place, end - at);
    let scan: Scan = { end: 'full', at, rowCount: 0, lineCount: 0, slowRows: [], place };
    // The kernel stops behind a row with new keys, so that it knows them in the next one.
    for (let code = NEW_KEYS; code === NEW_KEYS && scan.rowCount < this.#maxRows; ) {
      code = this.#scanRows(scan, end);
      scan = this.#addFound(scan, ENDS[code] ?? 'declined');
    }
    return scan;
  }

  /** Returns the place of the rows of a scan from an index on. */
  placeFrom({ place }: Scan, index: number): BlockPlace {
    return { ...place, cells: this.#cellsFrom(place, index) };
  }

  block(place: BlockPlace, rowCount: number): CellBlock {
    return this.#binner.block(place, rowCount);
  }

  /** Makes cells of a row of a scan that JavaScript read. */
  setRow({ place }: Scan, index: number, value: unknown): void {
    const row = this.#keys.read([value], 0, 1)[0] ?? {};
    const cells = this.#cellsFrom(place, index);
    for (const [column, name] of this.#lent.plan.columns.entries()) {
      if (Object.hasOwn(row, name)) this.#texts.putValue(cells + CELL * column, row[name]);
    }
  }

  /** Adds to the check what the kernel counted. Call it once, at the end. */
  report(): void {
    this.#binner.report(this.#check);
    this.#check.addWithoutColumn(this.#withoutInput);
    const { kernel, words } = this.#lent.memory;
    const counts = (words[kernel.scanStateAddress() / 4 + 7] ?? 0) / 4;
    for (const [name, number] of this.#table.unknown) {
      this.#check.addUnknown(name, words[counts + number] ?? 0);
    }
  }

  /** Scans rows behind those of a scan. */
  #scanRows({ at, rowCount, place }: Scan, end: number): number {
    const { kernel } = this.#lent.memory;
    const cells = this.#cellsFrom(place, rowCount);
    const rows = this.#rows + ROW * rowCount;
    const most = this.#maxRows - rowCount;
    return kernel.scanRows(this.#lent.plan.start, at, end, cells, rows, most, this.#areLines);
  }

  /** Adds the kernel's report of the following rows to a scan. */
  #addFound(before: Scan, end: Scan['end']): Scan {
    const { kernel, words } = this.#lent.memory;
    const state = kernel.scanStateAddress() / 4;
    const wordAt = (index: number) => words[index] ?? 0;
    const rowCount = before.rowCount + wordAt(state + 1);
    this.#withoutInput = wordAt(state + 3);
    const keys = wordAt(state + 6) / 4;
    for (let key = keys; key < keys + 2 * wordAt(state + 2); key += 2) {
      this.#table.add(wordAt(key), wordAt(key + 1));
    }
    const slow = wordAt(state + 5) > 0 ? this.#slowRows(before, rowCount) : [];
    return {
      end,
      at: wordAt(state),
      rowCount,
      lineCount: before.lineCount + wordAt(state + 4),
      slowRows: [...before.slowRows, ...slow],
      place: before.place,
    };
  }

  #cellsFrom({ cells }: BlockPlace, index: number): number {
    return cells + CELL * this.#lent.plan.columns.length * index;
  }

  #slowRows({ rowCount: from, lineCount }: Scan, rowCount: number): SlowRow[] {
    const { words, bytes } = this.#lent.memory;
    const slow: SlowRow[] = [];
    for (let index = from; index < rowCount; index++) {
      const place = (this.#rows + ROW * index) / 4;
      if (words[place + 2] !== 1) continue;
      const start = words[place] ?? 0;
      const length = (words[place + 1] ?? 0) - start;
      const row = Buffer.from(bytes.buffer, start, length);
      slow.push({ index, line: lineCount + (words[place + 3] ?? 0), bytes: row });
    }
    return slow;
  }
}

function parsed(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString());
}

/** The entries for a key in the kernel's table of names, beside the index of a column. */
const ALIAS = 0x10000;
const UNKNOWN = 0x20000;

/** Longer keys are not added: their rows are read by JavaScript. */
const MAX_KEY_BYTES = 100;

/** The keys of one body that are not written as the model's names are. */
class KeyTable {
  readonly #lent: CellMemory;
  readonly #addsUnknown: boolean;
  readonly #indexOf: ReadonlyMap<string, number>;
  /** The place of the next key. */
  #end: number;
  #added = 0;
  /** By name, its number in the kernel. */
  readonly #unknown = new Map<string, number>();

  /** @param addsUnknown whether unknown names are added, and so counted by the kernel */
  constructor(lent: CellMemory, addsUnknown: boolean) {
    this.#lent = lent;
    this.#addsUnknown = addsUnknown;
    this.#indexOf = new Map(lent.plan.columns.map((name, index) => [name, index]));
    this.#end = lent.memory.allocate(MAX_ADDED_NAMES * (MAX_KEY_BYTES + 8));
  }

  /** Adds a key, which stands at an address between its quotes, so that later rows with it are read by the kernel. */
  add(start: number, length: number): void {
    if (this.#added === MAX_ADDED_NAMES || length > MAX_KEY_BYTES) return;
    const { memory, plan } = this.#lent;
    const { bytes, kernel } = memory;
    const value = this.#findEntry(Buffer.from(bytes.buffer, start, length).toString());
    if (value === undefined) return;
    bytes.copyWithin(this.#end, start, start + length);
    kernel.addText(plan.names, plan.namesMask, this.#end, length, value);
    this.#end += length + 8;
    this.#added++;
  }

  /** The unknown names that the kernel counts, by their number there. */
  get unknown(): Iterable<[string, number]> {
    return this.#unknown;
  }

  #findEntry(json: string): number | undefined {
    const key = String(JSON.parse(`"${json}"`));
    const index = this.#indexOf.get(key);
    if (index !== undefined) return index;
    const meant = this.#indexOf.get(columnName(key));
    if (meant !== undefined) return ALIAS + meant;
    if (!this.#addsUnknown) return undefined;
    const number = this.#unknown.get(key) ?? this.#unknown.size;
    this.#unknown.set(key, number);
    return UNKNOWN + number;
  }
}
