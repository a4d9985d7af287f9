import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type MadeNumbers, Written } from './hostile-files.js';

/** Writes Parquet from the bytes up, so that each number in it can be another than it should be. */

type Write = (out: Written) => void;

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];

type FieldOfStruct = readonly [number: number, kind: number, write: Write];

/** A struct of the compact protocol, whose fields are in ascending order. */
function struct(...fields: readonly FieldOfStruct[]): Write {
  return (out) => {
    let last = 0;
    for (const [number, kind, write] of fields) {
      out.bytes([((number - last) << 4) | kind]);
      write(out);
      last = number;
    }
    out.bytes([0]);
  };
}

const text = (value: string): Write => {
  const bytes = Buffer.from(value);
  return (out) => out.varint(bytes.length).bytes(bytes);
};

function list(numbers: MadeNumbers, kind: number, items: readonly Write[]): Write {
  return (out) => {
    const count = numbers.set(items.length);
    if (count >= 0 && count < 15) out.bytes([(count << 4) | kind]);
    else out.bytes([0xf0 | kind]).varint(count);
    for (const write of items) write(out);
  };
}

/** Runs of one value, or packed bits: see "RLE" of Parquet's encodings. */
function hybrid(numbers: MadeNumbers, values: readonly number[], width: number): Uint8Array {
  const out = new Written();
  for (let at = 0; at < values.length; ) {
    const value = values[at] ?? 0;
    let end = at + 1;
    while (end < values.length && values[end] === value) end++;
    if (end - at > 2) {
      out.varint(numbers.set(2 * (end - at))).little(numbers.set(value), (width + 7) >> 3);
      at = end;
      continue;
    }
    out.varint(numbers.set(3));
    let bits = 0n;
    for (let index = 0; index < 8; index++) {
      bits |= BigInt(values[at + index] ?? 0) << BigInt(index * width);
    }
    for (let byte = 0; byte < width; byte++) out.bytes([Number((bits >> BigInt(8 * byte)) & 255n)]);
    at += 8;
  }
  return out.done();
}

/** Differences in blocks of 128, each in four parts: DELTA_BINARY_PACKED. */
function deltas(numbers: MadeNumbers, values: readonly number[]): Uint8Array {
  const out = new Written();
  out.varint(numbers.set(128)).varint(numbers.set(4)).varint(numbers.set(values.length));
  out.zigzag(numbers.set(values[0] ?? 0));
  for (let start = 1; start < values.length; start += 128) {
    const own = values.slice(start, start + 128);
    const differences = own.map((value, index) => value - (values[start + index - 1] ?? 0));
    const least = Math.min(...differences);
    out.zigzag(numbers.set(least));
    const parts = [0, 1, 2, 3].map((part) => differences.slice(32 * part, 32 * (part + 1)));
    for (const part of parts) out.bytes([numbers.set(part.length > 0 ? 16 : 0)]);
    for (const part of parts) {
      if (part.length === 0) continue;
      for (let at = 0; at < 32; at++) out.little((part[at] ?? least) - least, 2);
    }
  }
  return out.done();
}

/** Literals, and copies of single bytes that repeat. */
function* sequences(bytes: Uint8Array): Generator<{ literal: Uint8Array; repeat: number }> {
  let start = 0;
  for (let at = 1; at < bytes.length; at++) {
    let end = at;
    while (end < bytes.length && end < at + 60 && bytes[end] === bytes[at - 1]) end++;
    if (end - at < 8) continue;
    yield { literal: bytes.subarray(start, at), repeat: end - at };
    start = end;
    at = end;
  }
  yield { literal: bytes.subarray(start), repeat: 0 };
}

function snappy(numbers: MadeNumbers, bytes: Uint8Array): Uint8Array {
  const out = new Written().varint(numbers.set(bytes.length));
  for (const { literal, repeat } of sequences(bytes)) {
    if (literal.length > 0) {
      out
        .bytes([61 << 2])
        .little(numbers.set(literal.length - 1), 2)
        .bytes(literal);
    }
    if (repeat > 0) out.bytes([numbers.set(((repeat - 1) << 2) | 2)]).little(numbers.set(1), 2);
  }
  return out.done();
}

