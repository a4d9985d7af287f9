/** Tests that a SQLite file has one service at a time, which others may keep from writing for a moment. */
import { expect, test } from 'vitest';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { ownServers } from '../../testkit/service/own-servers.js';
import { runRoster } from '../../testkit/service/roster-command.js';

const servers = ownServers();

test('a second service is refused by the name of the first, and starts once the first is gone', async () => {
  const first = await servers.start();
  const second = servers.start();
  await expect(second).rejects.toThrow(
    new RegExp(`roster\\.db .*cannot be opened: the service with process id ${first.pid} on \\S+ uses it since`),
  );
  expect((await fetch(`${first.url}/projects`)).status).toBe(200);
  // Commands may use it at any time.
  const env = { DATABASE_URL: `file:${servers.file('roster.db')}` };
  expect((await runRoster(['keys', 'list'], env)).code).toBe(0);
  await first.kill();
  const third = await servers.start();
  expect(await third.stop()).toBe(0);
  await servers.start();
});

test('is not ready while others keep it from writing for longer than a moment, and then is again', async () => {
  const { url } = await servers.start();
  const write = async () => {
    const body = JSON.stringify({ project: { name: 'another' } });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/projects`, { method: 'POST', headers, body });
    await response.text();
    return response;
  };
  const readiness = async () => {
    const response = await fetch(`${url}/health/ready`);
    return { status: response.status, text: await response.text() };
  };
  const other = new DatabaseSync(servers.file('roster.db'));
  // The service may be writing, such as the time of its last sweep.
  other.exec('pragma busy_timeout = 30000');
  other.exec('begin immediate');
  const refused = await write();
  expect([refused.status, refused.headers.has('Retry-After')]).toEqual([503, true]);
  await expect
    .poll(readiness)
    .toMatchObject({
      status: 503,
      text: expect.stringContaining('The store takes no writes: another program locks it'),
    });
  expect((await fetch(`${url}/projects`)).status).toBe(200);
  other.exec('rollback');
  other.close();
  await expect.poll(readiness).toMatchObject({ status: 200 });
  expect((await write()).status).toBe(201);
});
