/** About as much as the texts of one table may take, in bytes. */
const MAX_BYTES = 96 * 1024 * 1024;

/** The bytes of a map's entry, without the letters of its text. */
const ENTRY = 64;

/** Holds texts, and can do with fewer. */
export interface TextHolder {
  /** The bytes of what it holds, by `bytesOf`. */
  readonly heldBytes: number;
  /** Gives up half of its texts or more; the last one too. */
  makeRoom(): void;
}

export function bytesOf(text: string): number {
  return ENTRY + text.length;
}

/**
 * The texts of all columns of a table, limited together: a limit for each column alone
 * would let a thousand of them take a thousand times as much.
 */
export class TextMemory {
  readonly #holders: TextHolder[] = [];
  #heldBytes = 0;

  enter(holder: TextHolder): void {
    this.#holders.push(holder);
  }

  /** Counts a text that one of the holders is about to keep; whoever holds most makes room for it. */
  reserve(text: string): void {
    this.#heldBytes += bytesOf(text);
    while (this.#heldBytes > MAX_BYTES) {
      const largest = this.#largest();
      if (largest.heldBytes === 0) return;
      largest.makeRoom();
    }
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  #largest(): TextHolder {
    return this.#holders.reduce((one, other) => (other.heldBytes > one.heldBytes ? other : one));
  }
}
