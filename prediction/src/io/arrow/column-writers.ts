import type { TextSink } from '../cells/cell-block.js';
import type { BatchBody } from './message-bytes.js';
import { type ArrowType, BOOL, type Field, FLOAT64, INT32, LIST, UTF8 } from './schema.js';

/** Collects the values of a column, and writes them as the next column of a batch. */
export interface ColumnWriter<T> {
  readonly type: ArrowType;
  readonly children: readonly Field[];
  /** The bytes of texts that were added and are not written. */
  readonly textBytes: number;
  add(value: T): void;
  /** Writes what was added, and begins anew. The memory is used again after the batch has been copied. */
  write(body: BatchBody): void;
}

const NONE = new Uint8Array();

/** Doubles; NaN is missing. */
export class NumberWriter implements ColumnWriter<number> {
  readonly type = FLOAT64;
  readonly children = [];
  readonly textBytes = 0;
  #values = new Float64Array(1024);
  #count = 0;

  add(value: number): void {
    this.#reserve(1);
    this.#values[this.#count - 1] = value;
  }

  /** Adds one number of each of so many rows, which begin `step` numbers apart. */
  addColumn(values: Float64Array, at: number, step: number, rowCount: number): void {
    this.#reserve(rowCount);
    const to = this.#values;
    const start = this.#count - rowCount;
    for (let row = 0; row < rowCount; row++) to[start + row] = values[row * step + at] ?? 0;
  }

  write(body: BatchBody): void {
    const values = this.#values.subarray(0, this.#count);
    if (hasMissing(values)) {
      const validity = new Validity();
      for (const value of values) validity.add(!Number.isNaN(value));
      validity.write(body);
    } else {
      body.node(values.length, 0);
      body.buffer(NONE);
    }
    body.buffer(new Uint8Array(values.buffer, 0, values.byteLength));
    this.#count = 0;
  }

  #reserve(count: number): void {
    this.#count += count;
    if (this.#count <= this.#values.length) return;
    const larger = new Float64Array(2 * this.#count);
    larger.set(this.#values);
    this.#values = larger;
  }
}

function hasMissing(values: Float64Array): boolean {
  for (const value of values) if (Number.isNaN(value)) return true;
  return false;
}

export class BoolWriter implements ColumnWriter<boolean | null> {
  readonly type = BOOL;
  readonly children = [];
  readonly textBytes = 0;
  readonly #validity = new Validity();
  readonly #bits = new Bits();

  add(value: boolean | null): void {
    this.#validity.add(value !== null);
    this.#bits.add(value === true);
  }

  write(body: BatchBody): void {
    this.#validity.write(body);
    body.buffer(this.#bits.take());
  }
}

const ZERO = 0x30;

/** Longer texts are handed to native code. */
const SHORT = 32;

export class TextWriter implements ColumnWriter<string | null>, TextSink {
  readonly type = UTF8;
  readonly children = [];
  readonly #validity = new Validity();
  readonly #offsets = new Offsets();
  readonly #texts = new Bytes();

  get textBytes(): number {
    return this.#texts.length;
  }

  add(value: string | null): void {
    this.#validity.add(value !== null);
    if (value !== null && value !== '') {
      const at = this.#texts.extend(Buffer.byteLength(value));
      this.#texts.view.write(value, at);
    }
    this.#offsets.add(this.#texts.length);
  }

  /** Adds a text itself, the JSON of another value, or null for a missing one. */
  addValue(value: unknown): void {
    if (value === null || value === undefined) this.add(null);
    else this.add(typeof value === 'string' ? value : JSON.stringify(value));
  }

  addBytes(bytes: Uint8Array, from: number, to: number): void {
    this.#validity.add(true);
    let at = this.#texts.extend(to - from);
    const { view } = this.#texts;
    if (to - from > SHORT) view.set(bytes.subarray(from, to), at);
    else for (let place = from; place < to; place++) view[at++] = bytes[place] ?? 0;
    this.#offsets.add(this.#texts.length);
  }

  /** Adds a whole number, not below 0, behind what stands before it. Makes no text of them, which takes longer. */
  addNumber(prefix: Uint8Array, value: number): void {
    this.#validity.add(true);
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits++;
    let at = this.#texts.extend(prefix.length + digits);
    const { view } = this.#texts;
    for (let index = 0; index < prefix.length; index++) view[at++] = prefix[index] ?? 0;
    for (let rest = value, place = at + digits - 1; place >= at; place--) {
      const tenth = Math.floor(rest / 10);
      view[place] = ZERO + rest - 10 * tenth;
      rest = tenth;
    }
    this.#offsets.add(this.#texts.length);
  }

  write(body: BatchBody): void {
    this.#validity.write(body);
    body.buffer(this.#offsets.take());
    body.buffer(this.#texts.take());
  }
}

/** Indices of a dictionary. */
export class IndexWriter implements ColumnWriter<number> {
  readonly type = INT32;
  readonly children = [];
  readonly textBytes = 0;
  readonly #validity = new Validity();
  readonly #indices = new Bytes();

  add(value: number): void {
    this.#validity.add(true);
    const at = this.#indices.extend(4);
    this.#indices.view.writeInt32LE(value, at);
  }

  write(body: BatchBody): void {
    this.#validity.write(body);
    body.buffer(this.#indices.take());
  }
}

export class ListWriter implements ColumnWriter<readonly string[]> {
  readonly type = LIST;
  readonly children: readonly Field[] = [{ name: 'item', type: UTF8, children: [], dictionary: null }];
  readonly #validity = new Validity();
  readonly #offsets = new Offsets();
  readonly #items = new TextWriter();
  #count = 0;

  get textBytes(): number {
    return this.#items.textBytes;
  }

  add(value: readonly string[]): void {
    this.#validity.add(true);
    for (const item of value) this.#items.add(item);
    this.#count += value.length;
    this.#offsets.add(this.#count);
  }

  write(body: BatchBody): void {
    this.#validity.write(body);
    body.buffer(this.#offsets.take());
    this.#items.write(body);
    this.#count = 0;
  }
}

class Bytes {
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
class Bits {
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

/** Marks the values that are there. Makes bits only once one is missing. */
class Validity {
  readonly #bits = new Bits();
  #rows = 0;
  #missing = 0;

  add(isValid: boolean): void {
    if (!isValid && this.#missing++ === 0) {
      for (let row = 0; row < this.#rows; row++) this.#bits.add(true);
    }
    this.#rows++;
    if (this.#missing > 0) this.#bits.add(isValid);
  }

  write(body: BatchBody): void {
    body.node(this.#rows, this.#missing);
    body.buffer(this.#bits.take());
    this.#rows = 0;
    this.#missing = 0;
  }
}

/** The places where values of different lengths begin, and where the last ends. */
class Offsets {
  /** Zero, and the ends of the values. */
  #ends = new Int32Array(1024);
  #count = 0;

  add(end: number): void {
    if (++this.#count === this.#ends.length) {
      const larger = new Int32Array(2 * this.#count);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    this.#ends[this.#count] = end;
  }

  take(): Uint8Array {
    const length = this.#count === 0 ? 0 : 4 * (this.#count + 1);
    this.#count = 0;
    return new Uint8Array(this.#ends.buffer, 0, length);
  }
}
