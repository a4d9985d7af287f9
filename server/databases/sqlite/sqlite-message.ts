import type { ResultLimits } from '../limits.js';
import type { QueryResult, TableDescription } from '../result.js';

/** A SELECT for which a result is collected. */
export interface SelectJob {
  readonly tables: readonly string[];
  readonly sql: string;
  readonly limits: ResultLimits;
}

/** A SELECT whose rows are written as they come. */
export interface ReadJob {
  readonly tables: readonly string[];
  readonly sql: string;
  /** The most bytes of a cell, as text. */
  readonly maxCell: number;
}

/** A job of the worker process that reads SQLite files. */
export type SqliteJob =
  | { readonly kind: 'describe'; readonly path: string; readonly tables: readonly string[] }
  | ({ readonly kind: 'query'; readonly path: string } & SelectJob)
  | ({ readonly kind: 'read'; readonly path: string } & ReadJob);

/** The result of a job. */
export type SqliteMessage =
  | { readonly kind: 'described'; readonly tables: TableDescription[] }
  | { readonly kind: 'rows'; readonly result: QueryResult }
  /** All lines of rows have been written. */
  | { readonly kind: 'read' }
  /** The file cannot be opened. */
  | { readonly kind: 'unusable'; readonly cause: string }
  /** The message of a `QueryError`. */
  | { readonly kind: 'refused'; readonly message: string };
