import type { KernelMemory } from '../../kernel/kernel-memory.js';
import { CellKind } from './cell-block.js';

/** The kernel copies by vectors, so it reads this much beyond a text. */
export const SLACK = 16;

const MIN_ROOM = 4096;

/** Texts that JavaScript puts into the kernel's memory, and their cells. */
export class CellTexts {
  readonly #memory: KernelMemory;
  #start = 0;
  #at = 0;
  #end = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(memory: KernelMemory) {
    this.#memory = memory;
  }

  /** Forgets all texts. The next ones take their place. */
  clear(): void {
    this.#at = this.#start;
  }

  /** Puts a text into the memory in UTF-8. @param cell the address of its cell */
  put(cell: number, text: string, kind: (typeof CellKind)[keyof typeof CellKind]): void {
    const at = this.#reserve(3 * text.length);
    this.#setCell(cell, at, this.#bytes.write(text, at), kind);
  }

  /** Puts the bytes of a text into the memory. */
  putBytes(cell: number, bytes: Uint8Array, kind: (typeof CellKind)[keyof typeof CellKind]): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    this.#setCell(cell, at, bytes.length, kind);
  }

  /** Puts a value of JSON into the memory, as a scanner would have found it. */
  putValue(cell: number, value: unknown): void {
    if (value === null) this.#setCell(cell, this.#at, 0, CellKind.null);
    else if (typeof value === 'boolean') this.put(cell, String(value), CellKind.boolean);
    else if (typeof value !== 'number') this.put(cell, JSON.stringify(value), CellKind.other);
    else if (Object.is(value, -0)) this.put(cell, '-0', CellKind.otherNumber);
    else if (Number.isFinite(value)) this.put(cell, String(value), CellKind.number);
    else this.put(cell, value > 0 ? '1e999' : '-1e999', CellKind.otherNumber);
  }

  #setCell(cell: number, start: number, length: number, kind: number): void {
    const { words } = this.#memory;
    words[cell / 4] = start;
    words[cell / 4 + 1] = length * 8 + kind;
    this.#at = start + length;
  }

  #reserve(length: number): number {
    if (this.#at + length + SLACK > this.#end) {
      const size = Math.max(length + SLACK, 2 * (this.#end - this.#start), MIN_ROOM);
      this.#start = this.#memory.allocate(size);
      this.#at = this.#start;
      this.#end = this.#start + size;
    }
    const { buffer } = this.#memory.bytes;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#at;
  }
}
