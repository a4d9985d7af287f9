/** Counts the bytes of an upload as they arrive. */
export class UploadMeter implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #begun = performance.now();
  #bytes = 0;
  #waited = 0;
  #waitingSince: number | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  /** The number of bytes that have arrived. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The time spent waiting for bytes, in milliseconds. The sender is not responsible for the rest
   * of the time.
   */
  get waited(): number {
    const now = performance.now();
    return this.#waited + (now - (this.#waitingSince ?? now));
  }

  /** The start time of the upload, as given by `performance.now()`. */
  get begun(): number {
    return this.#begun;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const chunks = this.#source[Symbol.asyncIterator]();
    for (;;) {
      this.#waitingSince = performance.now();
      const next = await chunks.next();
      this.#waited += performance.now() - this.#waitingSince;
      this.#waitingSince = undefined;
      if (next.done) return;
      this.#bytes += next.value.length;
      yield next.value;
    }
  }
}
