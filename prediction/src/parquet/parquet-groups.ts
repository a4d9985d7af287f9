import { FormatFault } from '../columns/format-fault.js';
import { MissingVector, type Vector } from '../columns/vector.js';
import { type PageBudget, readColumn } from './column-chunk.js';
import { type ParquetMetadata, readMetadata } from './metadata.js';

/** A file that is read by ranges. */
export interface ByteFile {
  readonly length: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** The rows of a row group. */
export interface ParquetGroup {
  readonly length: number;
  /** By the place of the column in the schema. */
  readonly vectors: ReadonlyMap<number, Vector>;
}

const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
const MAX_FOOTER_BYTES = 16 * 1024 * 1024;

/** The rows of a row group are held while they are used: some 8 bytes a cell. */
const MAX_CELLS = 25_000_000;

/** The bytes of the pages of a whole file for each of its own: pages that compress better are made to harm. */
const MAX_RATIO = 200;
const MIN_BUDGET = 64 * 1024 * 1024;

/**
 * Reads a Parquet file, row group by row group, and of these only the columns that are wanted.
 *
 * @param choose is given the names of the columns, and returns the places of those that are wanted.
 * @param maxRows the most rows of the file.
 * @throws {FormatFault} at the first fault of the file.
 */
export async function* readParquet(
  file: ByteFile,
  maxRows: number,
  choose: (names: readonly string[]) => ReadonlySet<number>,
): AsyncGenerator<ParquetGroup> {
  const metadata = readMetadata(await readFooter(file), file.length);
  const wanted = choose(metadata.columns.map(({ name }) => name));
  checkRows(metadata, maxRows, wanted.size);
  const budget = { left: MIN_BUDGET + MAX_RATIO * file.length };
  for (const index of metadata.groups.keys()) {
    yield await readGroup(file, metadata, index, wanted, budget);
  }
}

async function readFooter(file: ByteFile): Promise<Uint8Array> {
  const start = Buffer.from(await file.read(0, Math.min(4, file.length))).toString('latin1');
  if (start === ENCRYPTED) throw new FormatFault('The Parquet file is encrypted. Send it without.');
  if (start !== MAGIC) {
    throw new FormatFault('The body is no Parquet file: it does not begin with PAR1.');
  }
  const end = Buffer.from(await file.read(Math.max(4, file.length - 8), file.length));
  if (end.length < 8 || end.toString('latin1', 4) !== MAGIC) {
    throw new FormatFault(
      'The Parquet file does not end with PAR1: it was cut off. Send all of it.',
    );
  }
  const length = end.readUInt32LE(0);
  if (length > MAX_FOOTER_BYTES || length > file.length - 12) {
    throw new FormatFault(
      `The footer of the Parquet file claims ${length} bytes; the file has ${file.length}, and at most ${MAX_FOOTER_BYTES} are read. Send all of the file.`,
    );
  }
  return file.read(file.length - 8 - length, file.length - 8);
}

function checkRows({ groups }: ParquetMetadata, maxRows: number, columns: number): void {
  let rows = 0;
  for (const [index, group] of groups.entries()) {
    rows += group.rows;
    if (group.rows * Math.max(columns, 1) > MAX_CELLS) {
      throw new FormatFault(
        `Row group ${index + 1} of the Parquet file has ${group.rows} rows; at most ${Math.floor(MAX_CELLS / Math.max(columns, 1))} of ${columns} columns are read at a time. Write smaller row groups.`,
      );
    }
  }
  if (rows > maxRows) {
    throw new FormatFault(
      `The Parquet file has ${rows} rows; at most ${maxRows.toLocaleString('en')} are read. Send fewer.`,
    );
  }
}

async function readGroup(
  file: ByteFile,
  { columns, groups }: ParquetMetadata,
  index: number,
  wanted: ReadonlySet<number>,
  budget: PageBudget,
): Promise<ParquetGroup> {
  const place = `Row group ${index + 1} of the Parquet file`;
  const { rows = 0, chunks = [] } = groups[index] ?? {};
  const vectors = new Map<number, Vector>();
  for (const at of wanted) {
    const column = columns[at]?.flat;
    const chunk = column && chunks[column.chunk];
    if (column === undefined || chunk === undefined) {
      vectors.set(at, new MissingVector());
      continue;
    }
    const bytes = await file.read(chunk.start, chunk.start + chunk.length);
    vectors.set(at, readColumn(bytes, chunk.codec, rows, column, budget, place));
  }
  return { length: rows, vectors };
}
