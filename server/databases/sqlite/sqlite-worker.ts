import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import type { JobOutput } from '../../work/serve-jobs.js';
import { DatabaseUnavailableError } from '../query-error.js';
import { serveQueries } from '../serve-queries.js';
import { describeTable, openReadOnly } from './catalog.js';
import { runSelect } from './run-select.js';
import type { SqliteAnswer, SqliteJob } from './sqlite-driver.js';

/** Runs in a process of its own: reads SQLite files for queries that may be hostile. */
await serveQueries(readFile);

function readFile(
  { name, path, tables, query, isStream }: SqliteJob,
  output: JobOutput,
): SqliteAnswer {
  let connection: SqliteConnection;
  try {
    connection = openReadOnly(path);
  } catch (cause) {
    const message = `The database ${name} cannot be opened; its operator must repair it.`;
    throw new DatabaseUnavailableError(message, { cause });
  }
  try {
    if (!query) return { tables: tables.map((table) => describeTable(connection, table)) };
    const write = isStream ? (lines: Uint8Array) => output.data(lines) : undefined;
    const result = runSelect(connection, query, write);
    return result ? { result } : {};
  } finally {
    connection.close();
  }
}
