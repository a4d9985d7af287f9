/** The bytes of vectors that may still be read. */
interface Unread {
  bytes: number;
}

/** Vectors may share their bytes, such as equal names. So often are all bytes read at most. */
const MAX_READS = 4;

/**
 * A table of FlatBuffers (flatbuffers.dev, "Internals"), in which Arrow writes its metadata. Every place is checked
 * against the bytes, as they are the sender's.
 */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;
  readonly #vtable: number;
  readonly #vtableBytes: number;
  readonly #unread: Unread;

  /** @throws {RangeError} if the root lies outside of the bytes; so do all methods. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const unread = { bytes: MAX_READS * bytes.length };
    return new FlatTable(view, view.getUint32(0, true), unread);
  }

  private constructor(view: DataView, at: number, unread: Unread) {
    this.#view = view;
    this.#unread = unread;
    this.#at = at;
    this.#vtable = at - view.getInt32(at, true);
    this.#vtableBytes = view.getUint16(this.#vtable, true);
  }

  bool(slot: number): boolean {
    return this.uint8(slot) !== 0;
  }

  uint8(slot: number): number {
    const at = this.#place(slot);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  int16(slot: number, absent = 0): number {
    const at = this.#place(slot);
    return at === 0 ? absent : this.#view.getInt16(at, true);
  }

  int32(slot: number, absent = 0): number {
    const at = this.#place(slot);
    return at === 0 ? absent : this.#view.getInt32(at, true);
  }

  /** As a double: rounded where it does not fit, which no length that may be read does. */
  int64(slot: number): number {
    const at = this.#place(slot);
    return at === 0 ? 0 : Number(this.#view.getBigInt64(at, true));
  }

  string(slot: number): string {
    const at = this.#place(slot);
    if (at === 0) return '';
    const { start, count } = this.#vector(at, 1);
    const { buffer, byteOffset } = this.#view;
    return Buffer.from(buffer, byteOffset + start, count).toString();
  }

  table(slot: number): FlatTable | undefined {
    const at = this.#place(slot);
    return at === 0 ? undefined : new FlatTable(this.#view, this.#follow(at), this.#unread);
  }

  /** Returns the number of elements of a vector. */
  count(slot: number): number {
    const at = this.#place(slot);
    return at === 0 ? 0 : this.#vector(at, 1).count;
  }

  *tables(slot: number): Generator<FlatTable> {
    const at = this.#place(slot);
    if (at === 0) return;
    const { start, count } = this.#vector(at, 4);
    for (let index = 0; index < count; index++) {
      yield new FlatTable(this.#view, this.#follow(start + 4 * index), this.#unread);
    }
  }

  /** The elements of a vector whose elements are made of so many 64-bit integers each, one after the other. */
  int64s(slot: number, perElement: number): number[] {
    const at = this.#place(slot);
    if (at === 0) return [];
    const { start, count } = this.#vector(at, 8 * perElement);
    return Array.from({ length: count * perElement }, (_, index) =>
      Number(this.#view.getBigInt64(start + 8 * index, true)),
    );
  }

  /** The place of a field; 0 if it is absent. */
  #place(slot: number): number {
    const entry = 4 + 2 * slot;
    if (entry + 2 > this.#vtableBytes) return 0;
    const offset = this.#view.getUint16(this.#vtable + entry, true);
    return offset === 0 ? 0 : this.#at + offset;
  }

  #follow(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  #vector(at: number, elementBytes: number): { start: number; count: number } {
    const vector = this.#follow(at);
    const count = this.#view.getUint32(vector, true);
    const start = vector + 4;
    if (start + count * elementBytes > this.#view.byteLength) {
      throw new RangeError('A vector is longer than its bytes.');
    }
    this.#unread.bytes -= count * elementBytes;
    if (this.#unread.bytes < 0) throw new RangeError('The same bytes are read too often.');
    return { start, count };
  }
}

/** A field of a table: its bytes there, and what writes them. */
export interface FlatValue {
  readonly bytes: number;
  readonly write: (builder: FlatBuilder, at: number) => void;
}

/** The fields of a table, in the order of its slots; undefined leaves one out. */
export type FlatField = FlatValue | undefined;
export type FlatFields = readonly FlatField[];

export const uint8 = (value: number): FlatField => ({ bytes: 1, write: ({ view }, at) => view.setUint8(at, value) });
export const int16 = (value: number): FlatField => ({
  bytes: 2,
  write: ({ view }, at) => view.setInt16(at, value, true),
});
export const int32 = (value: number): FlatField => ({
  bytes: 4,
  write: ({ view }, at) => view.setInt32(at, value, true),
});
export const int64 = (value: number): FlatField => ({
  bytes: 8,
  write: ({ view }, at) => view.setBigInt64(at, BigInt(value), true),
});
export const text = (value: string): FlatField => reference((builder) => builder.string(value));
export const table = (fields: FlatFields): FlatField => reference((builder) => builder.table(fields));
export const tables = (items: readonly FlatFields[]): FlatField => reference((builder) => builder.tables(items));

/** A vector of structs that are made of 64-bit integers. */
export function int64Structs(values: readonly number[], perElement: number): FlatField {
  const words = BigInt64Array.from(values, (value) => BigInt(value));
  const bytes = new Uint8Array(words.buffer);
  return reference((builder) => builder.structs(values.length / perElement, bytes));
}

/** @param write returns the place of what it wrote. */
function reference(write: (builder: FlatBuilder) => number): FlatField {
  return { bytes: 4, write: (builder, at) => builder.refer(at, write(builder)) };
}

/** Writes tables of FlatBuffers, each before what it refers to. */
export class FlatBuilder {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Returns the bytes of a root table: a multiple of 8. */
  static bytes(root: FlatFields): Uint8Array {
    const builder = new FlatBuilder();
    builder.#reserve(8);
    builder.refer(0, builder.table(root));
    builder.#align(8);
    return builder.#bytes.subarray(0, builder.#length);
  }

  get view(): DataView {
    return this.#view;
  }

  table(fields: FlatFields): number {
    const { offsets, end } = fieldOffsets(fields);
    const vtableBytes = 4 + 2 * fields.length;
    this.#align(8);
    // The table begins at a multiple of 8, right behind its vtable.
    this.#reserve((8 - (vtableBytes % 8)) % 8);
    const vtable = this.#reserve(vtableBytes);
    const at = this.#reserve(end);
    this.#view.setUint16(vtable, vtableBytes, true);
    this.#view.setUint16(vtable + 2, end, true);
    this.#view.setInt32(at, at - vtable, true);
    for (const [slot, field] of fields.entries()) {
      const offset = offsets[slot] ?? 0;
      this.#view.setUint16(vtable + 4 + 2 * slot, offset, true);
      field?.write(this, at + offset);
    }
    return at;
  }

  string(value: string): number {
    const bytes = Buffer.from(value);
    this.#align(4);
    const at = this.#reserve(4 + bytes.length + 1);
    this.#view.setUint32(at, bytes.length, true);
    this.#bytes.set(bytes, at + 4);
    return at;
  }

  tables(items: readonly FlatFields[]): number {
    this.#align(4);
    const at = this.#reserve(4 + 4 * items.length);
    this.#view.setUint32(at, items.length, true);
    for (const [index, item] of items.entries()) this.refer(at + 4 + 4 * index, this.table(item));
    return at;
  }

  /** @param bytes of the structs, which are aligned to 8. */
  structs(count: number, bytes: Uint8Array): number {
    this.#align(8);
    // The count stands right before the structs.
    const at = this.#reserve(8 + bytes.length) + 4;
    this.#view.setUint32(at, count, true);
    this.#bytes.set(bytes, at + 4);
    return at;
  }

  refer(at: number, to: number): void {
    this.#view.setUint32(at, to - at, true);
  }

  #align(bytes: number): void {
    this.#reserve((bytes - (this.#length % bytes)) % bytes);
  }

  /** Returns the place of so many new bytes of zero. */
  #reserve(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}

/** The places of the fields in a table, whose first four bytes lead to its vtable; 0 for those left out. */
function fieldOffsets(fields: FlatFields): { offsets: number[]; end: number } {
  let end = 4;
  const offsets = fields.map((field) => {
    if (field === undefined) return 0;
    const { bytes } = field;
    const offset = end + ((bytes - (end % bytes)) % bytes);
    end = offset + bytes;
    return offset;
  });
  return { offsets, end };
}
