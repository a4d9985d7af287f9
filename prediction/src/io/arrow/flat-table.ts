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
