import type { OutlierCheck } from '../../rows/outlier-checks.js';
import type { SchemaCheck } from '../../rows/row-check.js';
import type { RowObject } from '../../table/cells.js';
import { MISSING_BIN } from '../../trees/binning/bin-mapper.js';
import { type BlockPlace, CELL, CellBlock, CellKind, type ReadOther } from './cell-block.js';
import type { CellMemory } from './cell-memory.js';
import type { PlannedFeature } from './cell-plan.js';

/** Longer cells are not remembered. */
const MAX_REMEMBERED = 64;

/**
 * Bins the cells of one body, and counts the values in them that are unlike those of the table.
 *
 * Use: `room` for a block, `clear`, let the scanner write its cells, then `block`, which bins them. `report`
 * adds what was counted to the check of the body, once.
 */
export class CellBinner {
  readonly #lent: CellMemory;
  readonly #readOther: ReadOther;
  readonly #unread: UnreadCells;
  readonly #maxRows: number;
  /** The place where the kernel lists the cells that it leaves to JavaScript. */
  readonly #list: number;
  /** Rows with suspect values that JavaScript found, by finder. */
  readonly #suspects: Float64Array;
  readonly #empty: RowObject;

  /**
   * @param readOther reads cells of the kind `other`
   * @param empty what a row without values says, as the names of a header
   */
  constructor(
    lent: CellMemory,
    { maxRows }: { readonly maxRows: number },
    readOther: ReadOther,
    empty: RowObject = {},
  ) {
    this.#lent = lent;
    this.#empty = empty;
    this.#readOther = readOther;
    const { plan } = lent;
    this.#unread = new UnreadCells(plan.finders);
    this.#maxRows = maxRows;
    this.#list = lent.memory.allocate(8 * maxRows * plan.features.length);
    this.#suspects = new Float64Array(plan.finders.length);
  }

  /** Bytes that a block of the most rows takes. */
  get blockBytes(): number {
    const { columns, features } = this.#lent.plan;
    return this.#maxRows * (CELL * columns.length + features.length + 1) + 48;
  }

