import type { ResultLimits } from './limits.js';
import type { QueryResult, TableDescription } from './result.js';

/** A query, its limits already checked where they do not depend on the database. */
export interface Query {
  /** The tables that it may read: `table` or `schema.table`. */
  readonly tables: readonly string[];
  readonly sql: string;
  readonly limits: ResultLimits;
  /** The longest time of the query in the database, in milliseconds. */
  readonly timeoutMs: number;
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

  /** Closes what the driver keeps open. */
  stop(): Promise<void>;
}
