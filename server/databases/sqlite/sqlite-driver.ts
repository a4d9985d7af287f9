import { resolve } from 'node:path';
import type { WorkerPool } from '../../work/worker-pool.js';
import type { Driver, LineSink, Query, QueryResult, TableDescription } from '../driver.js';
import { type Reply, runInProcess } from '../query-process.js';

/** A job of the process that reads SQLite files: describes the tables, or runs a query. */
export interface SqliteJob {
  readonly name: string;
  readonly path: string;
  readonly tables: readonly string[];
  readonly query?: Query;
  /** Whether the rows are written as lines. */
  readonly isStream?: boolean;
}

export interface SqliteAnswer {
  readonly tables?: TableDescription[];
  readonly result?: QueryResult;
}

export type SqlitePool = WorkerPool<SqliteJob, Reply<SqliteAnswer>>;

/**
 * Reads a SQLite file in worker processes. SQLite cannot be interrupted from within its thread, so
 * a process that works for too long is killed.
 */
export class SqliteDriver implements Driver {
  readonly #path: string;

  /** @param url `file:PATH`, relative to the working directory */
  constructor(
    private readonly name: string,
    url: string,
    private readonly pool: SqlitePool,
  ) {
    this.#path = resolve(url.slice('file:'.length));
  }

  async describe(tables: readonly string[], signal: AbortSignal): Promise<TableDescription[]> {
    const { tables: described } = await this.#run({ tables }, signal);
    if (!described) throw new Error('The process described no tables');
    return described;
  }

  async query(query: Query, signal: AbortSignal): Promise<QueryResult> {
    const { result } = await this.#run({ tables: query.tables, query }, signal);
    if (!result) throw new Error('The process returned no result');
    return result;
  }

  async read(query: Query, sink: LineSink, signal: AbortSignal): Promise<void> {
    await this.#run({ tables: query.tables, query, isStream: true }, signal, sink);
  }

  async stop(): Promise<void> {}

  #run(
    job: Omit<SqliteJob, 'name' | 'path'>,
    signal: AbortSignal,
    sink?: LineSink,
  ): Promise<SqliteAnswer> {
    const { name } = this;
    const ended = `The database ${name} did not answer; try again.`;
    return runInProcess(this.pool, { ...job, name, path: this.#path }, ended, signal, sink);
  }
}
