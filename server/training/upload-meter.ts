/** The bytes of an upload, counted as they come. */
export class UploadMeter implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #begun = performance.now();
  #bytes = 0;
  #waited = 0;
  #waitingSince: number | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  /** How many bytes have come. */
  get bytes(): number {
    return this.#bytes;
  }

  /** For how long somebody has waited for bytes, in milliseconds: the rest of the time is not the sender's. */
  get waited(): number {
    const now = performance.now();
    return this.#waited + (now - (this.#waitingSince ?? now));
  }

  /** Since when there is the upload, in milliseconds of `performance.now`. */
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
