/** Tests what the service says while its store cannot be written. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ownServers } from '../testkit/service/own-servers.js';
import type { ServerProcess } from '../testkit/service/server-process.js';

const { file, start } = ownServers();

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

/** Limits how large files may become that a process writes: beyond it, writes fail as on a full disk. */
function limitFiles({ pid }: ServerProcess, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);
}

async function create({ url }: ServerProcess, name: string): Promise<number> {
  const { status } = await fetch(`${url}/projects`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ project: { name } }),
  });
  return status;
}

/** Waits until the service says whether it is ready, and returns the problem if it is not. */
async function untilReady({ url }: ServerProcess, status: number): Promise<unknown> {
  for (;;) {
    const answer = await fetch(`${url}/health/ready`);
    const body: unknown = await answer.json();
    if (answer.status === status) return body;
    await delay(100);
  }
}

test('a service whose writes fail is not ready, goes on reading, and is ready when they succeed again', async ({
  skip,
}) => {
  skip(!hasPrlimit, 'there is no `prlimit` on this machine (util-linux)');
  const server = await start();
  expect(await create(server, 'before')).toBe(201);
  await untilReady(server, 200);
  limitFiles(server, statSync(file('roster.db-wal')).size);
  expect(await create(server, 'lost')).toBe(503);
  expect(await untilReady(server, 503)).toMatchObject({
    detail: expect.stringMatching(/takes no writes: its disk is full or read-only/),
  });
  const read = await fetch(`${server.url}/projects`);
  expect(await read.text()).toMatch(/before(?!.*lost)/);
  limitFiles(server, 'unlimited');
  await untilReady(server, 200);
  expect(await create(server, 'after')).toBe(201);
});
