import { MAX_HELD_BYTES } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import { type LeafType, Physical } from './leaf-type.js';

/** Values of a page: those that are present, one after the other. */
export type PageValues =
  /** As many bytes each as the type has. */
  | { readonly kind: 'fixed'; readonly bytes: Uint8Array }
  | { readonly kind: 'slices'; readonly slices: Slices }
  | { readonly kind: 'bits'; readonly codes: Int32Array }
  | { readonly kind: 'indices'; readonly codes: Int32Array };

/** Bytes of different lengths, by where they begin and end. */
export interface Slices {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The encodings of parquet.thrift. */
const Encoding = {
  Plain: 0,
  PlainDictionary: 2,
  Runs: 3,
  DeltaIntegers: 5,
  DeltaLengths: 6,
  DeltaBytes: 7,
  RunsOfIndices: 8,
  SplitStreams: 9,
} as const;

/**
 * Reads the values of a page.
 *
 * @param grow gets the bytes of texts that share their beginnings, before they are written out.
 * @throws {FormatError} at an encoding that is not read.
 * @throws {RangeError} if the bytes do not hold so many values.
 */
export function readValues(
  bytes: Uint8Array,
  encoding: number,
  count: number,
  type: LeafType,
  grow: (bytes: number) => void,
): PageValues {
  switch (encoding) {
    case Encoding.Plain:
      return plainValues(bytes, count, type);
    case Encoding.PlainDictionary:
    case Encoding.RunsOfIndices: {
      const codes = new Int32Array(count);
      if (count > 0) readHybrid(bytes.subarray(1), bytes[0] ?? 0, codes);
      return { kind: 'indices', codes };
    }
    case Encoding.Runs:
      if (type.physical !== Physical.Boolean) break;
      return { kind: 'bits', codes: runsOfBits(bytes, count) };
    case Encoding.DeltaIntegers:
      return { kind: 'fixed', bytes: deltaIntegers(bytes, count, type) };
    case Encoding.DeltaLengths:
      return { kind: 'slices', slices: lengthsFirst(bytes, 0, count) };
    case Encoding.DeltaBytes:
      return grownValues(bytes, count, type, grow);
    case Encoding.SplitStreams:
      return { kind: 'fixed', bytes: joinedStreams(bytes, count, type.size) };
    default:
  }
  throw new FormatError(`the encoding ${encoding} is not read. Write it with the default encodings.`);
}

/** Reads values of the encoding PLAIN, in which dictionaries are, too. */
export function plainValues(bytes: Uint8Array, count: number, type: LeafType): PageValues {
  if (type.physical === Physical.Boolean) {
    const codes = new Int32Array(count);
    checkRoom(bytes, Math.ceil(count / 8));
    for (let at = 0; at < count; at++) codes[at] = ((bytes[at >> 3] ?? 0) >> (at & 7)) & 1;
    return { kind: 'bits', codes };
  }
  if (type.size > 0) {
    checkRoom(bytes, count * type.size);
    return { kind: 'fixed', bytes: bytes.subarray(0, count * type.size) };
  }
  // Each value takes the four bytes of its length at the least.
  checkRoom(bytes, 4 * count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = 0;
  for (let index = 0; index < count; index++) {
    starts[index] = at + 4;
    at += 4 + view.getUint32(at, true);
    checkRoom(bytes, at);
    ends[index] = at;
  }
  return { kind: 'slices', slices: { bytes, starts, ends } };
}

function runsOfBits(bytes: Uint8Array, count: number): Int32Array {
  const codes = new Int32Array(count);
  checkRoom(bytes, 4);
  readHybrid(bytes.subarray(4), 1, codes);
  return codes;
}

function deltaIntegers(bytes: Uint8Array, count: number, { physical }: LeafType): Uint8Array {
  const { values } = readDeltas(bytes, 0, count);
  if (physical === Physical.Int64) return new Uint8Array(values.buffer);
  if (physical !== Physical.Int32) throw new RangeError('Only integers have differences.');
  const narrow = Int32Array.from(values, (value) => Number(BigInt.asIntN(32, value)));
  return new Uint8Array(narrow.buffer);
}

function lengthsFirst(bytes: Uint8Array, start: number, count: number): Slices {
  const { values, end } = readDeltas(bytes, start, count);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = end;
  for (const [index, length] of values.entries()) {
    starts[index] = at;
    if (length < 0n) throw new RangeError('A length is negative.');
    at += Number(length);
    checkRoom(bytes, at);
    ends[index] = at;
  }
  return { bytes, starts, ends };
}

/** Reads values of which each begins with a part of the one before. */
function grownValues(bytes: Uint8Array, count: number, type: LeafType, grow: (bytes: number) => void): PageValues {
  const prefixes = readDeltas(bytes, 0, count);
  const suffixes = lengthsFirst(bytes, prefixes.end, count);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let length = 0;
  for (let index = 0; index < count; index++) {
    const prefix = Number(prefixes.values[index] ?? 0n);
    const before = index === 0 ? 0 : (ends[index - 1] ?? 0) - (starts[index - 1] ?? 0);
    if (prefix < 0 || prefix > before) throw new RangeError('A shared beginning is too long.');
    starts[index] = length;
    length += prefix + (suffixes.ends[index] ?? 0) - (suffixes.starts[index] ?? 0);
    // Places have 32 bits.
    if (length > MAX_HELD_BYTES) break;
    ends[index] = length;
  }
  grow(length);
  const grown = new Uint8Array(length);
  for (let index = 0; index < count; index++) {
    const start = starts[index] ?? 0;
    const prefix = Number(prefixes.values[index] ?? 0n);
    const before = starts[index - 1] ?? 0;
    grown.copyWithin(start, before, before + prefix);
    const suffix = bytes.subarray(suffixes.starts[index], suffixes.ends[index]);
    grown.set(suffix, start + prefix);
  }
  if (type.size === 0) return { kind: 'slices', slices: { bytes: grown, starts, ends } };
  if (length !== count * type.size) throw new RangeError('A value has another length.');
  return { kind: 'fixed', bytes: grown };
}

/** Reads values whose first bytes stand together, then their second, and so on. */
function joinedStreams(bytes: Uint8Array, count: number, size: number): Uint8Array {
  if (size === 0) throw new RangeError('Values of one length only are split.');
  checkRoom(bytes, count * size);
  const joined = new Uint8Array(count * size);
  for (let byte = 0; byte < size; byte++) {
    for (let index = 0; index < count; index++) {
      joined[index * size + byte] = bytes[byte * count + index] ?? 0;
    }
  }
  return joined;
}

function checkRoom(bytes: Uint8Array, needed: number): void {
  if (needed > bytes.length) throw new RangeError('The values end early.');
}

/** More values than that no dictionary has, as its bytes are limited. */
const MAX_WIDTH = 24;

/**
 * Reads numbers of the hybrid of runs and packed bits ("RLE" of Parquet's encodings) until `out` is full.
 *
 * @param width the bits of a number.
 * @throws {RangeError} if the bytes end before.
 */
export function readHybrid(bytes: Uint8Array, width: number, out: Int32Array | Uint8Array): void {
  if (width > MAX_WIDTH) throw new RangeError('The numbers have too many bits.');
  let at = 0;
  let filled = 0;
  while (filled < out.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 28) throw new RangeError('A run is damaged.');
      header += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const count = Math.floor(header / 2);
    if (header % 2 === 1) {
      const end = Math.min(filled + 8 * count, out.length);
      unpack(bytes, at, width, out.subarray(filled, end));
      at += count * width;
      filled = end;
    } else {
      const end = Math.min(filled + count, out.length);
      const size = (width + 7) >> 3;
      let value = 0;
      for (let index = 0; index < size; index++) value |= (bytes[at + index] ?? 0) << (8 * index);
      if (at + size > bytes.length) throw new RangeError('A run ends early.');
      out.fill(value, filled, end);
      at += size;
      filled = end;
    }
  }
}

function unpack(bytes: Uint8Array, start: number, width: number, out: Int32Array | Uint8Array) {
  if (start + Math.ceil((out.length * width) / 8) > bytes.length) {
    throw new RangeError('Packed numbers end early.');
  }
  const mask = 2 ** width - 1;
  let at = start;
  let held = 0;
  let bits = 0;
  for (let index = 0; index < out.length; index++) {
    while (bits < width) {
      held |= (bytes[at++] ?? 0) << bits;
      bits += 8;
    }
    out[index] = held & mask;
    held >>>= width;
    bits -= width;
  }
}

const MAX_BLOCK = 1 << 20;

/** Integers of the encoding DELTA_BINARY_PACKED, and the place behind them. */
interface DeltaIntegers {
  readonly values: BigInt64Array<ArrayBuffer>;
  readonly end: number;
}

/**
 * Reads `count` integers, each of which was written as its difference from the one before.
 *
 * @throws {RangeError} if the bytes end before, or are no such block.
 */
function readDeltas(bytes: Uint8Array, start: number, count: number): DeltaIntegers {
  const reader = new BitReader(bytes, start);
  const blockSize = Number(reader.varint());
  const miniblocks = Number(reader.varint());
  const total = Number(reader.varint());
  const perMiniblock = blockSize / miniblocks;
  const isSound = blockSize <= MAX_BLOCK && miniblocks > 0 && perMiniblock % 8 === 0;
  if (!isSound || perMiniblock === 0 || total !== count) throw new RangeError('A block is damaged.');
  const values = new BigInt64Array(count);
  let value = reader.zigzag();
  if (count > 0) values[0] = value;
  for (let filled = 1; filled < count; ) {
    const least = reader.zigzag();
    const widths = reader.bytes(miniblocks);
    for (const width of widths) {
      // Miniblocks behind the last value are not there.
      if (filled >= count) break;
      const end = Math.min(filled + perMiniblock, count);
      const deltas = reader.packed(width, perMiniblock);
      for (let at = 0; filled < end; at++) {
        value = BigInt.asIntN(64, value + least + deltas(at));
        values[filled++] = value;
      }
    }
  }
  return { values, end: reader.at };
}

class BitReader {
  constructor(
    private readonly source: Uint8Array,
    public at: number,
  ) {}

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.source[this.at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('A number is damaged.');
  }

  zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  bytes(count: number): Uint8Array {
    const start = this.at;
    this.at += count;
    if (this.at > this.source.length) throw new RangeError('A block ends early.');
    return this.source.subarray(start, this.at);
  }

  /** Passes over packed numbers, and returns what reads one of them. */
  packed(width: number, count: number): (index: number) => bigint {
    if (width > 64) throw new RangeError('The numbers have too many bits.');
    if (width === 0) return () => 0n;
    const packed = this.bytes((width * count) / 8);
    return (index) => bitsAt(packed, index * width, width);
  }
}

function bitsAt(bytes: Uint8Array, start: number, width: number): bigint {
  const first = start >> 3;
  const last = (start + width - 1) >> 3;
  let value = 0n;
  for (let at = last; at >= first; at--) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return (value >> BigInt(start & 7)) & ((1n << BigInt(width)) - 1n);
}
