import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompress as decompressZstandard } from 'fzstd';
import { FormatFault } from '../columns/format-fault.js';
import { decompressLz4 } from './lz4.js';
import { decompressSnappy } from './snappy.js';

type Decompressor = (bytes: Uint8Array, length: number) => Uint8Array;

/** The codecs of parquet.thrift, by number. */
const CODECS: readonly { readonly name: string; readonly read: Decompressor | undefined }[] = [
  { name: 'none', read: (bytes) => bytes },
  { name: 'Snappy', read: decompressSnappy },
  { name: 'gzip', read: (bytes, length) => gunzipSync(bytes, { maxOutputLength: length }) },
  { name: 'LZO', read: undefined },
  {
    name: 'Brotli',
    read: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: length }),
  },
  { name: 'LZ4 of Hadoop', read: undefined },
  { name: 'Zstandard', read: decompressFrame },
  { name: 'LZ4', read: decompressLz4 },
];

/**
 * Decompresses the bytes of a page.
 *
 * @param length of the bytes when decompressed, which the caller has limited.
 * @throws {FormatFault} if they are damaged, or of a codec that is not read.
 */
export function decompress(bytes: Uint8Array, codec: number, length: number): Uint8Array {
  const { name, read } = CODECS[codec] ?? { name: `number ${codec}`, read: undefined };
  if (read === undefined) {
    throw new FormatFault(
      `the codec ${name} is not read. Write it with Snappy, Zstandard or gzip.`,
    );
  }
  if (length === 0) return new Uint8Array();
  const decompressed = tried(() => read(bytes, length));
  if (decompressed?.length === length) return decompressed;
  throw new FormatFault(`its bytes are no whole block of the codec ${name}. Write the file again.`);
}

function decompressFrame(bytes: Uint8Array, length: number): Uint8Array {
  const { contentSize, end } = readFrameHeader(bytes);
  if ((contentSize ?? length) !== length) throw new RangeError('It has another length.');
  const output = new Uint8Array(length + 1);
  // fzstd 0.1.1 asks whether its output `== 1`, for which an array becomes a text of all its numbers: 100 ns a byte.
  Object.defineProperty(output, Symbol.toPrimitive, { value: () => Number.NaN });
  decompressZstandard(appendByte(bytes, end), output);
  if (output[length] !== END_MARK) throw new RangeError('Its data end early.');
  return output.subarray(0, length);
}

/** The byte behind the data of a frame: fzstd does not tell how many bytes it wrote into an output. */
const END_MARK = 0xff;

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

/** Whatever a decompressor throws, its bytes are at fault. */
function tried(read: () => Uint8Array): Uint8Array | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
