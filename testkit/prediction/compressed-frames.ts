import { type MadeNumbers, Written } from './hostile-files.js';

/** Frames of bytes as they are, of which each length can be another than it should be. */

export function lz4Frame(numbers: MadeNumbers, bytes: Uint8Array): Uint8Array {
  const out = new Written().little(0x184d2204, 4).bytes([0x68, 0x40]).little(bytes.length, 8);
  out.bytes([0]);
  // The highest bit says that a block is not compressed.
  if (bytes.length > 0) out.little(numbers.set(2 ** 31 + bytes.length), 4).bytes(bytes);
  return out.little(numbers.set(0), 4).done();
}

export function zstandardFrame(numbers: MadeNumbers, bytes: Uint8Array): Uint8Array {
  const out = new Written().little(0xfd2fb528, 4).bytes([0xa0]);
  out.little(numbers.set(bytes.length), 4);
  // The lowest bit says that a block is the last one.
  return out
    .little(numbers.set(8 * bytes.length + 1), 3)
    .bytes(bytes)
    .done();
}
