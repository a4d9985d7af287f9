import { resolve } from 'node:path';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import { OutOfMemoryError, WorkerEndedError } from '../../work/worker-process.js';
import type { Driver, Query, RowsQuery, TakeLines } from '../driver.js';
import { DatabaseUnavailableError, QueryError } from '../query-error.js';
import { tooMuchMemory } from '../refusals.js';
import type { QueryResult, TableDescription } from '../result.js';
import type { SqliteJob, SqliteMessage } from './sqlite-message.js';

/**
 * The heap holds a result and little else; sorted rows are in SQLite's own memory. SQLite has a limit
 * of its own (`pragma hard_heap_limit`), which does nothing in builds without statistics of memory.
 */
const OPTIONS: Omit<PoolOptions, 'script' | 'maxMemory'> = {
  maxHeap: 64,
  maxSilence: 5 * 60_000,
  isBackground: true,
  maxIdle: 1,
  idleTimeout: 30_000,
};

/**
 * Reads a SQLite file in worker processes. SQLite cannot be interrupted from within its thread, so
 * a process that works for too long is killed.
 */
export class SqliteDriver implements Driver {
  readonly #pool: WorkerPool<SqliteJob, SqliteMessage>;
  readonly #path: string;

  /**
   * @param url `file:PATH`, relative to the working directory
   * @param script the module that the processes run
   * @param maxMemory the most resident memory of a process, in bytes
   */
  constructor(
    private readonly name: string,
    url: string,
    script: URL,
    maxMemory: number,
  ) {
    this.#path = resolve(url.slice('file:'.length));
    this.#pool = new WorkerPool({ ...OPTIONS, maxMemory, script });
  }

  async describe(tables: readonly string[], signal: AbortSignal): Promise<TableDescription[]> {
    const message = await this.#run({ kind: 'describe', path: this.#path, tables }, signal);
    return message.kind === 'described' ? message.tables : this.#refuse(message);
  }

  async query({ tables, sql, limits }: Query, signal: AbortSignal): Promise<QueryResult> {
    const { maxRows, maxBytes } = limits;
    const job = { path: this.#path, tables, sql, limits: { maxRows, maxBytes } };
    const message = await this.#run({ kind: 'query', ...job }, signal);
    return message.kind === 'rows' ? message.result : this.#refuse(message);
  }

  async read(
    { tables, sql, maxCell }: RowsQuery,
    take: TakeLines,
    signal: AbortSignal,
  ): Promise<void> {
    const job = { path: this.#path, tables, sql, maxCell };
    const message = await this.#run({ kind: 'read', ...job }, signal, take);
    if (message.kind !== 'read') this.#refuse(message);
  }

  async stop(): Promise<void> {
    await this.#pool.close();
  }

  async #run(
    details: SqliteJob,
    signal: AbortSignal,
    onData: TakeLines = async () => {},
  ): Promise<SqliteMessage> {
    try {
      return await this.#pool.run({ details, onData, signal });
    } catch (error) {
      if (error instanceof OutOfMemoryError) throw tooMuchMemory();
      if (error instanceof WorkerEndedError) {
        const answer = `The database ${this.name} did not answer; try again.`;
        throw new DatabaseUnavailableError(answer, { cause: error });
      }
      throw error;
    }
  }

  #refuse(message: SqliteMessage): never {
    if (message.kind === 'refused') throw new QueryError(message.message);
    const answer = `The database ${this.name} cannot be opened; its operator must repair it.`;
    throw new DatabaseUnavailableError(answer, { cause: message });
  }
}
