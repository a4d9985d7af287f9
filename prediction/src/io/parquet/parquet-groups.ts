import type { OrderedSink } from '../../table/row-reader.js';
import { MAX_ROWS } from '../../table/table.js';
import { quote } from '../../table/table-error.js';
import { addBatches } from '../columns/add-batches.js';
import { ByteBudget, type HeldBytes, MAX_HELD_BYTES } from '../columns/byte-budget.js';
import { type ByteFile, holdFile } from '../columns/byte-file.js';
import { cutRows, windowRows } from '../columns/cut-rows.js';
import { FormatError } from '../columns/format-error.js';
import { MissingVector, sliceVectors, type Vector } from '../columns/vector.js';
import { SpoolFile } from '../spool-file.js';
import { readColumn } from './column-chunk.js';
import { type ParquetMetadata, readMetadata } from './metadata.js';
import { cellBytes } from './value-sinks.js';

/** Rows of a row group, as many as are read at a time. */
export interface ParquetRows {
  readonly length: number;
  /** By the place of the column in the schema. */
  readonly vectors: ReadonlyMap<number, Vector>;
}

const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
const MAX_FOOTER_BYTES = 16 * 1024 * 1024;

/** A cell of a row group is held while its rows are used. */
const CELL_BYTES = 8;

/** About what the metadata takes: of a column in a row group, and of a row group or an element of the schema. */
const CHUNK_BYTES = 160;
const ELEMENT_BYTES = 512;

/**
 * Reads a Parquet file, row group by row group, and of these only the columns that are wanted.
 *
 * @param budget limits what is held, and what the rows become.
 * @param choose is given the names of the columns, and returns the places of those that are wanted.
 * @param maxRows the limit of the file's rows.
 * @throws {FormatError} at the first fault of the file.
 */
export async function* readParquet(
  file: ByteFile,
  budget: ByteBudget,
  maxRows: number,
  choose: (names: readonly string[]) => ReadonlySet<number>,
): AsyncGenerator<ParquetRows> {
  budget.receive(file.length);
  const held = budget.hold('The footer of the Parquet file');
  const footer = await readFooter(file, held);
  const metadata = readMetadata(footer, file.length - 8 - footer.length);
  const { columns, groups } = metadata;
  const chunks = groups.reduce((sum, group) => sum + group.chunks.length, 0);
  held.add(CHUNK_BYTES * chunks + ELEMENT_BYTES * (columns.length + groups.length));
  const wanted = choose(columns.map(({ name }) => name));
  checkRows(metadata, maxRows, wanted.size, budget);
  const step = windowRows(wanted.size);
  const nameOf = (column: number) => columns[column]?.name ?? '';
  for (const [index, { rows }] of groups.entries()) {
    if (rows === 0) continue;
    const place = groupPlace(index);
    const group = budget.hold(place);
    const vectors = await readGroup(file, metadata, index, wanted, budget, group);
    for (let start = 0; start < rows; start += step) {
      const length = Math.min(step, rows - start);
      const window = sliceVectors(vectors, start, start + length);
      const first = start + 1;
      for (const { from, to } of cutRows(window, length, budget, { place, first, nameOf })) {
        yield { length: to - from, vectors: sliceVectors(window, from, to) };
      }
    }
    group.releaseAll();
  }
}

/** Reads a Parquet file that is held as a whole, as its footer is needed first: see `readParquet`. */
export async function* readParquetBody(
  body: AsyncIterable<Uint8Array>,
  budget: ByteBudget,
  choose: (names: readonly string[]) => ReadonlySet<number>,
): AsyncGenerator<ParquetRows> {
  const file = await holdFile(body, budget, 'Parquet file');
  yield* readParquet(file, budget, Number.POSITIVE_INFINITY, choose);
}

function groupPlace(index: number): string {
  return `Row group ${index + 1} of the Parquet file`;
}

async function readFooter(file: ByteFile, held: HeldBytes): Promise<Uint8Array> {
  const start = Buffer.from(await file.read(0, Math.min(4, file.length))).toString('latin1');
  if (start === ENCRYPTED) throw new FormatError('The Parquet file is encrypted. Send it without.');
  if (start !== MAGIC) {
    throw new FormatError('The body is not a Parquet file: it does not begin with PAR1.');
  }
  const end = Buffer.from(await file.read(Math.max(4, file.length - 8), file.length));
  if (end.length < 8 || end.toString('latin1', 4) !== MAGIC) {
    throw new FormatError('The Parquet file does not end with PAR1: it was cut off. Send all of it.');
  }
  const length = end.readUInt32LE(0);
  if (length > MAX_FOOTER_BYTES || length > file.length - 12) {
    throw new FormatError(
      `The footer of the Parquet file claims ${length} bytes; the file has ${file.length}, and at most ${MAX_FOOTER_BYTES} are read. Send all of the file.`,
    );
  }
  held.add(length);
  return file.read(file.length - 8 - length, file.length - 8);
}

function checkRows({ groups }: ParquetMetadata, maxRows: number, columns: number, budget: ByteBudget): void {
  let rows = 0;
  const maxGroupRows = Math.floor(MAX_HELD_BYTES / Math.max(CELL_BYTES * columns, 1));
  for (const [index, group] of groups.entries()) {
    rows += group.rows;
    if (columns > 0 && group.rows > maxGroupRows) {
      throw new FormatError(
        `${groupPlace(index)} has ${group.rows} rows; at most ${maxGroupRows} of ${columns} columns are read at a time. Write smaller row groups.`,
      );
    }
  }
  if (rows > maxRows) {
    throw new FormatError(
      `The Parquet file has ${rows} rows; at most ${maxRows.toLocaleString('en')} are read. Send fewer.`,
    );
  }
  budget.checkRows(rows, columns, `A Parquet file of ${rows.toLocaleString('en')} rows`);
}

/** Returns the columns of a row group, by their place in the schema. */
async function readGroup(
  file: ByteFile,
  { columns, groups }: ParquetMetadata,
  index: number,
  wanted: ReadonlySet<number>,
  budget: ByteBudget,
  held: HeldBytes,
): Promise<ReadonlyMap<number, Vector>> {
  const place = groupPlace(index);
  const { rows = 0, chunks = [] } = groups[index] ?? {};
  const vectors = new Map<number, Vector>();
  for (const at of wanted) {
    const column = columns[at]?.flat;
    const chunk = column && chunks[column.chunk];
    if (column === undefined || chunk === undefined) {
      vectors.set(at, new MissingVector());
      continue;
    }
    held.add(cellBytes(column) * rows);
    const where = `${place}, column ${quote(column.name)},`;
    const read = budget.hold(where);
    read.add(chunk.length);
    const bytes = await file.read(chunk.start, chunk.start + chunk.length);
    vectors.set(at, readColumn(bytes, chunk.codec, rows, column, { budget, read, held, where }));
    read.releaseAll();
  }
  return vectors;
}

/**
 * Adds the rows of a Parquet file, until no more are wanted.
 *
 * @throws {FormatError | TableError} at a fault of the file.
 */
export async function addParquet(pieces: AsyncIterable<Uint8Array>, rows: OrderedSink): Promise<void> {
  const file = await SpoolFile.of(pieces);
  try {
    const batches = readParquet(file, new ByteBudget(), MAX_ROWS, (names) => {
      rows.begin(names);
      return new Set(names.keys());
    });
    await addBatches(rows, batches);
  } finally {
    await file.close();
  }
}
