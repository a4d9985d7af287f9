import { type ByteBudget, type HeldBytes, PIECE_BYTES } from '../columns/byte-budget.js';

/** Bytes that arrive in pieces, taken in portions. No more is held than has arrived. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  readonly #budget: ByteBudget;
  readonly #waiting: HeldBytes;

  constructor(source: AsyncIterable<Uint8Array>, budget: ByteBudget) {
    this.#pieces = source[Symbol.asyncIterator]();
    this.#budget = budget;
    this.#waiting = budget.hold('The Arrow data that has arrived');
  }

  /**
   * Returns the next bytes, which begin a memory of their own, so that numbers in them are aligned; fewer, if there
   * are no more.
   *
   * @param held counts them, until its owner gives them back.
   */
  async take(count: number, held: HeldBytes): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#heldBytes < count) {
      const next = await this.#pieces.next();
      if (next.done) break;
      this.#budget.receive(next.value.length);
      this.#waiting.add(next.value.length + PIECE_BYTES);
      this.#held.push(next.value);
      this.#heldBytes += next.value.length;
    }
    const length = Math.min(count, this.#heldBytes);
    held.add(length);
    return this.#cut(length);
  }

  /** Ends the reading before the end of the source. */
  async close(): Promise<void> {
    this.#waiting.releaseAll();
    await this.#pieces.return?.();
  }

  #cut(count: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(count);
    let at = 0;
    let used = 0;
    for (const piece of this.#held) {
      if (at === count) break;
      const part = piece.subarray(0, count - at);
      bytes.set(part, at);
      at += part.length;
      this.#waiting.release(part.length);
      if (part.length === piece.length) {
        this.#waiting.release(PIECE_BYTES);
        used++;
      } else this.#held[used] = piece.subarray(part.length);
    }
    this.#held = this.#held.slice(used);
    this.#heldBytes -= count;
    return bytes;
  }
}
