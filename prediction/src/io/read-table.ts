import type { OrderedSink, TableOptions } from '../table/row-reader.js';
import { MIN_ROWS, type Table } from '../table/table.js';
import { TableError } from '../table/table-error.js';
import { FormatError, JsonShapeError, MalformedJsonError } from './columns/format-error.js';
import type { Vector } from './columns/vector.js';

export interface ReadOptions extends TableOptions {
  /** True if the source of a bad table is read to its end; true without it. */
  readonly drain?: boolean;
}

/**
 * Reads a table with `read`. A bad table is parsed no further, but its source is read to the end before the promise
 * rejects, because it may be a request whose connection has to carry the refusal. With `drain: false` it rejects at
 * once.
 *
 * @throws {TableError} in place of a fault of the format.
 */
export async function readTable<T = Table>(
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
    // Who stops early would end the source: this iterator has no `return`.
    return await read({ [Symbol.asyncIterator]: () => ({ next }) });
  } catch (error) {
    while (isRefusal(error) && drain && !hasEnded) await next();
    if (!drain && !hasEnded) await pieces.return?.();
    if (!(error instanceof FormatError)) throw error;
    const { message, line } = error;
    throw new TableError([{ message, ...(line !== undefined && { line }) }]);
  }
}

/**
 * Reads a table into the rows that a training wants.
 *
 * @param add adds what it reads to the rows
 * @throws as `readTable`, and as `add` and `build` do.
 */
export function buildTable<Rows extends { build(): Table }>(
  source: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  createRows: () => Rows,
  add: (pieces: AsyncIterable<Uint8Array>, rows: Rows) => Promise<void>,
): Promise<Table> {
  return readTable(source, options, async (pieces) => {
    const rows = createRows();
    await add(pieces, rows);
    return rows.build();
  });
}

const REFUSALS = [TableError, FormatError, MalformedJsonError, JsonShapeError];

/** Returns whether an error is a fault of the body. */
export function isRefusal(error: unknown): error is Error {
  return REFUSALS.some((kind) => error instanceof kind);
}

/** Adds batches of columns, until no more rows are wanted. */
export async function addBatches(
  rows: OrderedSink,
  batches: AsyncIterable<{
    readonly length: number;
    readonly vectors: ReadonlyMap<number, Vector>;
  }>,
): Promise<void> {
  let count = 0;
  for await (const { length, vectors } of batches) {
    rows.addColumns(count, length, vectors);
    count += length;
    if (rows.isFull) return;
  }
  if (count === 0) throw noRows();
}

export function noRows(): TableError {
  const message = `The table has no rows. At least ${MIN_ROWS} with a target are needed.`;
  return new TableError([{ message }]);
}
