/** The most bytes that are read after the end of an answer: to connect anew costs less than more. */
const MAX_REST_BYTES = 64 * 1024;

/** The body of a response, read in chunks until a signal aborts it. */
export class ResponseBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #signal: AbortSignal;
  #bytes = 0;
  #closing: NodeJS.Timeout | undefined;

  constructor(stream: ReadableStream<Uint8Array>, signal: AbortSignal) {
    this.#reader = stream.getReader();
    this.#signal = signal;
    // `fetch` follows the signal of a request only until that request is collected as garbage.
    if (signal.aborted) this.cancel();
    signal.addEventListener('abort', this.cancel);
  }

  /**
   * Returns the next bytes; undefined at the end.
   * @throws the reason of the signal once it is aborted
   * @throws the error of `fetch` if the connection breaks, unless the rest is optional
   */
  async read(): Promise<Uint8Array | undefined> {
    try {
      const { value } = await this.#reader.read();
      this.#signal.throwIfAborted();
      this.#bytes += value?.length ?? 0;
      return value;
    } catch (error) {
      if (this.#closing === undefined || this.#signal.aborted) throw error;
      return undefined;
    }
  }

  /** Makes the rest optional: it ends when the connection breaks, and after this many milliseconds. */
  makeOptional(timeoutMs: number): void {
    this.#closing ??= setTimeout(this.cancel, timeoutMs);
  }

  /** Returns the beginning as text, and closes the connection if there is more than `maxBytes`. */
  async beginning(maxBytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let bytes = await this.read(); bytes; bytes = await this.read()) {
      chunks.push(bytes);
      length += bytes.length;
      if (length >= maxBytes) break;
    }
    this.cancel();
    return Buffer.concat(chunks).toString('utf8', 0, maxBytes);
  }

  /** Reads a short optional rest to its end, so that the connection can be used again. */
  async release(): Promise<void> {
    const end = this.#bytes + MAX_REST_BYTES;
    try {
      while (this.#bytes <= end && (await this.read()));
    } catch {
      // The caller has gone.
    } finally {
      this.cancel();
    }
  }

  /** Closes the connection, unless the body has been read to its end. */
  readonly cancel = (): void => {
    clearTimeout(this.#closing);
    this.#signal.removeEventListener('abort', this.cancel);
    this.#reader.cancel().catch(() => {});
  };
}