function lz4(numbers: MadeNumbers, bytes: Uint8Array): Uint8Array {
  const out = new Written();
  const extended = (count: number) => {
    if (count < 15) return;
    let left = numbers.set(count - 15);
    for (; left >= 255 && left < 1e4; left -= 255) out.bytes([255]);
    out.bytes([Math.max(left, 0) % 255]);
  };
  for (const { literal, repeat } of sequences(bytes)) {
    const copied = Math.max(repeat - 4, 0);
    out.bytes([numbers.set((Math.min(literal.length, 15) << 4) | Math.min(copied, 15))]);
    extended(literal.length);
    out.bytes(literal);
    if (repeat === 0) break;
    out.little(numbers.set(1), 2);
    extended(copied);
  }
  return out.done();
}

/** A frame of one block without compression, or of one byte that repeats. */
function zstandard(numbers: MadeNumbers, bytes: Uint8Array): Uint8Array {
  const out = new Written().little(0xfd2fb528, 4).bytes([0xa0]);
  out.little(numbers.set(bytes.length), 4);
  const isRun = bytes.length > 0 && bytes.every((byte) => byte === bytes[0]);
  const size = numbers.set(bytes.length);
  out.little((size % 2 ** 21) * 8 + (isRun ? 2 : 0) + 1, 3);
  return out.bytes(isRun ? bytes.subarray(0, 1) : bytes).done();
}

/** By codec, what compresses; those that have no numbers to be set keep the bytes of the library. */
const CODECS: Readonly<Record<number, (numbers: MadeNumbers, bytes: Uint8Array) => Uint8Array>> = {
  0: (_, bytes) => bytes,
  1: snappy,
  2: (_, bytes) => gzipSync(bytes),
  4: (_, bytes) => brotliCompressSync(bytes),
  6: zstandard,
  7: lz4,
};

/** True if a codec does without a slow library. */
const QUICK = [0, 1, 6, 7];

const Encoding = { plain: 0, runs: 3, deltas: 5, lengths: 6, prefixes: 7, indices: 8, split: 9 };

interface Column {
  readonly name: string;
  readonly physical: number;
  /** Bytes of a value; 0 for texts and truth values. */
  readonly size: number;
  readonly isOptional: boolean;
  readonly encoding: number;
}

const KINDS = [
  { physical: 0, size: 0, encodings: [Encoding.plain, Encoding.runs] },
  { physical: 1, size: 4, encodings: [Encoding.plain, Encoding.deltas, Encoding.indices] },
  { physical: 2, size: 8, encodings: [Encoding.plain, Encoding.deltas, Encoding.split] },
  { physical: 3, size: 12, encodings: [Encoding.plain, Encoding.indices] },
  { physical: 5, size: 8, encodings: [Encoding.plain, Encoding.split, Encoding.indices] },
  { physical: 6, size: 0, encodings: [Encoding.plain, Encoding.lengths, Encoding.prefixes, Encoding.indices] },
];

function makeColumn(numbers: MadeNumbers, index: number): Column {
  const kind = KINDS[numbers.pick(KINDS.length)] ?? { physical: 1, size: 4, encodings: [0] };
  const encoding = kind.encodings[numbers.pick(kind.encodings.length)] ?? 0;
  return { ...kind, name: `c${index}`, isOptional: numbers.pick(2) === 0, encoding };
}

