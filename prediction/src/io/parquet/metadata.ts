import { findOverlap } from '../columns/byte-budget.js';
import { FormatError, withContext } from '../columns/format-error.js';
import { type LeafType, leafType, type SchemaElement } from './leaf-type.js';
import { type Fields, ThriftReader } from './thrift-reader.js';

/** A column of a file that has one value in each row. */
export interface FlatColumn {
  readonly name: string;
  readonly type: LeafType;
  readonly isOptional: boolean;
  /** The place of its chunk in a row group. */
  readonly chunk: number;
}

export interface Chunk {
  readonly codec: number;
  readonly start: number;
  readonly length: number;
}

export interface RowGroup {
  readonly rows: number;
  readonly chunks: readonly Chunk[];
}

/** The metadata of a file, as far as it is needed. */
export interface ParquetMetadata {
  /** The names of all columns of the table, with undefined for those that are lists or records. */
  readonly columns: readonly { readonly name: string; readonly flat: FlatColumn | undefined }[];
  readonly groups: readonly RowGroup[];
}

const MAX_ELEMENTS = 10_000;
const MAX_GROUPS = 100_000;
const MAX_CHUNKS = 250_000;

function tooManyColumns(): FormatError {
  const most = (MAX_ELEMENTS - 1).toLocaleString('en');
  return new FormatError(
    `The Parquet file has more than ${most} columns; a model has at most 1,000 columns. Send only the columns that are of use.`,
  );
}

/**
 * Reads the footer of a file: FileMetaData of parquet.thrift.
 *
 * @param fileBytes of the file before its footer, within which all chunks must be.
 * @throws {FormatError} if it is none, or lies about the file.
 */
export function readMetadata(footer: Uint8Array, fileBytes: number): ParquetMetadata {
  return withContext('The footer of the Parquet file', () => {
    const reader = new ThriftReader(footer, 0);
    let elements: SchemaElement[] = [];
    let groups: RowGroup[] = [];
    let chunksLeft = MAX_CHUNKS;
    const readGroup = (): RowGroup => {
      const group = readRowGroup(reader, chunksLeft);
      chunksLeft -= group.chunks.length;
      return group;
    };
    reader.struct({
      2: () => (elements = reader.list(MAX_ELEMENTS, () => readElement(reader), tooManyColumns())),
      4: () => (groups = reader.list(MAX_GROUPS, readGroup)),
    });
    const { columns, leaves } = listColumns(elements);
    for (const [index, group] of groups.entries()) checkGroup(group, index, leaves, fileBytes);
    checkApart(groups);
    return { columns, groups };
  });
}

function readElement(reader: ThriftReader): SchemaElement {
  const element: SchemaElement = { name: '', children: 0, scale: 0, logical: undefined };
  reader.struct({
    1: () => (element.physical = reader.integer()),
    2: () => (element.size = reader.integer()),
    3: () => (element.repetition = reader.integer()),
    4: () => (element.name = reader.string()),
    5: () => (element.children = reader.integer()),
    6: () => (element.converted = reader.integer()),
    7: () => (element.scale = reader.integer()),
    10: () => (element.logical = readLogicalType(reader)),
  });
  return element;
}

/** The number of the logical type in parquet.thrift, and its unit or signedness. */
function readLogicalType(reader: ThriftReader): SchemaElement['logical'] {
  const logical: NonNullable<SchemaElement['logical']> = { kind: 0 };
  const none = () => reader.struct({});
  const unit = (perSecond: number) => () => {
    logical.perSecond = perSecond;
    none();
  };
  const time = { 2: () => reader.struct({ 1: unit(1e3), 2: unit(1e6), 3: unit(1e9) }) };
  const integer = { 2: () => (logical.isSigned = reader.bool()) };
  const parts: Readonly<Record<number, Fields>> = { 7: time, 8: time, 10: integer };
  const kinds = Array.from({ length: 20 }, (_, kind) => () => {
    logical.kind = kind;
    reader.struct(parts[kind] ?? {});
  });
  reader.struct(kinds);
  return logical;
}

function readRowGroup(reader: ThriftReader, most: number): RowGroup {
  let chunks: Chunk[] = [];
  let rows = 0;
  reader.struct({ 1: () => (chunks = reader.list(most, () => readChunk(reader))), 3: () => (rows = reader.integer()) });
  return { rows, chunks };
}

function readChunk(reader: ThriftReader): Chunk {
  let codec = 0;
  let length = 0;
  let dataStart = 0;
  let dictionaryStart = 0;
  let file = '';
  const set = {
    4: () => (codec = reader.integer()),
    7: () => (length = reader.integer()),
    9: () => (dataStart = reader.integer()),
    11: () => (dictionaryStart = reader.integer()),
  };
  reader.struct({ 1: () => (file = reader.string()), 3: () => reader.struct(set) });
  if (file !== '') {
    throw new FormatError('The Parquet file has its columns in other files. Write one file.');
  }
  // Some writers leave the place of the dictionary at 0.
  const start = dictionaryStart > 0 ? Math.min(dictionaryStart, dataStart) : dataStart;
  return { codec, start, length };
}

/** Returns the columns of the table, and the number of all leaves. */
function listColumns([root, ...elements]: readonly SchemaElement[]) {
  if (root === undefined) throw new FormatError('The Parquet file has no schema. Write it again.');
  let at = 0;
  let leaves = 0;
  const skip = (count: number, depth: number): void => {
    if (depth > 64) throw new RangeError('The schema nests too deep.');
    for (let index = 0; index < count; index++) {
      const element = elements[at++];
      if (element === undefined) throw new RangeError('The schema ends early.');
      if (element.children > 0) skip(element.children, depth + 1);
      else leaves++;
    }
  };
  const columns: { name: string; flat: FlatColumn | undefined }[] = [];
  for (let index = 0; index < root.children; index++) {
    const element = elements[at];
    if (element === undefined) throw new RangeError('The schema ends early.');
    const { name, repetition } = element;
    const type = element.children > 0 || repetition === 2 ? undefined : leafType(element);
    const flat = type && { name, type, isOptional: repetition === 1, chunk: leaves };
    columns.push({ name, flat });
    skip(1, 0);
  }
  return { columns, leaves };
}

/** Columns that share their bytes would let a file be read many times over. */
function checkApart(groups: readonly RowGroup[]): void {
  const ranges = groups.flatMap(({ rows, chunks }, group) =>
    rows === 0 ? [] : chunks.map(({ start, length }, column) => ({ group, column, start, end: start + length })),
  );
  const overlap = findOverlap(ranges);
  if (overlap === undefined) return;
  const { group, column, start, end } = overlap;
  throw new FormatError(
    `Row group ${group + 1} of the Parquet file has its column ${column + 1} in bytes ${start} to ${end}, where another column is, too. Write the file again.`,
  );
}

function checkGroup(group: RowGroup, index: number, leaves: number, fileBytes: number): void {
  const place = `Row group ${index + 1} of the Parquet file`;
  if (!(group.rows >= 0 && Number.isSafeInteger(group.rows))) {
    throw new FormatError(`${place} claims ${group.rows} rows. Write the file again.`);
  }
  // Chunks of no rows are not read.
  if (group.rows === 0) return;
  if (group.chunks.length !== leaves) {
    throw new FormatError(`${place} has ${group.chunks.length} columns, the schema ${leaves}. Write the file again.`);
  }
  for (const { start, length } of group.chunks) {
    if (!(start >= 4 && length >= 0 && start + length <= fileBytes)) {
      throw new FormatError(
        `${place} points to bytes ${start} to ${start + length}, outside of the file. Send all of the file.`,
      );
    }
  }
}
