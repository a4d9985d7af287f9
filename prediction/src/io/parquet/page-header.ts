import { ThriftReader } from './thrift-reader.js';

/** The header of a page: PageHeader of parquet.thrift. */
export interface PageHeader {
  /** 0 and 3 are data, 1 is an index, 2 is a dictionary. */
  readonly kind: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly values: number;
  readonly encoding: number;
  /** Of the bits that tell which values are there: of version 1 of data. */
  readonly levelEncoding: number;
  /** The bytes before the values, of version 2 of data. */
  readonly levelBytes: number;
  readonly repetitionBytes: number;
  readonly isCompressed: boolean;
  /** The place behind the header. */
  readonly end: number;
}

/** @throws {RangeError} if there is no header at this place. */
export function readPageHeader(chunk: Uint8Array, start: number): PageHeader {
  const reader = new ThriftReader(chunk, start);
  let [kind, compressedBytes, bytes, values, encoding] = [-1, -1, -1, -1, -1];
  let [levelEncoding, levelBytes, repetitionBytes] = [0, 0, 0];
  let isCompressed = true;
  const version1 = {
    1: () => {
      values = reader.integer();
    },
    2: () => {
      encoding = reader.integer();
    },
    3: () => {
      levelEncoding = reader.integer();
    },
  };
  const version2 = {
    1: version1[1],
    4: version1[2],
    5: () => {
      levelBytes = reader.integer();
    },
    6: () => {
      repetitionBytes = reader.integer();
    },
    7: () => {
      isCompressed = reader.bool();
    },
  };
  reader.struct({
    1: () => {
      kind = reader.integer();
    },
    2: () => {
      bytes = reader.integer();
    },
    3: () => {
      compressedBytes = reader.integer();
    },
    5: () => reader.struct(version1),
    7: () => reader.struct({ 1: version1[1], 2: version1[2] }),
    8: () => reader.struct(version2),
  });
  const { end } = reader;
  if (compressedBytes < 0 || bytes < 0 || end + compressedBytes > chunk.length) {
    throw new RangeError('A page is longer than its column.');
  }
  const levels = levelBytes + repetitionBytes;
  if (levelBytes < 0 || repetitionBytes < 0 || levels > compressedBytes || levels > bytes) {
    throw new RangeError('The levels are longer than their page.');
  }
  return {
    ...{ kind, compressedBytes, bytes, values, encoding, end },
    ...{ levelEncoding, levelBytes, repetitionBytes, isCompressed },
  };
}
