/** Kinds of values in the compact protocol (thrift.apache.org, "Thrift compact protocol encoding"). */
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, , STRUCT] = Array.from(
  { length: 13 },
  (_, kind) => kind,
);

const MAX_DEPTH = 32;

/** Readers of the fields of a struct, by their numbers; other fields are skipped. */
export type Fields = Readonly<Record<number, () => void>>;

/**
 * Reads metadata of Parquet, field by field. It keeps nothing of fields that nobody asked for, and
 * all methods throw a RangeError outside of the bytes, or where they are not metadata.
 */
export class ThriftReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #kind = 0;
  #depth = 0;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** The place behind what was read. */
  get end(): number {
    return this.#at;
  }

  struct(fields: Fields): void {
    if (++this.#depth > MAX_DEPTH) throw new RangeError('The metadata nests too deep.');
    let number = 0;
    for (;;) {
      const byte = this.#byte();
      const kind = byte & 0x0f;
      if (kind === STOP) break;
      number = byte >> 4 ? number + (byte >> 4) : this.#zigzag();
      this.#kind = kind;
      const read = fields[number];
      if (read) read();
      else this.#skip(kind);
    }
    this.#depth--;
  }

  bool(): boolean {
    if (this.#kind !== TRUE && this.#kind !== FALSE) throw unexpected();
    return this.#kind === TRUE;
  }

  /** An integer of up to 64 bits, as the nearest double. */
  integer(): number {
    if (this.#kind === BYTE) return (this.#byte() << 24) >> 24;
    if (this.#kind !== I16 && this.#kind !== I32 && this.#kind !== I64) throw unexpected();
    return this.#zigzag();
  }

  string(): string {
    if (this.#kind !== BINARY) throw unexpected();
    const length = this.#varint();
    const start = this.#at;
    this.#advance(length);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, length).toString();
  }

  /**
   * @param most the most elements.
   * @param tooMany is thrown for more, if the bytes may have them.
   */
  list<T>(most: number, read: () => T, tooMany?: Error): T[] {
    if (this.#kind !== LIST) throw unexpected();
    const { kind, count } = this.#listHeader();
    if (count > most && tooMany && count <= this.#bytes.length) throw tooMany;
    if (count > most) throw new RangeError('A list is too long.');
    const elements: T[] = [];
    for (let index = 0; index < count; index++) {
      this.#kind = kind;
      elements.push(read());
    }
    return elements;
  }

  #skip(kind: number): void {
    if (kind === TRUE || kind === FALSE) return;
    if (kind === BYTE) this.#advance(1);
    else if (kind === I16 || kind === I32 || kind === I64) this.#varint();
    else if (kind === DOUBLE) this.#advance(8);
    else if (kind === BINARY) this.#advance(this.#varint());
    else if (kind === STRUCT) this.struct({});
    else if (kind === LIST || kind === SET) this.#skipList();
    else throw unexpected();
  }

  #skipList(): void {
    const { kind, count } = this.#listHeader();
    const isBool = kind === TRUE || kind === FALSE;
    if (++this.#depth > MAX_DEPTH) throw new RangeError('The metadata nests too deep.');
    // Each element takes a byte at the least, so that no list is longer than its bytes.
    for (let index = 0; index < count; index++) this.#skip(isBool ? (BYTE ?? 0) : kind);
    this.#depth--;
  }

  #listHeader(): { kind: number; count: number } {
    const byte = this.#byte();
    const count = byte >> 4 === 15 ? this.#varint() : byte >> 4;
    return { kind: byte & 0x0f, count };
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  #varint(): number {
    let value = 0;
    for (let unit = 1; unit < 2 ** 70; unit *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
    throw new RangeError('A number is too long.');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('The metadata ends early.');
    return byte;
  }

  #advance(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new RangeError('The metadata ends early.');
  }
}

function unexpected(): RangeError {
  return new RangeError('The metadata has a value of another kind.');
}
