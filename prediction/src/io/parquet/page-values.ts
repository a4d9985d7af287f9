import { MAX_HELD_BYTES } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import { readDeltas } from './delta-integers.js';
import { readHybrid } from './hybrid-runs.js';
import { type LeafType, Physical } from './leaf-type.js';

/** Values of a page: those that are present, one after the other. */
export type PageValues =
  /** As many bytes each as the type has. */
  | { readonly kind: 'fixed'; readonly bytes: Uint8Array }
  | { readonly kind: 'slices'; readonly slices: Slices }
  | { readonly kind: 'bits'; readonly codes: Int32Array }
  /** Indices of the dictionary. */
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
 * @param grow is told the bytes of texts that share their beginnings, before they are written out.
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
  throw new FormatError(
    `the encoding ${encoding} is not read. Write it with the default encodings.`,
  );
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
function grownValues(
  bytes: Uint8Array,
  count: number,
  type: LeafType,
  grow: (bytes: number) => void,
): PageValues {
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
