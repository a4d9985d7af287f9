import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompressLz4, decompressSnappy, decompressZstandard } from '../columns/compression.js';
import { FormatError } from '../columns/format-error.js';

type Decompressor = (bytes: Uint8Array, length: number) => Uint8Array;

/** The codecs of parquet.thrift, by number. */
const CODECS: readonly { readonly name: string; readonly read: Decompressor | undefined }[] = [
  { name: 'none', read: (bytes) => bytes },
  { name: 'Snappy', read: decompressSnappy },
  { name: 'gzip', read: (bytes, length) => gunzipSync(bytes, { maxOutputLength: length }) },
  { name: 'LZO', read: undefined },
  { name: 'Brotli', read: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: length }) },
  { name: 'LZ4 of Hadoop', read: undefined },
  { name: 'Zstandard', read: (bytes, length) => decompressZstandard(bytes, new Uint8Array(length + 1)) },
  { name: 'LZ4', read: decompressLz4 },
];

/**
 * Decompresses the bytes of a page.
 *
 * @param length of the bytes when decompressed, which the caller has limited.
 * @throws {FormatError} if they are damaged, or of a codec that is not read.
 */
export function decompress(bytes: Uint8Array, codec: number, length: number): Uint8Array {
  const { name, read } = CODECS[codec] ?? { name: `number ${codec}`, read: undefined };
  if (read === undefined) {
    throw new FormatError(`the codec ${name} is not read. Write it with Snappy, Zstandard or gzip.`);
  }
  if (length === 0) return new Uint8Array();
  const decompressed = tried(() => read(bytes, length));
  if (decompressed?.length === length) return decompressed;
  throw new FormatError(`its bytes are not a whole block of the codec ${name}. Write the file again.`);
}

/** Whatever a decompressor throws, its bytes are at fault. */
function tried(read: () => Uint8Array): Uint8Array | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
