import { DatabaseSync, PreparedStatement } from '../../store/database/sqlite-connection.js';
import { errorCode } from '../../store/database/unavailable.js';
import type { ScoredPassage } from './passage-index.js';

/** A search, for the process that runs it. */
export interface SearchJob {
  /** The file of the store. */
  readonly path: string;
  /** A query for passages, and its parameters. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The answer of the process. */
export type SearchAnswer =
  | { readonly kind: 'found'; readonly passages: readonly ScoredPassage[] }
  /** The file cannot be read now; `code` is SQLite's result code, by its name. */
  | { readonly kind: 'unavailable'; readonly code: string };

/** The longest wait for a lock, in milliseconds: readers wait for the recovery of a file alone. */
const LOCK_TIMEOUT_MS = 1_000;

/** Runs a query for passages on a file of SQLite, in the calling thread. */
export async function searchFile({ path, sql, parameters }: SearchJob): Promise<SearchAnswer> {
  try {
    const connection = new DatabaseSync(path, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
    try {
      const statement = new PreparedStatement<ScoredPassage>(connection, sql);
      return { kind: 'found', passages: statement.all(parameters) };
    } finally {
      connection.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === '') throw error;
    return { kind: 'unavailable', code };
  }
}