function plainValues(numbers: MadeNumbers, { physical, size }: Column, count: number): Uint8Array {
  const out = new Written();
  if (physical === 0) {
    return out.bytes(Array.from({ length: Math.ceil(count / 8) }, () => numbers.pick(256))).done();
  }
  for (let index = 0; index < count; index++) {
    if (size > 0) {
      out.little(numbers.set(numbers.pick(100)), size);
      continue;
    }
    const bytes = Array.from({ length: numbers.pick(12) }, () => 0x61 + numbers.pick(3));
    out.little(numbers.set(bytes.length), 4).bytes(bytes);
  }
  return out.done();
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

function makeValues(numbers: MadeNumbers, column: Column, count: number): Uint8Array {
  const some = (end: number) => Array.from({ length: count }, () => numbers.pick(end));
  switch (column.encoding) {
    case Encoding.runs: {
      const runs = hybrid(numbers, some(2), 1);
      return joined(new Written().little(numbers.set(runs.length), 4).done(), runs);
    }
    case Encoding.deltas:
      return deltas(numbers, some(100));
    case Encoding.lengths: {
      const lengths = some(9);
      const bytes = lengths.reduce((sum, length) => sum + length, 0);
      return joined(deltas(numbers, lengths), new Uint8Array(bytes).fill(0x61));
    }
    case Encoding.prefixes: {
      const suffixes = some(9);
      const prefixes = suffixes.map((_, index) => (index === 0 ? 0 : (suffixes[index - 1] ?? 0)));
      const bytes = suffixes.reduce((sum, length) => sum + length, 0);
      const texts = new Uint8Array(bytes).fill(0x62);
      return joined(deltas(numbers, prefixes), deltas(numbers, suffixes), texts);
    }
    case Encoding.indices:
      return joined(new Written().bytes([numbers.set(2)]).done(), hybrid(numbers, some(3), 2));
    case Encoding.split:
      return plainValues(numbers, column, count);
    default:
      return plainValues(numbers, column, count);
  }
}

const integer = (numbers: MadeNumbers, value: number): Write => {
  return (out) => out.zigzag(numbers.set(value));
};

/** The pages of a column in a row group, and the bytes of its dictionary among them. */
function makeChunk(numbers: MadeNumbers, column: Column, rows: number, codec: number) {
  const out = new Written();
  const int = (value: number) => integer(numbers, value);
  const page = (kind: number, bytes: Uint8Array, levels: Uint8Array, header: FieldOfStruct) => {
    const packed = (CODECS[codec] ?? lz4)(numbers, bytes);
    struct(
      [1, I32, int(kind)],
      [2, I32, int(levels.length + bytes.length)],
      [3, I32, int(levels.length + packed.length)],
      header,
    )(out);
    out.bytes(levels).bytes(packed);
  };
  if (column.encoding === Encoding.indices) {
    const fields = struct([1, I32, int(3)], [2, I32, int(0)]);
    page(2, plainValues(numbers, column, 3), new Uint8Array(), [7, STRUCT, fields]);
  }
  const dictionaryBytes = out.length;
  for (let left = rows; left > 0; ) {
    const count = 1 + numbers.pick(left);
    left -= count;
    const validity = Array.from({ length: count }, () => (column.isOptional ? numbers.pick(2) : 1));
    const levels = column.isOptional ? hybrid(numbers, validity, 1) : new Uint8Array();
    const present = validity.reduce((sum, each) => sum + each, 0);
    const values = makeValues(numbers, column, present);
    if (numbers.pick(2) === 0) {
      const fields = struct([1, I32, int(count)], [2, I32, int(column.encoding)], [3, I32, int(3)]);
      const length = new Written().little(numbers.set(levels.length), 4).done();
      const body = column.isOptional ? joined(length, levels, values) : values;
      page(0, body, new Uint8Array(), [5, STRUCT, fields]);
      continue;
    }
    const fields = struct(
      [1, I32, int(count)],
      [4, I32, int(column.encoding)],
      [5, I32, int(levels.length)],
      [6, I32, int(0)],
    );
    page(3, values, levels, [8, STRUCT, fields]);
  }
  return { bytes: out.done(), dictionaryBytes };
}

export interface MadeChunk {
  /** The bytes that are added to the file; none, if the column shares the bytes of another. */
  readonly bytes: Uint8Array;
  /** Where it says that it begins; without it, where it does. */
  readonly start?: number;
  readonly length?: number;
  readonly dictionaryBytes: number;
  /** The codec of the file, unless it has its own. */
  readonly codec?: number;
}

export function writeFile(
  numbers: MadeNumbers,
  columns: readonly Omit<Column, 'encoding'>[],
  codec: number,
  groups: Iterable<{ readonly rows: number; readonly chunks: readonly MadeChunk[] }>,
): Uint8Array {
  const pieces: Uint8Array[] = [Buffer.from('PAR1')];
  const int = (value: number) => integer(numbers, value);
  let end = 4;
  const groupsMade = Array.from(groups, ({ rows, chunks }) => {
    const made = chunks.map((chunk) => {
      const { bytes, start = end, length = bytes.length, dictionaryBytes } = chunk;
      pieces.push(bytes);
      end += bytes.length;
      const places: FieldOfStruct[] = [
        [4, I32, int(chunk.codec ?? codec)],
        [7, I64, int(length)],
        [9, I64, int(start + dictionaryBytes)],
      ];
      if (dictionaryBytes > 0) places.push([11, I64, int(start)]);
      return struct([2, I64, int(start)], [3, STRUCT, struct(...places)]);
    });
    return struct([1, LIST, list(numbers, STRUCT, made)], [3, I64, int(rows)]);
  });
  const root = struct([4, BINARY, text('schema')], [5, I32, int(columns.length)]);
  const elements = columns.map(({ name, physical, size, isOptional }) =>
    struct([1, I32, int(physical)], [2, I32, int(size)], [3, I32, int(Number(isOptional))], [4, BINARY, text(name)]),
  );
  const footer = new Written();
  struct(
    [1, I32, int(1)],
    [2, LIST, list(numbers, STRUCT, [root, ...elements])],
    [4, LIST, list(numbers, STRUCT, groupsMade)],
  )(footer);
  const length = new Written().little(numbers.set(footer.length), 4);
  return Buffer.concat([...pieces, footer.done(), length.done(), Buffer.from('PAR1')]);
}

/** A page of one kind, of which nothing is checked. */
export interface MadePage {
  /** 0 is data, 2 is a dictionary. */
  readonly kind: 0 | 2;
  readonly values: number;
  readonly encoding: number;
  readonly packed: Uint8Array;
  /** The bytes that it says it has when decompressed. */
  readonly bytes: number;
}

export function writePage({ kind, values, encoding, packed, bytes }: MadePage): Uint8Array {
  const out = new Written();
  const int = (value: number): Write => {
    return (to) => to.zigzag(value);
  };
  const fields = struct([1, I32, int(values)], [2, I32, int(encoding)], [3, I32, int(3)]);
  const header = kind === 0 ? 5 : 7;
  struct([1, I32, int(kind)], [2, I32, int(bytes)], [3, I32, int(packed.length)], [header, STRUCT, fields])(out);
  return Buffer.concat([out.done(), packed]);
}

/** A frame of Zstandard: some bytes, and then one byte that repeats so often. */
export function zstandardRun(begin: Uint8Array, repeats: number): Uint8Array {
  const out = new Written().little(0xfd2fb528, 4).bytes([0xa0]);
  out
    .little(begin.length + repeats, 4)
    .little(begin.length * 8, 3)
    .bytes(begin);
  for (let left = repeats; left > 0; ) {
    const size = Math.min(left, 128 * 1024);
    left -= size;
    out.little(size * 8 + 2 + Number(left === 0), 3).bytes([0x61]);
  }
  return out.done();
}

export { deltas as deltasOf, hybrid as hybridOf };

/** Makes a file of a few columns and row groups, in all encodings and codecs that are read. */
export function makeParquet(numbers: MadeNumbers): Uint8Array {
  const columns = Array.from({ length: 1 + numbers.pick(4) }, (_, at) => makeColumn(numbers, at));
  const codecs = numbers.pick(8) === 0 ? [2, 4] : QUICK;
  const codec = codecs[numbers.pick(codecs.length)] ?? 0;
  const groups = Array.from({ length: 1 + numbers.pick(3) }, () => {
    const rows = numbers.pick(40);
    return { rows, chunks: columns.map((column) => makeChunk(numbers, column, rows, codec)) };
  });
  return writeFile(numbers, columns, codec, groups);
}
