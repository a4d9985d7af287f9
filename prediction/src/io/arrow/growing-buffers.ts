import type { BatchBody } from './message-bytes.js';

/** Bytes that grow. */
export class Bytes {
  #bytes: Buffer<ArrayBuffer> = Buffer.alloc(8192);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Makes room for so many bytes more, and returns where they begin. */
  extend(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return at;
  }

  get view(): Buffer {
    return this.#bytes;
  }

  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}

/** A bit for each row. */
export class Bits {
  readonly #bytes = new Bytes();
  #rows = 0;

  add(isSet: boolean): void {
    const bit = this.#rows++ & 7;
    if (bit === 0) this.#bytes.view[this.#bytes.extend(1)] = 0;
    const at = this.#bytes.length - 1;
    if (isSet) this.#bytes.view[at] = (this.#bytes.view[at] ?? 0) | (1 << bit);
  }

  take(): Uint8Array {
    this.#rows = 0;
    return this.#bytes.take();
  }
}

/** Tells which values are there. */
export class Validity {
  readonly #bits = new Bits();
  #rows = 0;
  #missing = 0;

  add(isThere: boolean): void {
    this.#rows++;
    if (!isThere) this.#missing++;
    this.#bits.add(isThere);
  }

  write(body: BatchBody): void {
    body.node(this.#rows, this.#missing);
    const bits = this.#bits.take();
    body.buffer(this.#missing === 0 ? bits.subarray(0, 0) : bits);
    this.#rows = 0;
    this.#missing = 0;
  }
}

/** The places where values of different lengths begin, and where the last ends. */
export class Offsets {
  readonly #bytes = new Bytes();

  add(end: number): void {
    if (this.#bytes.length === 0) this.#bytes.view.writeInt32LE(0, this.#bytes.extend(4));
    const at = this.#bytes.extend(4);
    this.#bytes.view.writeInt32LE(end, at);
  }

  take(): Uint8Array {
    return this.#bytes.take();
  }
}
