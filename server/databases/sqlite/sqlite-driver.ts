import { resolve } from 'node:path';
import type { WorkerPool } from '../../work/worker-pool.js';
import type {
  Driver,
  LineSink,
  Query,
  QueryResult,
  ResultLimits,
  TableDescription,
} from '../driver.js';
import { DatabaseUnavailableError } from '../query-error.js';
import { type Reply, runInProcess } from '../query-process.js';

/** A SELECT for the process. */
export interface SqliteSelect {
  readonly tables: readonly string[];
  readonly sql: string;
  /** The most bytes of a cell, as text. */
  readonly maxCellBytes: number;
}

/** A job of the process that reads SQLite files: `read` writes its rows as lines. */
export type SqliteJob = { readonly path: string } & (
  | { readonly kind: 'describe'; readonly tables: readonly string[] }
  | ({ readonly kind: 'query'; readonly limits: ResultLimits } & SqliteSelect)
  | ({ readonly kind: 'read' } & SqliteSelect)
);

export type SqliteAnswer =
  | { readonly kind: 'described'; readonly tables: TableDescription[] }
  | { readonly kind: 'result'; readonly result: QueryResult }
  | { readonly kind: 'read' }
  /** The file cannot be opened. */
  | { readonly kind: 'unusable'; readonly cause: string };

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
    const answer = await this.#run({ kind: 'describe', path: this.#path, tables }, signal);
    return answer.kind === 'described' ? answer.tables : this.#refuse(answer);
  }

  async query(
    { tables, sql, maxCellBytes }: Query,
    { maxRows, maxBytes }: ResultLimits,
    signal: AbortSignal,
  ): Promise<QueryResult> {
    const job = { path: this.#path, tables, sql, maxCellBytes, limits: { maxRows, maxBytes } };
    const answer = await this.#run({ kind: 'query', ...job }, signal);
    return answer.kind === 'result' ? answer.result : this.#refuse(answer);
  }

  async read(
    { tables, sql, maxCellBytes }: Query,
    sink: LineSink,
    signal: AbortSignal,
  ): Promise<void> {
    const job = { path: this.#path, tables, sql, maxCellBytes };
    const answer = await this.#run({ kind: 'read', ...job }, signal, sink);
    if (answer.kind !== 'read') this.#refuse(answer);
  }

  async stop(): Promise<void> {}

  #run(job: SqliteJob, signal: AbortSignal, sink?: LineSink): Promise<SqliteAnswer> {
    const ended = `The database ${this.name} did not answer; try again.`;
    return runInProcess(this.pool, job, ended, signal, sink);
  }

  #refuse(cause: SqliteAnswer): never {
    const message = `The database ${this.name} cannot be opened; its operator must repair it.`;
    throw new DatabaseUnavailableError(message, { cause });
  }
}
