import type { TestProject } from 'vitest/node';
import { startServer } from '../../testkit/service/server-process.js';
import { ENOUGH, makeKeys } from '../../testkit/store/keys.js';
import { startPostgres } from '../../testkit/store/postgres-database.js';

/** Runs the built server on PostgreSQL during the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const database = await startPostgres();
  try {
    const keys = await makeKeys(database.url);
    const server = await startServer({ env: { DATABASE_URL: database.url, RATE_LIMIT: ENOUGH } });
    project.provide('target', { kind: 'server', url: server.url, keys, databaseUrl: database.url });
    return async () => {
      await server.stop();
      await database.remove();
    };
  } catch (error) {
    await database.remove();
    throw error;
  }
}
