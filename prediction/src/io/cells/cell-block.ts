import type { BinnedRows, RowBlock } from '../../serving/row-binner.js';
import type { RowObject } from '../../table/cells.js';
import { CELL, CellKind } from './cell-kind.js';
import type { CellMemory } from './cell-memory.js';
import type { CellPlan } from './cell-plan.js';

/** Makes a value of JSON of the bytes of a cell of the kind `other`. */
export type ReadOther = (bytes: Buffer) => unknown;

/** The places of a block's parts in the kernel's memory. */
export interface BlockPlace {
  readonly cells: number;
  readonly bins: number;
  readonly isPartial: number;
}

/** Rows whose cells are in the kernel's memory. Holds as long as the memory is lent and not freed. */
export class CellBlock implements RowBlock {
  constructor(
    readonly lent: CellMemory,
    readonly place: BlockPlace,
    readonly rowCount: number,
    readonly readOther: ReadOther,
    /** Rows that are not in the cells, by index: the format read them in another way. */
    readonly others: ReadonlyMap<number, RowObject>,
  ) {}

  get plan(): CellPlan {
    return this.lent.plan;
  }

  /** Copies the bins that `CellBinner` made. */
  bin({ bins, isPartial }: BinnedRows): void {
    const { bytes } = this.lent.memory;
    const { place, rowCount } = this;
    const count = rowCount * this.plan.features.length;
    bins.set(bytes.subarray(place.bins, place.bins + count));
    isPartial.set(bytes.subarray(place.isPartial, place.isPartial + rowCount));
  }

  row(index: number): RowObject {
    const other = this.others.get(index);
    if (other) return other;
    // Without a prototype, `__proto__` is a key as any other.
    const row: Record<string, unknown> = Object.create(null);
    for (const [column, name] of this.plan.columns.entries()) {
      const value = this.value(index, column);
      if (value !== undefined) row[name] = value;
    }
    return row;
  }

  /** Returns the value of a cell; undefined, if it is missing. */
  value(row: number, column: number): unknown {
    const { start, length, kind } = this.cell(row, column);
    switch (kind) {
      case CellKind.null:
        return null;
      case CellKind.boolean:
        return this.lent.memory.bytes[start] === LETTER_T;
      case CellKind.number:
      case CellKind.otherNumber:
        return Number(this.text(start, length, 'latin1'));
      case CellKind.text:
        return this.text(start, length, 'utf8');
      case CellKind.other:
        return this.readOther(this.#buffer(start, length));
      default:
        return undefined;
    }
  }

  cell(row: number, column: number): { start: number; length: number; kind: number } {
    const { words } = this.lent.memory;
    const place = (this.place.cells + CELL * (row * this.plan.columns.length + column)) / 4;
    const size = words[place + 1] ?? 0;
    return { start: words[place] ?? 0, length: size >>> 3, kind: size & 7 };
  }

  text(start: number, length: number, encoding: 'latin1' | 'utf8'): string {
    return this.#buffer(start, length).toString(encoding);
  }

  #buffer(start: number, length: number): Buffer {
    return Buffer.from(this.lent.memory.bytes.buffer, start, length);
  }
}

const LETTER_T = 0x74;
