import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import type { JobOutput } from '../../work/serve-jobs.js';
import type { TableDescription } from '../driver.js';
import { missingTable, systemTable } from '../query-error.js';
import { serveQueries } from '../serve-queries.js';
import { findTable, isSystemTable, listColumns } from './catalog.js';
import { openReadOnly } from './read-only-connection.js';
import { collectResult, runSelect, writeRows } from './run-select.js';
import type { SqliteAnswer, SqliteJob } from './sqlite-driver.js';

/** Runs in a process of its own: reads SQLite files for queries that may be hostile. */
await serveQueries(readFile);

function readFile(job: SqliteJob, output: JobOutput): SqliteAnswer {
  let connection: SqliteConnection;
  try {
    connection = openReadOnly(job.path);
  } catch (error) {
    return { kind: 'unusable', cause: String(error) };
  }
  try {
    switch (job.kind) {
      case 'describe':
        return { kind: 'described', tables: job.tables.map((name) => describe(connection, name)) };
      case 'query':
        return {
          kind: 'result',
          result: runSelect(connection, job, (rows) => collectResult(rows, job.limits)),
        };
      case 'read':
        runSelect(connection, job, (rows) => writeRows(rows, (lines) => output.data(lines)));
        return { kind: 'read' };
    }
  } finally {
    connection.close();
  }
}

function describe(connection: SqliteConnection, name: string): TableDescription {
  const table = findTable(connection, name);
  if (isSystemTable(connection, name)) throw systemTable(name);
  if (!table) throw missingTable(name);
  return { name, columns: listColumns(connection, table.name) };
}
