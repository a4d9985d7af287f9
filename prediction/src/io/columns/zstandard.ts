import { decompress } from 'fzstd';

/** The byte behind the data of a frame: fzstd does not tell how many bytes it wrote into an output. */
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

/** Returns a copy of a frame whose data end with `END_MARK`, as a block of its own (RFC 8878, 3.1.1.2). */
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
