import { randomBytes } from 'node:crypto';

const SECRET = randomBytes(8);
const KEY = SECRET.readUInt32LE(0) | 1;

/** The initial hash for `mixIn`. */
export const NO_HASH = SECRET.readInt32LE(4);

/** Mixes 32 bits into a hash. The key is random for each process, so that callers cannot provoke collisions. */
export function mixIn(hash: number, bits: number): number {
  let mixed = Math.imul(hash ^ bits, KEY);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

/** Spare slots, so that most searches end at the first or second slot. */
const SLOTS_PER_ENTRY = 1.5;

/** Finds entries by their hash: a table with open addressing that holds indexes, 6 to 12 bytes an entry. */
export class KeyedSlots {
  /** One more than the index of the entry in each slot; 0 is empty. */
  readonly #slots: Uint32Array;

  /** @param count the entries that will be added. */
  constructor(count: number) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(SLOTS_PER_ENTRY * count + 1)));
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** Returns the index of the entry with the hash that matches; −1 if there is none. */
  find(hash: number, isSame: (index: number) => boolean): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = (slots[slot] ?? 0) - 1;
      if (index < 0 || isSame(index)) return index;
    }
  }

  /** Adds an entry that `find` does not find. */
  add(hash: number, index: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = index + 1;
  }
}
