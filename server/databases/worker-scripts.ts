/** The modules that worker processes run for queries. */
export interface WorkerScripts {
  /** Reads SQLite files. */
  readonly sqlite: URL;
  /** Parses statements for PostgreSQL. */
  readonly parser: URL;
}

export const WORKER_SCRIPTS: WorkerScripts = {
  sqlite: new URL('./sqlite/sqlite-worker.js', import.meta.url),
  parser: new URL('./postgres/parse-worker.js', import.meta.url),
};
