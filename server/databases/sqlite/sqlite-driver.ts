import { resolve } from 'node:path';
import type { WorkerPool } from '../../work/worker-pool.js';
import type { Driver } from '../driver.js';
import { type WorkerAnswer, type WorkerTask, workerDriver } from '../worker-driver.js';

/** A job of the process that reads SQLite files. */
export interface SqliteJob extends WorkerTask {
  readonly name: string;
  readonly path: string;
}

export type SqlitePool = WorkerPool<SqliteJob, WorkerAnswer>;

/**
 * Reads a SQLite file in worker processes. SQLite cannot be interrupted from within its thread, so
 * a process that works for too long is killed.
 * @param url `file:PATH`, relative to the working directory
 */
export function openSqlite(name: string, url: string, pool: SqlitePool): Driver {
  const database = { name, path: resolve(url.slice('file:'.length)) };
  return workerDriver(name, (task, signal, onData) => {
    return pool.run({ details: { ...task, ...database }, signal, onData });
  });
}
