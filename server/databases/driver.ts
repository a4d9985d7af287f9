import type { ResultLimits } from './limits.js';
import type { StatementParser } from './postgres/statement-parser.js';
import type { QueryResult, TableDescription } from './result.js';

/** A query, its limits already checked where they do not depend on the database. */
export interface Query {
  readonly owner: string;
  /** The tables that it may read: `table` or `schema.table`. */
  readonly tables: readonly string[];
  readonly sql: string;
  readonly limits: ResultLimits;
  /** The longest time of the query in the database, in milliseconds. */
  readonly timeoutMs: number;
}

/** A query whose rows are read as they come. */
export interface RowsQuery extends Omit<Query, 'limits'> {
  /** The most bytes of a cell, as text. */
  readonly maxCell: number;
}

/** Takes lines of rows, and resolves when there is room for more. */
export type TakeLines = (lines: Uint8Array) => Promise<void>;

/** The bounds of a driver's connections. */
export interface DriverOptions {
  /** The most connections to PostgreSQL, without those that cancel statements. */
  readonly maxConnections: number;
  /** The longest time between two statements of a transaction, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Parses statements for PostgreSQL. */
  readonly parser: StatementParser;
  /** The module that reads SQLite files. */
  readonly sqliteWorker: URL;
  /** The most resident memory of a process that reads a SQLite file, in bytes. */
  readonly sqliteMemory: number;
}

/** Reads one database. */
export interface Driver {
  /**
   * Returns the columns of tables, in the order of `tables`.
   * @throws {QueryError} if the database lacks a table or cannot be reached
   * @throws the reason of `signal`
   */
  describe(tables: readonly string[], signal: AbortSignal): Promise<TableDescription[]>;

  /**
   * Runs one SELECT. If the signal aborts, the work in the database ends too.
   * @throws {QueryError} if the query is refused or fails
   * @throws the reason of `signal`
   */
  query(query: Query, signal: AbortSignal): Promise<QueryResult>;

  /**
   * Runs one SELECT, and hands on its rows as lines of JSON arrays: the names of the columns first,
   * then the cells of each row. Cells are texts, numbers, booleans and nulls.
   * @param take gets whole lines; no further row is read until it resolves
   * @throws {QueryError} if the query is refused or fails; some lines may have been handed on
   * @throws the error of `take`, or the reason of `signal`
   */
  read(query: RowsQuery, take: TakeLines, signal: AbortSignal): Promise<void>;

  /** Closes what the driver keeps open. */
  stop(): Promise<void>;
}
