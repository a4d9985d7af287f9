/** A field of a table, in the order of its slots; undefined leaves it out. */
export type FlatField =
  | { readonly kind: 'uint8' | 'int16' | 'int32' | 'int64'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'table'; readonly value: FlatFields }
  | { readonly kind: 'tables'; readonly value: readonly FlatFields[] }
  /** A vector of structs, whose bytes are aligned to 8. */
  | { readonly kind: 'structs'; readonly count: number; readonly bytes: Uint8Array }
  | undefined;

export type FlatFields = readonly FlatField[];

const BYTES = { uint8: 1, int16: 2, int32: 4, int64: 8 } as const;

export const uint8 = (value: number): FlatField => ({ kind: 'uint8', value });
export const int16 = (value: number): FlatField => ({ kind: 'int16', value });
export const int32 = (value: number): FlatField => ({ kind: 'int32', value });
export const int64 = (value: number): FlatField => ({ kind: 'int64', value });
export const text = (value: string): FlatField => ({ kind: 'string', value });
export const table = (value: FlatFields): FlatField => ({ kind: 'table', value });
export const tables = (value: readonly FlatFields[]): FlatField => ({ kind: 'tables', value });

/** A vector of structs that are made of 64-bit integers. */
export function int64Structs(values: readonly number[], perElement: number): FlatField {
  const words = BigInt64Array.from(values, (value) => BigInt(value));
  const bytes = new Uint8Array(words.buffer);
  return { kind: 'structs', count: values.length / perElement, bytes };
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
    builder.#refer(0, builder.#table(root));
    builder.#align(8);
    return builder.#bytes.subarray(0, builder.#length);
  }

  #table(fields: FlatFields): number {
    const offsets = fieldOffsets(fields);
    const vtableBytes = 4 + 2 * fields.length;
    this.#align(8);
    // The table begins at a multiple of 8, right behind its vtable.
    this.#reserve((8 - (vtableBytes % 8)) % 8);
    const vtable = this.#reserve(vtableBytes);
    const at = this.#reserve(offsets.end);
    this.#view.setUint16(vtable, vtableBytes, true);
    this.#view.setUint16(vtable + 2, offsets.end, true);
    this.#view.setInt32(at, at - vtable, true);
    for (const [slot, field] of fields.entries()) {
      const offset = offsets.of[slot] ?? 0;
      this.#view.setUint16(vtable + 4 + 2 * slot, offset, true);
      if (field) this.#field(at + offset, field);
    }
    return at;
  }

  #field(at: number, field: NonNullable<FlatField>): void {
    switch (field.kind) {
      case 'uint8':
        this.#view.setUint8(at, field.value);
        break;
      case 'int16':
        this.#view.setInt16(at, field.value, true);
        break;
      case 'int32':
        this.#view.setInt32(at, field.value, true);
        break;
      case 'int64':
        this.#view.setBigInt64(at, BigInt(field.value), true);
        break;
      case 'string':
        this.#refer(at, this.#string(field.value));
        break;
      case 'table':
        this.#refer(at, this.#table(field.value));
        break;
      case 'tables':
        this.#refer(at, this.#tables(field.value));
        break;
      case 'structs':
        this.#refer(at, this.#structs(field.count, field.bytes));
        break;
    }
  }

  #string(value: string): number {
    const bytes = Buffer.from(value);
    this.#align(4);
    const at = this.#reserve(4 + bytes.length + 1);
    this.#view.setUint32(at, bytes.length, true);
    this.#bytes.set(bytes, at + 4);
    return at;
  }

  #tables(items: readonly FlatFields[]): number {
    this.#align(4);
    const at = this.#reserve(4 + 4 * items.length);
    this.#view.setUint32(at, items.length, true);
    for (const [index, item] of items.entries()) {
      this.#refer(at + 4 + 4 * index, this.#table(item));
    }
    return at;
  }

  #structs(count: number, bytes: Uint8Array): number {
    this.#align(8);
    // The count stands right before the structs.
    const at = this.#reserve(8 + bytes.length) + 4;
    this.#view.setUint32(at, count, true);
    this.#bytes.set(bytes, at + 4);
    return at;
  }

  #refer(at: number, to: number): void {
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
function fieldOffsets(fields: FlatFields): { of: number[]; end: number } {
  let end = 4;
  const of = fields.map((field) => {
    if (field === undefined) return 0;
    const bytes = field.kind in BYTES ? BYTES[field.kind as keyof typeof BYTES] : 4;
    const offset = end + ((bytes - (end % bytes)) % bytes);
    end = offset + bytes;
    return offset;
  });
  return { of, end };
}
