import { DatabaseSync } from '../../store/database/sqlite-connection.js';
import { errorCode, StoreBusyError } from '../../store/database/unavailable.js';
import type { ScoredPassage } from './passage-index.js';

/** A query for passages, for the process that runs it. */
export interface SearchJob {
  readonly path: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The longest wait for a lock, in milliseconds: readers wait for the recovery of a file alone. */
const LOCK_TIMEOUT_MS = 1_000;

/**
 * Runs a query for passages on a file of SQLite, in the calling thread.
 * @throws {StoreBusyError} if the file cannot be read now
 */
export function searchFile({ path, sql, parameters }: SearchJob): ScoredPassage[] {
  try {
    const connection = new DatabaseSync(path, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
    try {
      return connection.prepare(sql).all(...parameters);
    } finally {
      connection.close();
    }
  } catch (error) {
    const code = errorCode(error);
    throw code === '' ? error : new StoreBusyError(`The store cannot be searched now (${code}).`);
  }
}
