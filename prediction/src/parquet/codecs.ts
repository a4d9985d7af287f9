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
  if ((contentSize(bytes) ?? length) !== length) throw new RangeError('It has another length.');
  const output = new Uint8Array(length);
  // fzstd 0.1.1 asks whether its output `== 1`, for which an array becomes a text of all its numbers: 100 ns a byte.
  Object.defineProperty(output, Symbol.toPrimitive, { value: () => Number.NaN });
  return decompressZstandard(bytes, output);
}

/** Returns the bytes that a frame of Zstandard says it has when decompressed (RFC 8878, 3.1.1.1), if it does. */
function contentSize(frame: Uint8Array): number | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const flags = view.getUint8(4);
  const isSingle = (flags >> 5) & 1;
  const at = 6 - isSingle + ([0, 1, 2, 4][flags & 3] ?? 0);
  switch (flags >> 6) {
    case 0:
      return isSingle ? view.getUint8(at) : undefined;
    case 1:
      return 256 + view.getUint16(at, true);
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
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
