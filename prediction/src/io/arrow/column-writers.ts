import { Bits, Bytes, Offsets, Validity } from './growing-buffers.js';
import type { BatchBody } from './message-bytes.js';
import type { Field } from './schema.js';
import { type ArrowType, BOOL, FLOAT64, INT32, LIST, UTF8 } from './types.js';

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

export class TextWriter implements ColumnWriter<string | null> {
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

/** Lists of texts. */
export class ListWriter implements ColumnWriter<readonly string[]> {
  readonly type = LIST;
  readonly children: readonly Field[] = [
    { name: 'item', type: UTF8, children: [], dictionary: null },
  ];
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
