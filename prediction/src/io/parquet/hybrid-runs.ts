/** More values than that no dictionary has, as its bytes are limited. */
const MAX_WIDTH = 24;

/**
 * Reads numbers of the hybrid of runs and packed bits ("RLE" of Parquet's encodings) until `out` is full.
 *
 * @param width the bits of a number.
 * @throws {RangeError} if the bytes end before.
 */
export function readHybrid(bytes: Uint8Array, width: number, out: Int32Array | Uint8Array): void {
  if (width > MAX_WIDTH) throw new RangeError('The numbers have too many bits.');
  let at = 0;
  let filled = 0;
  while (filled < out.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 28) throw new RangeError('A run is damaged.');
      header += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const count = Math.floor(header / 2);
    if (header % 2 === 1) {
      const end = Math.min(filled + 8 * count, out.length);
      unpack(bytes, at, width, out.subarray(filled, end));
      at += count * width;
      filled = end;
    } else {
      const end = Math.min(filled + count, out.length);
      const size = (width + 7) >> 3;
      let value = 0;
      for (let index = 0; index < size; index++) value |= (bytes[at + index] ?? 0) << (8 * index);
      if (at + size > bytes.length) throw new RangeError('A run ends early.');
      out.fill(value, filled, end);
      at += size;
      filled = end;
    }
  }
}

function unpack(bytes: Uint8Array, start: number, width: number, out: Int32Array | Uint8Array) {
  if (start + Math.ceil((out.length * width) / 8) > bytes.length) {
    throw new RangeError('Packed numbers end early.');
  }
  const mask = 2 ** width - 1;
  let at = start;
  let held = 0;
  let bits = 0;
  for (let index = 0; index < out.length; index++) {
    while (bits < width) {
      held |= (bytes[at++] ?? 0) << bits;
      bits += 8;
    }
    out[index] = held & mask;
    held >>>= width;
    bits -= width;
  }
}
