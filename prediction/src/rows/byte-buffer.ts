const NOTHING = Buffer.alloc(0);

/** Collects the bytes of an answer. */
export class ByteBuffer {
  #memory = NOTHING;
  #end = 0;
  readonly #capacity: number;

  /** @param capacity bytes to begin with; it grows */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The number of bytes since the last `take`. */
  get length(): number {
    return this.#end;
  }

  /** Adds a text in UTF-8. */
  text(text: string): void {
    this.#reserve(3 * text.length);
    this.#end += this.#memory.write(text, this.#end);
  }

  /** Adds a copy of bytes. */
  bytes(source: Uint8Array): void {
    if (this.#end === 0) {
      this.#memory = Buffer.from(source);
    } else {
      this.#reserve(source.length);
      this.#memory.set(source, this.#end);
    }
    this.#end += source.length;
  }

  /** Hands over what was written, and begins anew with other memory. */
  take(): Uint8Array {
    const written = this.#memory.subarray(0, this.#end);
    this.#memory = NOTHING;
    this.#end = 0;
    return written;
  }

  #reserve(room: number): void {
    const needed = this.#end + room;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#capacity, 2 * this.#memory.length, needed));
    this.#memory.copy(larger, 0, 0, this.#end);
    this.#memory = larger;
  }
}
