import { KernelMemory } from '../../kernel/kernel-memory.js';
import type { RowColumns } from '../../rows/blocks.js';
import { CellPlan } from './cell-plan.js';

/** Scanners read whole vectors, and end at a zero. */
const PADDING = 64;

/** Bytes of the stretch for those of a body to begin with; it grows to those that are put at once. */
const MIN_TEXT = 128 * 1024;

/** A memory that a body has made larger than this is not kept. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Memories that are lent at most: a process has addresses for a few hundred only, and bodies may take their time. */
const MAX_LENT = 16;
let lentCount = 0;

/** Memories that wait for a body. */
const idle: CellMemory[] = [];
const MAX_IDLE = 2;

const NO_TEXT = { start: 0, size: 0 };
const NO_ROOM = { rows: 0, doubles: 0, list: 0 };

/** The kernel's memory while it holds the cells of one body. */
export class CellMemory {
  readonly memory = new KernelMemory();
  #plan: CellPlan;
  /** The stretch with the bytes of the body. */
  #text = NO_TEXT;
  #numberRoom = NO_ROOM;

  private constructor(plan: CellPlan) {
    this.#plan = plan;
  }

  /**
   * Returns a memory with the plan of a model in it, as if it were new. Release it. Undefined, if this process has no
   * WebAssembly, or no address space for another memory, or has lent too many.
   */
  static tryAcquire(blocks: RowColumns): CellMemory | undefined {
    if (lentCount >= MAX_LENT) return undefined;
    try {
      const acquired = CellMemory.#acquire(blocks);
      lentCount++;
      return acquired;
    } catch {
      return undefined;
    }
  }

  static #acquire(blocks: RowColumns): CellMemory {
    const plan = CellPlan.of(blocks);
    const fitting = idle.findIndex((one) => one.#plan === plan);
    const [found] = idle.splice(Math.max(fitting, 0), 1);
    const lent = found ?? new CellMemory(plan);
    lent.#writePlan(plan, fitting < 0);
    return lent;
  }

  /** The plan whose texts are in the memory. */
  get plan(): CellPlan {
    return this.#plan;
  }

  /** Returns the addresses of room for a number and a word of each of so many rows. */
  numberRoom(rows: number): { readonly doubles: number; readonly list: number } {
    if (this.#numberRoom.rows < rows) {
      this.#numberRoom = { rows, doubles: this.memory.allocate(8 * rows), list: this.memory.allocate(4 * rows) };
    }
    return this.#numberRoom;
  }

  /** Ends the use of the memory. */
  release(): void {
    lentCount--;
    if (this.memory.size <= MAX_KEPT_BYTES && idle.length < MAX_IDLE) idle.push(this);
  }

  /** Puts bytes into the memory in place of those that were put before, with zeros behind them. Returns their address. */
  put(pieces: readonly Uint8Array[]): number {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length + PADDING > this.#text.size) {
      const size = Math.max(length + PADDING, 2 * this.#text.size, MIN_TEXT);
      this.#text = { start: this.memory.allocate(size), size };
    }
    const { start } = this.#text;
    const { bytes } = this.memory;
    let end = start;
    for (const piece of pieces) {
      bytes.set(piece, end);
      end += piece.length;
    }
    bytes.fill(0, end, end + PADDING);
    return start;
  }

  #writePlan(plan: CellPlan, isNew: boolean): void {
    const { memory } = this;
    const { start, image, changingBytes } = plan;
    memory.free(start);
    memory.allocate(image.length);
    memory.bytes.set(isNew ? image : image.subarray(0, changingBytes), start);
    this.#plan = plan;
    this.#text = NO_TEXT;
    this.#numberRoom = NO_ROOM;
  }
}

/** Bytes of a number as text; the last is its length. See `kernel/assembly/text/digits.ts`. */
export const NUMBER_TEXT = 32;

/** Addresses in the kernel's memory. */
interface NumberPlaces {
  /** Room for the numbers. */
  readonly doubles: number;
  /** The text of the first number. */
  readonly texts: number;
}

/**
 * Writes numbers as texts of `NUMBER_TEXT` bytes.
 * @param textOf writes a number that the kernel leaves out
 */
export function writeNumberTexts(
  memory: KernelMemory,
  values: Float64Array,
  { doubles, texts }: NumberPlaces,
  textOf: (value: number) => string,
): void {
  memory.doubles.set(values, doubles / 8);
  if (memory.kernel.writeNumbers(doubles, values.length, texts, NUMBER_TEXT) === 0) return;
  const { bytes } = memory;
  for (const [index, value] of values.entries()) {
    const at = texts + NUMBER_TEXT * index;
    if (bytes[at + NUMBER_TEXT - 1] !== 0) continue;
    const text = Buffer.from(textOf(value));
    bytes.set(text, at);
    bytes[at + NUMBER_TEXT - 1] = text.length;
  }
}
