import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import { type JobOutput, serveJobs } from '../../work/serve-jobs.js';
import { QueryError } from '../query-error.js';
import { missingTable, systemTable } from '../refusals.js';
import type { TableDescription } from '../result.js';
import { columnsOf, findTable, isSystemTable } from './catalog.js';
import { openReadOnly } from './read-only-connection.js';
import { readSelect, runSelect } from './run-select.js';
import type { SqliteJob, SqliteMessage } from './sqlite-message.js';

/** Runs in a process of its own: reads SQLite files for queries that may be hostile. */
await serveJobs(readFile);

async function readFile(
  job: SqliteJob,
  _input: AsyncIterable<Uint8Array>,
  output: JobOutput,
): Promise<SqliteMessage> {
  let connection: SqliteConnection;
  try {
    connection = openReadOnly(job.path);
  } catch (error) {
    return { kind: 'unusable', cause: String(error) };
  }
  try {
    if (job.kind === 'describe') {
      return { kind: 'described', tables: job.tables.map((name) => describe(connection, name)) };
    }
    if (job.kind === 'read') {
      readSelect(connection, job, (lines) => output.data(lines));
      return { kind: 'read' };
    }
    return { kind: 'rows', result: runSelect(connection, job) };
  } catch (error) {
    if (error instanceof QueryError) return { kind: 'refused', message: error.message };
    throw error;
  } finally {
    connection.close();
  }
}

function describe(connection: SqliteConnection, name: string): TableDescription {
  const table = findTable(connection, name);
  if (isSystemTable(connection, name)) throw systemTable(name);
  if (!table) throw missingTable(name);
  return { name, columns: columnsOf(connection, table.name) };
}
