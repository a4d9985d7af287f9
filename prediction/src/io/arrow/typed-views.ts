interface Views<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, start: number, length: number): T;
}

/** Returns the numbers of some bytes, which are copied only if they are not aligned. */
export function aligned<T>(bytes: Uint8Array, Type: Views<T>): T {
  const size = Type.BYTES_PER_ELEMENT;
  const of = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  return new Type(of.buffer, of.byteOffset, Math.floor(of.length / size));
}
