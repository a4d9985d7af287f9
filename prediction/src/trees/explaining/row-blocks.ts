import type { KernelMemory } from '../../kernel/kernel-memory.js';

/** The number of rows that are explained together. The more, the more of them share what is loaded of the tables. */
export const BLOCK_ROWS = 1024;

/** The bytes of the values of a pair of columns. */
export const PAIR_BYTES = 16;

/** The bytes between the sums of two pairs of columns. */
export const SUM_BYTES = PAIR_BYTES * BLOCK_ROWS;

/** Where the kernel reads the bins of a block of rows and adds up their contributions. */
export class RowBlocks {
  readonly #memory: KernelMemory;
  readonly #pairs: number;
  /** The features in the order of their slots. */
  readonly #features: readonly number[];
  /** The address of the bins, by slot and row. */
  readonly bins: number;
  /** The address of the sums, two for each pair of columns and row. */
  readonly sums: number;

  /** @throws {RangeError} as `KernelMemory.allocate`. */
  constructor(memory: KernelMemory, features: readonly number[], players: number) {
    this.#memory = memory;
    this.#pairs = (players + 1) >> 1;
    this.#features = features;
    this.bins = memory.allocate(BLOCK_ROWS * features.length);
    // `addStates` adds to three rows more.
    this.sums = memory.allocate(SUM_BYTES * (this.#pairs + 1));
  }

  /**
   * Adds the contributions of some rows, block by block.
   *
   * @param values see `ForestExplainer.addTo`, as the others.
   * @param add adds the contributions of a block, whose bins are laid out, to the sums, which are 0.
   */
  addTo(
    values: Float64Array,
    players: number,
    rows: Uint32Array,
    bins: Uint8Array,
    stride: number,
    add: (block: Uint32Array) => void,
  ): void {
    const { bytes, doubles } = this.#memory;
    const sums = this.sums / 8;
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      const block = rows.subarray(start, start + BLOCK_ROWS);
      const count = block.length;
      for (const [slot, feature] of this.#features.entries()) {
        const from = feature * stride;
        const to = this.bins + slot * count;
        for (let index = 0; index < count; index++) bytes[to + index] = bins[from + (block[index] ?? 0)] ?? 0;
      }
      for (let pair = 0; pair < this.#pairs; pair++) {
        const from = sums + (SUM_BYTES / 8) * pair;
        doubles.fill(0, from, from + 2 * count);
      }
      add(block);
      for (let index = 0; index < count; index++) {
        const to = (block[index] ?? 0) * players;
        for (let player = 0; player < players; player++) {
          const from = sums + (SUM_BYTES / 8) * (player >> 1) + 2 * index + (player & 1);
          values[to + player] = (values[to + player] ?? 0) + (doubles[from] ?? 0);
        }
      }
    }
  }
}

/** The slots of features, in the order in which they are first asked for. */
export class Slots {
  readonly #slots = new Map<number, number>();

  of(feature: number): number {
    const slot = this.#slots.get(feature) ?? this.#slots.size;
    this.#slots.set(feature, slot);
    return slot;
  }

  get features(): number[] {
    return [...this.#slots.keys()];
  }
}

/** Copies an array to new memory, and returns its address. @throws as `KernelMemory.allocate`. */
export function copyToMemory(memory: KernelMemory, { buffer, byteOffset, byteLength }: ArrayBufferView): number {
  const address = memory.allocate(byteLength);
  memory.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), address);
  return address;
}
