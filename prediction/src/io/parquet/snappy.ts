import { BlockOutput } from '../columns/block-output.js';

/**
 * Decompresses a block of Snappy (github.com/google/snappy, format_description.txt).
 *
 * @param length of the bytes when decompressed.
 * @throws {RangeError} if it has another length, or is no such block.
 */
export function decompressSnappy(source: Uint8Array, length: number): Uint8Array {
  const output = new BlockOutput(new Uint8Array(length));
  let at = 0;
  // The length stands at the beginning, too.
  while ((source[at++] ?? 0) >= 0x80);
  const little = (start: number, bytes: number) => {
    let value = 0;
    for (let index = bytes - 1; index >= 0; index--)
      value = value * 256 + (source[start + index] ?? 0);
    return value;
  };
  while (at < source.length) {
    const tag = source[at++] ?? 0;
    const size = tag >> 2;
    switch (tag & 3) {
      case 0: {
        const extra = Math.max(size - 59, 0);
        const count = (extra === 0 ? size : little(at, extra)) + 1;
        at += extra;
        output.literal(source, at, count);
        at += count;
        break;
      }
      case 1:
        output.copy(((tag >> 5) << 8) | little(at, 1), 4 + (size & 7));
        at += 1;
        break;
      case 2:
        output.copy(little(at, 2), 1 + size);
        at += 2;
        break;
      default:
        output.copy(little(at, 4), 1 + size);
        at += 4;
    }
  }
  if (!output.isFull) throw new RangeError('The block ends early.');
  return output.bytes;
}
