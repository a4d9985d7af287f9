import { resolve } from 'node:path';
import type { WorkerPool } from '../../work/worker-pool.js';
import type { Driver, LineSink, Query, QueryResult, TableDescription } from '../driver.js';
import { explainEnd } from '../query-error.js';

/** A job of the process that reads SQLite files: describes the tables, or runs a query. */
export interface SqliteJob {
  readonly name: string;
  readonly path: string;
  readonly tables: readonly string[];
  readonly query?: Query;
  /** True if the rows are written as lines. */
  readonly isStream?: boolean;
}

/** The result of a job; parts that it did not ask for are empty. */
export interface SqliteAnswer {
  readonly tables: TableDescription[];
  readonly result: QueryResult;
  /** The number of rows of the query, if those that were written are a sample of them. */
  readonly rowsInAll?: number;
}

export type SqlitePool = WorkerPool<SqliteJob, SqliteAnswer>;

/**
 * Reads a SQLite file in worker processes. SQLite cannot be interrupted from within its thread, so
 * a process that works for too long is killed.
 * @param url `file:PATH`, relative to the working directory
 */
export function openSqlite(name: string, url: string, pool: SqlitePool): Driver {
  const database = { name, path: resolve(url.slice('file:'.length)) };
  const run = async (job: Omit<SqliteJob, 'name' | 'path'>, signal: AbortSignal, onData: LineSink = async () => {}) => {
    try {
      return await pool.run({ details: { ...job, ...database }, signal, onData });
    } catch (error) {
      throw explainEnd(error, `The database ${name} did not answer; try again.`);
    }
  };
  return {
    describe: async (tables, signal) => (await run({ tables }, signal)).tables,
    query: async (query, signal) => (await run({ tables: query.tables, query }, signal)).result,
    read: async (query, sink, signal) => {
      return (await run({ tables: query.tables, query, isStream: true }, signal, sink)).rowsInAll;
    },
  };
}
