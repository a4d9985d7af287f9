import type { ResultLimits } from '../limits.js';
import type { QueryResult, TableDescription } from '../result.js';

/** A job of the worker process that reads SQLite files. */
export type SqliteJob =
  | { readonly kind: 'describe'; readonly path: string; readonly tables: readonly string[] }
  | {
      readonly kind: 'query';
      readonly path: string;
      readonly tables: readonly string[];
      readonly sql: string;
      readonly limits: ResultLimits;
    }
  | {
      readonly kind: 'read';
      readonly path: string;
      readonly tables: readonly string[];
      readonly sql: string;
    };

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
