import type { CellBlock } from '../cells/cell-block.js';
import { CELL, CellKind } from '../cells/cell-kind.js';
import type { CellMemory } from '../cells/cell-memory.js';

/** The kernel copies by vectors, so it reads this much beyond a text. */
const SLACK = 16;

/** Texts that are remembered, as many rows may say the same, and the most bytes of one. */
const MAX_KNOWN = 4096;
const MAX_KNOWN_BYTES = 64;

/** Cells that stand within so many bytes are decoded at once. */
const MAX_DECODED = 512 * 1024;

/** Makes the bytes of cells what `JSON.stringify` writes for their values. */
export class CellRewriter {
  readonly #lent: CellMemory;
  /** The place where the kernel lists cells. */
  readonly #list: number;
  /** By the bytes of cells, their JSON. */
  readonly #known = new Map<string, Buffer>();
  /** Room for what is written. */
  #start: number;
  #end: number;

  constructor(lent: CellMemory, list: number) {
    this.#lent = lent;
    this.#list = list;
    this.#start = lent.memory.allocate(0);
    this.#end = this.#start;
  }

  /** Changes the cells of a block whose bytes are not their JSON. What was written for the last block is lost. */
  rewrite(block: CellBlock): void {
    const { memory } = this.#lent;
    const { plan, place, rowCount } = block;
    const count = memory.kernel.listOthers(plan.start, place.cells, rowCount, this.#list);
    if (count === 0) return;
    const cells = memory.words.slice(this.#list / 4, this.#list / 4 + count);
    const textOf = this.#reader(cells);
    const changed: { readonly cell: number; readonly json: Buffer }[] = [];
    for (const cell of cells) {
      const length = (memory.words[cell / 4 + 1] ?? 0) >>> 3;
      const kind = (memory.words[cell / 4 + 1] ?? 0) & 7;
      const text = textOf(cell);
      // Most numbers of many digits are in their shortest form.
      if (kind === CellKind.otherNumber && String(Number(text)) === text) {
        memory.words[cell / 4 + 1] = length * 8 + CellKind.number;
      } else {
        changed.push({ cell, json: this.#jsonOf(block, cell, kind + text) });
      }
    }
    this.#write(changed);
  }

  /** Returns a reader of the bytes of cells as Latin-1, which has a character for each. */
  #reader(cells: Uint32Array): (cell: number) => string {
    const { words, bytes } = this.#lent.memory;
    const buffer = Buffer.from(bytes.buffer);
    const startOf = (cell: number) => words[cell / 4] ?? 0;
    const endOf = (cell: number) => startOf(cell) + ((words[cell / 4 + 1] ?? 0) >>> 3);
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    for (const cell of cells) {
      first = Math.min(first, startOf(cell));
      last = Math.max(last, endOf(cell));
    }
    if (last - first > MAX_DECODED) {
      return (cell) => buffer.toString('latin1', startOf(cell), endOf(cell));
    }
    const text = buffer.toString('latin1', first, last);
    return (cell) => text.slice(startOf(cell) - first, endOf(cell) - first);
  }

  #jsonOf(block: CellBlock, cell: number, key: string): Buffer {
    const known = this.#known.get(key);
    if (known) return known;
    const index = (cell - block.place.cells) / CELL;
    const columnCount = block.plan.columns.length;
    const value = block.value(Math.floor(index / columnCount), index % columnCount);
    const json = Buffer.from(JSON.stringify(value) ?? 'null');
    if (key.length > MAX_KNOWN_BYTES) return json;
    if (this.#known.size === MAX_KNOWN) this.#known.clear();
    // A part of a text would keep all of it in memory.
    this.#known.set(Buffer.from(key, 'latin1').toString('latin1'), json);
    return json;
  }

  #write(changed: readonly { readonly cell: number; readonly json: Buffer }[]): void {
    const { memory } = this.#lent;
    const length = changed.reduce((sum, { json }) => sum + json.length, SLACK);
    if (length > this.#end - this.#start) {
      this.#start = memory.allocate(2 * length);
      this.#end = this.#start + 2 * length;
    }
    let at = this.#start;
    for (const { cell, json } of changed) {
      memory.bytes.set(json, at);
      memory.kernel.setJson(cell, at, json.length);
      at += json.length;
    }
  }
}
