/** The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), as far as ONNX needs it. */

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** A message that is being written. Its large parts are kept as they are, and never copied. */
export class Message {
  /** The bytes of the message, in parts. */
  readonly parts: Uint8Array[] = [];
  #length = 0;

  /** Bytes. */
  get length(): number {
    return this.#length;
  }

  /** @param value whole, not negative */
  int(field: number, value: number): this {
    return this.#tag(field, VARINT).#varint(value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, LENGTH_DELIMITED).#varint(value.length).#put(value);
  }

  message(field: number, value: Message): this {
    this.#tag(field, LENGTH_DELIMITED).#varint(value.length);
    for (const part of value.parts) this.#put(part);
    return this;
  }

  /** @param values whole, not negative; written packed */
  ints(field: number, values: ArrayLike<number>): this {
    let length = 0;
    for (let index = 0; index < values.length; index++) length += varintLength(values[index] ?? 0);
    const bytes = new Uint8Array(length);
    let at = 0;
    for (let index = 0; index < values.length; index++) {
      at = writeVarint(bytes, at, values[index] ?? 0);
    }
    return this.bytes(field, bytes);
  }

  #tag(field: number, type: number): this {
    return this.#varint(8 * field + type);
  }

  #varint(value: number): this {
    const bytes = new Uint8Array(varintLength(value));
    writeVarint(bytes, 0, value);
    return this.#put(bytes);
  }

  #put(bytes: Uint8Array): this {
    this.parts.push(bytes);
    this.#length += bytes.length;
    return this;
  }
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Returns the place behind the varint. */
function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let next = at;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[next++] = (rest % 128) + 128;
  bytes[next++] = rest;
  return next;
}
