/** Bytes that arrive in pieces, taken in portions. No more is held than has arrived. */
export class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /**
   * Returns the next bytes, which begin a memory of their own, so that numbers in them are aligned; fewer, if there
   * are no more.
   */
  async take(count: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#heldBytes < count) {
      const next = await this.#pieces.next();
      if (next.done) break;
      this.#held.push(next.value);
      this.#heldBytes += next.value.length;
    }
    return this.#cut(Math.min(count, this.#heldBytes));
  }

  /** Ends the reading before the end of the source. */
  async close(): Promise<void> {
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
      if (part.length === piece.length) used++;
      else this.#held[used] = piece.subarray(part.length);
    }
    this.#held = this.#held.slice(used);
    this.#heldBytes -= count;
    return bytes;
  }
}
