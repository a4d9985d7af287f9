import { BlockOutput } from './block-output.js';

const FRAME_MAGIC = 0x184d2204;

/** Flags of a frame, beside its version 1 in the two highest bits. */
const [HAS_DICTIONARY, HAS_SIZE, HAS_BLOCK_CHECKSUMS] = [0x01, 0x08, 0x10];

/**
 * Decompresses a block of LZ4 (github.com/lz4/lz4, lz4_Block_format.md).
 *
 * @param length of the bytes when decompressed.
 * @throws {RangeError} if it has another length, or is no such block.
 */
export function decompressLz4(source: Uint8Array, length: number): Uint8Array {
  const output = new BlockOutput(new Uint8Array(length));
  readBlock(source, output);
  if (!output.isFull) throw new RangeError('The block ends early.');
  return output.bytes;
}

/**
 * Decompresses a frame of LZ4 (github.com/lz4/lz4, lz4_Frame_format.md), without comparing its checksums.
 *
 * @param bytes of the length of the frame's data, which are written there.
 * @throws {RangeError} if they have another length, or this is no such frame.
 */
export function decompressLz4Frame(frame: Uint8Array, bytes: Uint8Array): void {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const flags = view.getUint8(4);
  if (view.getUint32(0, true) !== FRAME_MAGIC || flags >> 6 !== 1 || flags & HAS_DICTIONARY) {
    throw new RangeError('It is not a frame of version 1 by itself.');
  }
  const output = new BlockOutput(bytes);
  // The magic, the flags, the size of blocks, the size of the data, and a checksum of these.
  let at = 7 + (flags & HAS_SIZE ? 8 : 0);
  for (;;) {
    const header = view.getUint32(at, true);
    at += 4;
    if (header === 0) break;
    // The highest bit says that the block is not compressed. Copies may reach into earlier blocks.
    const length = header & 0x7fffffff;
    if (header >>> 31) output.literal(frame, at, length);
    else readBlock(frame.subarray(at, at + length), output);
    at += length + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
  if (!output.isFull) throw new RangeError('The frame ends early.');
}

function readBlock(source: Uint8Array, output: BlockOutput): void {
  let at = 0;
  const extended = (nibble: number) => {
    let count = nibble;
    if (nibble < 15) return count;
    for (let byte = 255; byte === 255; count += byte) byte = source[at++] ?? 0;
    return count;
  };
  while (at < source.length) {
    const token = source[at++] ?? 0;
    const literals = extended(token >> 4);
    output.literal(source, at, literals);
    at += literals;
    // The last sequence has literals only.
    if (at >= source.length) break;
    const distance = (source[at] ?? 0) | ((source[at + 1] ?? 0) << 8);
    at += 2;
    output.copy(distance, extended(token & 15) + 4);
  }
}
