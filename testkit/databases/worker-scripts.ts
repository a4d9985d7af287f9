const DATABASES = new URL('../../dist/server/databases/', import.meta.url);

/** The built modules of the processes that run queries, for tests that run sources. */
export const BUILT_SCRIPTS = {
  sqlite: new URL('sqlite/sqlite-worker.js', DATABASES),
  parser: new URL('postgres/parse-worker.js', DATABASES),
  duckdb: new URL('duckdb/duckdb-worker.js', DATABASES),
};
