import { decompress } from 'fzstd';

/** Shorter copies are made byte by byte. */
const SHORT = 64;

/** Memory of the length of decompressed bytes, which are literals and copies of what came before. */
class BlockOutput {
  #length = 0;

  constructor(readonly bytes: Uint8Array) {}

  get isFull(): boolean {
    return this.#length === this.bytes.length;
  }

  /** @throws {RangeError} if there is no room for them, or they end early. */
  literal(source: Uint8Array, start: number, count: number): void {
    if (start + count > source.length) throw new RangeError('The bytes end early.');
    const to = this.#length;
    this.#reserve(count);
    const { bytes } = this;
    if (count < SHORT) for (let at = 0; at < count; at++) bytes[to + at] = source[start + at] ?? 0;
    else bytes.set(source.subarray(start, start + count), to);
  }

  /** Repeats bytes from `distance` before the end on, which may reach into the copy itself. */
  copy(distance: number, count: number): void {
    const to = this.#length;
    if (distance === 0 || distance > to) throw new RangeError('A copy begins before the bytes.');
    this.#reserve(count);
    if (distance >= count) {
      this.bytes.copyWithin(to, to - distance, to - distance + count);
      return;
    }
    const { bytes } = this;
    if (count < SHORT) {
      for (let at = to; at < to + count; at++) bytes[at] = bytes[at - distance] ?? 0;
      return;
    }
    // The copy repeats, too, so that each step copies more.
    for (let copied = 0; copied < count; ) {
      const size = Math.min(distance + copied, count - copied);
      bytes.copyWithin(to + copied, to - distance, to - distance + size);
      copied += size;
    }
  }

  #reserve(count: number): void {
    this.#length += count;
    if (this.#length > this.bytes.length) throw new RangeError('There are too many bytes.');
  }
}

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
    for (let index = bytes - 1; index >= 0; index--) value = value * 256 + (source[start + index] ?? 0);
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

/** The byte behind the data of a frame: fzstd does not show how many bytes it wrote into an output. */
const END_MARK = 0xff;

/**
 * Decompresses a frame of Zstandard (RFC 8878), and returns the part of the room that its data take.
 *
 * @param room for its data, and one byte more.
 * @throws {Error} if they have another length, or this is no such frame.
 */
export function decompressZstandard(frame: Uint8Array, room: Uint8Array): Uint8Array {
  const length = room.length - 1;
  const { contentSize, end } = readFrameHeader(frame);
  if ((contentSize ?? length) !== length) throw new RangeError('It has another length.');
  // fzstd 0.1.1 asks whether its output `== 1`, for which an array becomes a text of all its numbers: 100 ns a byte.
  Object.defineProperty(room, Symbol.toPrimitive, { value: () => Number.NaN });
  decompress(appendByte(frame, end), room);
  if (room[length] !== END_MARK) throw new RangeError('Its data end early.');
  return room.subarray(0, length);
}

/** Returns a copy of a frame whose data end with `END_MARK`, as a separate block (RFC 8878, 3.1.1.2). */
function appendByte(frame: Uint8Array, firstBlock: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  let last = firstBlock;
  let end = firstBlock;
  for (let isLast = false; !isLast; ) {
    last = end;
    const header = view.getUint16(last, true) + (view.getUint8(last + 2) << 16);
    const isRun = ((header >> 1) & 3) === 1;
    isLast = (header & 1) === 1;
    end = last + 3 + (isRun ? 1 : header >> 3);
  }
  const marked = new Uint8Array(frame.length + 4);
  marked.set(frame.subarray(0, end));
  marked[last] = (marked[last] ?? 0) & ~1;
  marked.set([(1 << 3) | 1, 0, 0, END_MARK], end);
  marked.set(frame.subarray(end), end + 4);
  return marked;
}

/** Reads where the header of a frame ends, and its bytes when decompressed, if it says so (RFC 8878, 3.1.1.1). */
function readFrameHeader(frame: Uint8Array): { contentSize: number | undefined; end: number } {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const flags = view.getUint8(4);
  const isSingle = (flags >> 5) & 1;
  const at = 6 - isSingle + ([0, 1, 2, 4][flags & 3] ?? 0);
  switch (flags >> 6) {
    case 0:
      return { contentSize: isSingle ? view.getUint8(at) : undefined, end: at + isSingle };
    case 1:
      return { contentSize: 256 + view.getUint16(at, true), end: at + 2 };
    case 2:
      return { contentSize: view.getUint32(at, true), end: at + 4 };
    default:
      return { contentSize: Number(view.getBigUint64(at, true)), end: at + 8 };
  }
}
