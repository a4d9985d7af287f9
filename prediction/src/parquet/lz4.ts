import { BlockOutput } from './block-output.js';

/**
 * Decompresses a block of LZ4 (github.com/lz4/lz4, lz4_Block_format.md).
 *
 * @param length of the bytes when decompressed.
 * @throws {RangeError} if it has another length, or is no such block.
 */
export function decompressLz4(source: Uint8Array, length: number): Uint8Array {
  const output = new BlockOutput(length);
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
  if (!output.isFull) throw new RangeError('The block ends early.');
  return output.bytes;
}
