import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startServer } from '../../testkit/service/server-process.js';
import { ENOUGH, makeKeys } from '../../testkit/store/keys.js';

/** Runs the built server on its own database during the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-'));
  const databaseFile = join(folder, 'roster.db');
  const keys = await makeKeys(`file:${databaseFile}`);
  const server = await startServer({ databaseFile, env: { RATE_LIMIT: ENOUGH } });
  project.provide('target', { kind: 'server', url: server.url, keys, databaseUrl: `file:${databaseFile}` });
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}
