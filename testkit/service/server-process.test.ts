import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from './server-process.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('startServer starts a server at its URL, and stop ends it', async () => {
  const server = await startServer();
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  await expect(fetch(server.url)).rejects.toThrow();
});

test('a given database is kept, even if the server is killed', async () => {
  const databaseFile = join(folder, 'kept.db');
  const server = await startServer({ databaseFile });
  await server.kill();
  expect(existsSync(databaseFile)).toBe(true);
});

test('startServer rejects with the reason if the server does not start', async () => {
  await expect(startServer({ env: { PORT: 'harbour' } })).rejects.toThrow(/PORT .*harbour/);
});
