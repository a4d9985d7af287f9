/** Writes Parquet files whose counts, lengths and offsets are chosen by hand, whether or not they are true. */
import { gzipSync } from 'node:zlib';

/** The numbers of the codecs in parquet.thrift that are written here. */
export const Codec = { None: 0, Gzip: 2 } as const;

/** The numbers of the physical types. */
export const Physical = { Double: 5, Bytes: 6 } as const;

/** The numbers of the kinds of pages. */
const PageKind = { Data: 0, Dictionary: 2 } as const;

/** The numbers of the encodings. */
export const Encoding = { Plain: 0, Dictionary: 8 } as const;

const MAGIC = 'PAR1';

/** Fields of a struct by their numbers: integers of 32 and of 64 bits, texts, structs and lists of them. */
interface ThriftStruct {
  readonly [field: number]: ThriftValue | undefined;
}
type ThriftValue = number | bigint | string | ThriftStruct | readonly ThriftValue[];

/** The kinds of values in the Thrift compact protocol. */
const Kind = { I32: 5, I64: 6, Binary: 8, List: 9, Struct: 12 } as const;

/** A column of texts or of doubles without missing values. */
export interface MadeColumn {
  readonly name: string;
  readonly physical: number;
}

/** The place of a column's pages in a file. */
export interface MadeChunk {
  readonly codec: number;
  /** From the start of the file. */
  readonly start: number;
  readonly length: number;
  /** True if the first page is a dictionary. */
  readonly hasDictionary?: boolean;
}

export interface MadeGroup {
  readonly rows: number;
  /** By column. */
  readonly chunks: readonly MadeChunk[];
}

/** The offset of the body in a file. */
export const BODY_START = 4;

/** Returns a file whose body has the pages, and whose footer says what is given. */
export function parquetFile(
  columns: readonly MadeColumn[],
  groups: readonly MadeGroup[],
  body: readonly Uint8Array[],
): Buffer {
  const root = { 4: 'schema', 5: columns.length };
  const leaves = columns.map(({ name, physical }) => ({
    ...{ 1: physical, 3: 0, 4: name },
    ...(physical === Physical.Bytes && { 6: 0 }),
  }));
  const footer = struct({
    1: 2,
    2: [root, ...leaves],
    3: BigInt(groups.reduce((sum, { rows }) => sum + rows, 0)),
    4: groups.map((group) => groupStruct(columns, group)),
  });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from(MAGIC), ...body, footer, length, Buffer.from(MAGIC)]);
}

function groupStruct(columns: readonly MadeColumn[], { rows, chunks }: MadeGroup): ThriftStruct {
  const chunkStructs = chunks.map(({ codec, start, length, hasDictionary }, at) => ({
    2: BigInt(start),
    3: {
      ...{ 1: columns[at]?.physical ?? 0, 2: [Encoding.Plain], 3: [columns[at]?.name ?? ''] },
      ...{ 4: codec, 5: BigInt(rows), 6: BigInt(length), 7: BigInt(length), 9: BigInt(start) },
      ...(hasDictionary && { 11: BigInt(start) }),
    },
  }));
  return { 1: chunkStructs, 2: 0n, 3: BigInt(rows) };
}

/** A page before its values are compressed. */
export interface MadePage {
  readonly kind?: 'data' | 'dictionary';
  readonly codec?: number;
  readonly encoding?: number;
  /** The number of values that its header claims. */
  readonly count: number;
  readonly values: Uint8Array;
}

/** Returns the bytes of a page with its header. */
export function page({
  kind = 'data',
  codec = Codec.None,
  encoding = Encoding.Plain,
  count,
  values,
}: MadePage): Buffer {
  const bytes = codec === Codec.Gzip ? gzipSync(values) : values;
  const isData = kind === 'data';
  const header = struct({
    ...{ 1: isData ? PageKind.Data : PageKind.Dictionary, 2: values.length, 3: bytes.length },
    [isData ? 5 : 7]: { 1: count, 2: encoding, ...(isData && { 3: 3, 4: 3 }) },
  });
  return Buffer.concat([header, bytes]);
}

/** Returns texts in the encoding PLAIN. */
export function plainTexts(texts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** Returns doubles in the encoding PLAIN. */
export function plainDoubles(numbers: readonly number[]): Buffer {
  return Buffer.from(Float64Array.from(numbers).buffer);
}

/** Returns one index of a dictionary as often as given, in one run of five bytes or so. */
export function oneRun(index: number, count: number): Buffer {
  const bitWidth = 8;
  return Buffer.from([bitWidth, ...varint(count * 2), index]);
}

function struct(fields: ThriftStruct): Buffer {
  const bytes: (number | Uint8Array)[] = [];
  let before = 0;
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const number = Number(key);
    bytes.push(((number - before) << 4) | kindOf(value), encode(value));
    before = number;
  }
  return joined([...bytes, 0]);
}

function kindOf(value: ThriftValue): number {
  if (typeof value === 'number') return Kind.I32;
  if (typeof value === 'bigint') return Kind.I64;
  if (typeof value === 'string') return Kind.Binary;
  return Array.isArray(value) ? Kind.List : Kind.Struct;
}

function encode(value: ThriftValue): Uint8Array {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Uint8Array.from(varint(Number(value) * 2));
  }
  if (typeof value === 'string') {
    return joined([...varint(Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (!isList(value)) return struct(value);
  const kind = value[0] === undefined ? Kind.Struct : kindOf(value[0]);
  return joined([0xf0 | kind, ...varint(value.length), ...value.map(encode)]);
}

function isList(value: ThriftStruct | readonly ThriftValue[]): value is readonly ThriftValue[] {
  return Array.isArray(value);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return [...bytes, left];
}

function joined(parts: readonly (number | Uint8Array)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part)),
  );
}
