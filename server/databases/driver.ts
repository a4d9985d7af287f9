import type { ProblemError } from '../problems/problem.js';
import { queryError } from './query-error.js';

export interface QueryLimits {
  /** The longest time of a query, its wait included, in milliseconds. */
  readonly timeoutMs: number;
  /** The longest time between two statements of a transaction, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly maxRows: number;
  /** The most bytes of all rows, as JSON. */
  readonly maxBytes: number;
  /** The most bytes of a cell, as text. */
  readonly maxCellBytes: number;
  readonly maxAtOnce: number;
  /** The most queries of one owner that wait. */
  readonly maxWaiting: number;
  /** The most resident memory of a process that reads a SQLite file. */
  readonly maxMemoryBytes: number;
}

export interface Query {
  readonly owner: string;
  /** The tables that it may read: `table` or `schema.table`. */
  readonly tables: readonly string[];
  readonly sql: string;
  readonly limits: QueryLimits;
  /** The size of the sample that is read in place of more rows; undefined for all rows. */
  readonly sample?: SampleSize | undefined;
  /** Applied in the database before rows are read. */
  readonly aggregation?: Aggregation | undefined;
}

/** Makes one row of the rows of a query that have the same moment and series. */
export interface Aggregation {
  readonly method: 'sum' | 'mean';
  /** The columns whose values are equal in the rows that become one. */
  readonly by: readonly string[];
  /** The column of numbers that is summed, or whose mean is taken. Missing values do not count. */
  readonly target: string;
}

/** The size of the sample that stands for a query of more rows. */
export interface SampleSize {
  readonly maxRows: number;
  /** The most rows × columns. */
  readonly maxCells: number;
}

/** Takes lines of rows, and resolves when there is room for more. */
export type LineSink = (lines: Uint8Array) => Promise<void>;

export interface TableDescription {
  /** The name as it was asked for: `table` or `schema.table`. */
  readonly name: string;
  readonly columns: readonly ColumnDescription[];
}

export interface ColumnDescription {
  readonly name: string;
  /** The type as the database writes it, such as `numeric(10,2)`; empty if it declares none. */
  readonly type: string;
}

/** Every cell is a JSON value. */
export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** True if there are more rows than the limits allow. */
  readonly truncated: boolean;
}

export interface Driver {
  /**
   * Returns the columns of tables, in the order of `tables`.
   * @throws {ProblemError} if the database lacks a table or cannot be reached
   * @throws the reason of `signal`
   */
  describe(tables: readonly string[], signal: AbortSignal): Promise<TableDescription[]>;

  /**
   * Returns the first rows of a query. If the signal aborts, the work in the database ends too.
   * @throws {ProblemError} if the query is refused or fails
   * @throws the reason of `signal`
   */
  query(query: Query, signal: AbortSignal): Promise<QueryResult>;

  /**
   * Passes on the rows of a query as lines of JSON arrays: the names of the columns first, then the
   * cells of each row. Cells are texts, numbers, booleans and nulls.
   * @param sink gets whole lines; no further row is read until it resolves
   * @returns the number of rows of the query, if those that were passed on are a sample of them
   * @throws {ProblemError} if the query is refused or fails; some lines may have been passed on
   * @throws the error of `sink`, or the reason of `signal`
   */
  read(query: Query, sink: LineSink, signal: AbortSignal): Promise<number | undefined>;

  /** Ends the connections or the processes of the driver, if it has its own. */
  stop?(): Promise<void>;
}

/**
 * Returns the first rows of a query, until the result is full.
 * @param rows the names of the columns, then rows whose cells are JSON values
 * @throws {ProblemError} if the names alone, or one row, exceed the limit
 */
export async function collectRows(
  rows: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  limits: QueryLimits,
): Promise<QueryResult> {
  let columns: readonly string[] | undefined;
  let bytes = 0;
  const kept: (readonly unknown[])[] = [];
  for await (const row of rows) {
    bytes += countJsonBytes(row);
    const fits = bytes <= limits.maxBytes;
    if (columns === undefined) {
      if (!fits) throw tooLarge('The names of the columns alone are', limits);
      columns = row.map(String);
    } else if (fits && kept.length < limits.maxRows) {
      kept.push(row);
    } else {
      if (kept.length === 0) throw tooLarge('One row alone is', limits);
      return { columns, rows: kept, truncated: true };
    }
  }
  return { columns: columns ?? [], rows: kept, truncated: false };
}

/** Counts the comma after the value too. */
function countJsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

function tooLarge(what: string, { maxBytes }: QueryLimits): ProblemError {
  return queryError(`${what} larger than ${maxBytes} bytes; select fewer columns, or parts of them.`);
}

/**
 * Returns the number that a text of digits stands for; the text itself if JSON has no such number,
 * or its integer part is too large to be exact.
 */
export function toJsonNumber(text: string): number | string {
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
