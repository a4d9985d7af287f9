import {
  type GatheredRows,
  type ObjectSink,
  OrderedRows,
  type OrderedSink,
  RowsReader,
  type TableOptions,
} from '../table/row-reader.js';
import type { RowPlaces } from '../table/rows-read.js';
import type { Table } from '../table/table.js';
import { TableError } from '../table/table-error.js';
import type { RowFormat, TableForm } from './answer-part.js';
import { FormatError, JsonShapeError, MalformedJsonError } from './columns/format-error.js';

export interface ReadOptions extends TableOptions, TableForm {
  /** True if the source of a bad table is read to its end; true without it. */
  readonly drain?: boolean;
}

/** The format of a table, or `records`: lines of JSON arrays, the names of the columns first, such as the rows of a query. */
export type TableFormat = RowFormat | 'records';

/**
 * Reads a table to learn from, as it streams in. For Parquet and workbooks, the end of the file is needed first: it is
 * written to a temporary file without a name. See `readSource` for what becomes of the source of a bad table.
 *
 * @throws {TableError} if it is none, or no model can be trained on it.
 * @throws {MalformedJsonError | JsonShapeError} if a body of JSON is no JSON, or another one than an array of rows.
 * @throws the source's own error, if it breaks off, and that of the temporary file.
 */
export async function readTable(
  format: TableFormat,
  source: AsyncIterable<Uint8Array>,
  target: string,
  options?: ReadOptions,
): Promise<Table> {
  return (await readTableWithPlaces(format, source, target, options)).table;
}

/** A table, and the place of each of its rows in what was sent. */
export interface PlacedTable {
  readonly table: Table;
  readonly places: RowPlaces;
  /** The index that the target has among the columns of a line; absent where the cells of a row name their columns. */
  readonly targetAt?: number;
}

/** Reads a table and where its rows stand; see `readTable`. */
export function readTableWithPlaces(
  format: TableFormat,
  source: AsyncIterable<Uint8Array>,
  target: string,
  options: ReadOptions = {},
): Promise<PlacedTable> {
  return readSource(source, options, async (pieces) => {
    const build = (rows: GatheredRows): PlacedTable => ({ table: rows.build(), places: rows.places });
    if (isOfObjects(format)) {
      const rows = new RowsReader(target, options);
      await addObjects(format, pieces, rows);
      return build(rows);
    }
    const rows = new OrderedRows(target, format === 'records' ? writtenByProgram(options) : options);
    await addRows(format, pieces, rows, options);
    return { ...build(rows), targetAt: rows.targetAt };
  });
}

/** Databases write numbers with all their digits as texts. */
function writtenByProgram(options: ReadOptions): ReadOptions {
  return { ...options, marks: { ...options.marks, pointDecimals: true } };
}

/** Reads a table from CSV (RFC 4180 in UTF-8); see `readTable`. */
export function readCsvTable(source: AsyncIterable<Uint8Array>, target: string, options?: ReadOptions): Promise<Table> {
  return readTable('csv', source, target, options);
}

type ObjectFormat = 'json' | 'ndjson';

export function isOfObjects(format: TableFormat): format is ObjectFormat {
  return format === 'json' || format === 'ndjson';
}

/** Adds row objects, until no more are wanted. The code of a format is loaded when it is first needed. */
export async function addObjects(
  format: ObjectFormat,
  pieces: AsyncIterable<Uint8Array>,
  rows: ObjectSink,
): Promise<void> {
  if (format === 'json') return (await import('./json/json-table.js')).addJson(pieces, rows);
  return (await import('./json/line-tables.js')).addNdjson(pieces, rows);
}

/**
 * Adds rows whose cells stand in the order of the columns, until no more are wanted.
 */
export async function addRows(
  format: Exclude<TableFormat, ObjectFormat>,
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
  form: TableForm,
): Promise<void> {
  switch (format) {
    case 'csv':
      return (await import('./csv/csv-table.js')).addCsv(pieces, rows, form);
    case 'records':
      return (await import('./json/line-tables.js')).addRecords(pieces, rows);
    case 'arrow-stream':
      return (await import('./arrow/arrow-batches.js')).addArrow(pieces, rows, 'stream');
    case 'arrow-file':
      return (await import('./arrow/arrow-batches.js')).addArrow(pieces, rows, 'file');
    case 'parquet':
      return (await import('./parquet/parquet-groups.js')).addParquet(pieces, rows);
    case 'xlsx':
      return (await import('./xlsx/xlsx-rows.js')).addXlsx(pieces, rows, form);
  }
}

/**
 * Reads a source with `read`. A bad table is parsed no further, but its source is read to the end before the promise
 * rejects, because it may be a request whose connection has to carry the refusal. With `drain: false` it rejects at
 * once.
 *
 * @throws {TableError} in place of a fault of the format.
 */
export async function readSource<T>(
  source: AsyncIterable<Uint8Array>,
  { drain = true }: ReadOptions,
  read: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const pieces = source[Symbol.asyncIterator]();
  let hasEnded = false;
  const next = async () => {
    // A source that broke off is not asked again.
    hasEnded = true;
    const piece = await pieces.next();
    hasEnded = piece.done ?? false;
    return piece;
  };
  try {
    // A consumer that stops early would end the source: this iterator has no `return`.
    return await read({ [Symbol.asyncIterator]: () => ({ next }) });
  } catch (error) {
    while (isRefusal(error) && drain && !hasEnded) await next();
    if (!drain && !hasEnded) await pieces.return?.();
    if (!(error instanceof FormatError)) throw error;
    const { message, line } = error;
    throw new TableError([{ message, ...(line !== undefined && { line }) }]);
  }
}

const REFUSALS = [TableError, FormatError, MalformedJsonError, JsonShapeError];

/** Returns whether an error is a fault of the body. */
export function isRefusal(error: unknown): error is Error {
  return REFUSALS.some((kind) => error instanceof kind);
}