  /** Returns room for a block of the most rows. It may be used again when the block is answered. */
  room(): BlockPlace {
    const { memory } = this.#lent;
    const { columns, features } = this.#lent.plan;
    return {
      cells: memory.allocate(this.#maxRows * CELL * columns.length),
      bins: memory.allocate(this.#maxRows * features.length),
      isPartial: memory.allocate(this.#maxRows),
    };
  }

  /** Makes each cell of the first rows missing: of as many as there may be in some bytes, for a row takes one at least. */
  clear({ cells }: BlockPlace, byteLength: number): void {
    const rows = Math.min(this.#maxRows, byteLength);
    const length = rows * CELL * this.#lent.plan.columns.length;
    this.#lent.memory.bytes.fill(0, cells, cells + length);
  }

  /** Bins the rows of a block. @param place of the block, or of some of its rows */
  block(place: BlockPlace, rowCount: number): CellBlock {
    const block = new CellBlock(this.#lent, place, rowCount, this.#readOther, this.#empty);
    const { kernel, bytes } = this.#lent.memory;
    const { cells, bins, isPartial } = place;
    bytes.fill(0, isPartial, isPartial + rowCount);
    const count = kernel.binCells(this.#lent.plan.start, cells, rowCount, bins, isPartial, this.#list);
    this.#readUnread(block, count);
    this.#countUnreadable(block);
    this.#lookAtUnbinned(block);
    return block;
  }

  /** Adds what was counted to a check. */
  report(check: SchemaCheck): void {
    const { memory } = this.#lent;
    for (const [index, { finder, unreadable }] of this.#lent.plan.features.entries()) {
      if (unreadable >= 0) check.addSuspects(unreadable, this.#suspects[unreadable] ?? 0);
      if (finder < 0) continue;
      const inKernel = this.#lent.plan.countSuspects(memory, index);
      check.addSuspects(finder, inKernel + (this.#suspects[finder] ?? 0));
    }
    for (const { finder } of this.#lent.plan.unbinned) {
      check.addSuspects(finder, this.#suspects[finder] ?? 0);
    }
  }

  #readUnread(block: CellBlock, count: number): void {
    const { words, bytes } = this.#lent.memory;
    const { bins, isPartial } = block.place;
    for (let place = this.#list / 4, end = place + 2 * count; place < end; place += 2) {
      const row = words[place] ?? 0;
      const index = words[place + 1] ?? 0;
      const feature = this.#lent.plan.features[index];
      if (feature === undefined) continue;
      const { column } = feature;
      const key = readKey(block, row, column);
      const { bin, isSuspect } = this.#unread.read(feature, index, key, () => block.value(row, column));
      if (isSuspect) this.#countSuspect(feature.finder);
      const isUnseen = feature.isUnseen[bin] === 1;
      bytes[bins + index * block.rowCount + row] = isUnseen ? feature.mask : bin;
      if (isUnseen) bytes[isPartial + row] = 1;
    }
  }

  /** Counts the cells that are not read, whoever has binned them: the kernel knows only that they have no number. */
  #countUnreadable(block: CellBlock): void {
    const { bytes } = this.#lent.memory;
    const { rowCount, place } = block;
    for (const [index, feature] of this.#lent.plan.features.entries()) {
      const { column, unreadable, isUnseen, mask } = feature;
      if (unreadable < 0) continue;
      const isMasked = isUnseen[MISSING_BIN] === 1;
      const missing = isMasked ? mask : MISSING_BIN;
      const from = place.bins + index * rowCount;
      const bins = bytes.subarray(from, from + rowCount);
      for (let row = bins.indexOf(missing); row >= 0; row = bins.indexOf(missing, row + 1)) {
        // Other values may have the bin of the mask, too.
        if (isMasked && bytes[place.isPartial + row] !== 1) continue;
        const { kind, length } = block.cell(row, column);
        if (kind === CellKind.null || length === 0) continue;
        const key = readKey(block, row, column);
        const { isUnreadable } = this.#unread.read(feature, index, key, () => block.value(row, column));
        if (isUnreadable) this.#countSuspect(unreadable);
      }
    }
  }

  #countSuspect(finder: number): void {
    this.#suspects[finder] = (this.#suspects[finder] ?? 0) + 1;
  }

  #lookAtUnbinned(block: CellBlock): void {
    for (const { finder, column } of this.#lent.plan.unbinned) {
      const isSuspect = this.#lent.plan.finders[finder]?.isSuspect;
      for (let row = 0; isSuspect && row < block.rowCount; row++) {
        if (!isSuspect(block.value(row, column) ?? null)) continue;
        this.#countSuspect(finder);
      }
    }
  }
}

function readKey(block: CellBlock, row: number, column: number): string | undefined {
  const { start, length, kind } = block.cell(row, column);
  return length > MAX_REMEMBERED ? undefined : kind + block.text(start, length, 'latin1');
}

interface ReadCell {
  readonly bin: number;
  /** Whether the finder of suspect values reports the cell, and whether that of unreadable ones does. */
  readonly isSuspect: boolean;
  readonly isUnreadable: boolean;
}

/** Cells of a feature that are remembered, as many rows may say the same. */
const MAX_KNOWN = 4096;

/** Reads the cells that the kernel leaves to JavaScript or takes for missing, with the encoder of their feature. */
class UnreadCells {
  readonly #finders: readonly OutlierCheck[];
  readonly #known: (Map<string, ReadCell> | undefined)[] = [];

  constructor(finders: readonly OutlierCheck[]) {
    this.#finders = finders;
  }

  /**
   * @param key the kind of the cell and its bytes; undefined, if it is too long to be remembered
   * @param readValue returns the value of the cell
   */
  read(feature: PlannedFeature, index: number, key: string | undefined, readValue: () => unknown): ReadCell {
    if (key === undefined) return this.#look(feature, readValue());
    this.#known[index] ??= new Map();
    const known = this.#known[index];
    const found = known.get(key);
    if (found) return found;
    const read = this.#look(feature, readValue());
    if (known.size === MAX_KNOWN) known.clear();
    known.set(key, read);
    return read;
  }

  #look({ encoder, finder, unreadable }: PlannedFeature, value: unknown): ReadCell {
    return {
      bin: encoder.bin(value),
      isSuspect: this.#finders[finder]?.isSuspect(value) ?? false,
      isUnreadable: this.#finders[unreadable]?.isSuspect(value) ?? false,
    };
  }
}
