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
    };

/** The result of a job. */
export type SqliteMessage =
  | { readonly kind: 'described'; readonly tables: TableDescription[] }
  | { readonly kind: 'rows'; readonly result: QueryResult }
  /** The file cannot be opened. */
  | { readonly kind: 'unusable'; readonly cause: string }
  /** The message of a `QueryError`. */
  | { readonly kind: 'refused'; readonly message: string };
