/** Tests two instances behind PgBouncer in its transaction mode, as it is configured by default. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { answered } from 'roster-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../testkit/http/free-port.js';
import { findProgram } from '../../testkit/programs.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { type Instance, startTwo, untilReadiness } from './instance.js';

const SKILLS = '/projects/{project_name}/skills';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

const program = findProgram('PGBOUNCER_BIN', ['pgbouncer'], ['/usr/sbin/pgbouncer']);

/** Fewer sessions than one instance has connections. */
const SESSIONS = 6;

let database: PostgresDatabase;
let folder: string;
let pooler: Child;
let both: [Instance, Instance];
beforeAll(async () => {
  if (program === undefined) return;
  database = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), 'roster-pgbouncer-'));
  const url = new URL(database.url);
  const port = await freePort();
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
     roster = host=127.0.0.1 port=${url.port} dbname=roster user=${url.username} password=${url.password}
     [pgbouncer]
     listen_addr = 127.0.0.1
     listen_port = ${port}
     unix_socket_dir =
     auth_type = any
     pool_mode = transaction
     default_pool_size = ${SESSIONS}
     ${process.getuid?.() === 0 ? 'user = nobody' : ''}`.replaceAll(/^ +/gm, ''),
  );
  pooler = await startChild(program, [join(folder, 'pgbouncer.ini')], process.env, (line) =>
    /process up/.test(line) ? line : undefined,
  );
  url.port = String(port);
  both = await startTwo({ env: { DATABASE_URL: url.href, RATE_LIMIT: '0' } });
});
beforeEach(({ skip }) => skip(program === undefined, 'there is no pgbouncer on this machine; Debian has the package'));
afterAll(async () => {
  if (program === undefined) return;
  await Promise.all((both ?? []).map((instance) => instance.kill()));
  await pooler?.stop();
  await database.remove();
  await rm(folder, { recursive: true });
});

const params = { path: { project_name: 'default' } };

test('writes and reads of many callers share its sessions, and each write is done once', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `skill_${index}`);
  await Promise.all(
    names.map((name, index) =>
      answered(
        both[index % 2 === 0 ? 0 : 1].roster.POST(SKILLS, { params, body: { skill: { name, type: 'lookup' } } }),
      ),
    ),
  );
  const lists = await Promise.all(
    both.flatMap(({ roster }) => [1, 2, 3].map(() => answered(roster.GET(SKILLS, { params })))),
  );
  for (const list of lists) expect(list.map(({ name }) => name).sort()).toEqual(names.toSorted());
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query(
    "select count(*)::int as sessions from pg_stat_activity where datname = 'roster'",
  );
  await client.end();
  expect(rows[0].sessions).toBeLessThanOrEqual(SESSIONS + 1);
});

test('models are trained and predict', async () => {
  const path = { projectName: 'default', modelName: 'prices' };
  expect(await trainPrices(both[0].roster, path)).toMatchObject({ status: 'ready' });
  const body = [{ carat: 1 }];
  expect(await answered(both[1].roster.POST(PREDICT, { params: { path }, body }))).toHaveLength(1);
});

test('a table that is locked is waited for as long as without it, since the timeouts are of the transaction', async () => {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query('begin; lock table skills in access exclusive mode');
  const body = { skill: { name: 'waits', type: 'lookup' } };
  const { response } = await both[0].roster.POST(SKILLS, { params, body });
  expect([response.status, response.headers.has('Retry-After')]).toEqual([503, true]);
  await client.query('rollback');
  await client.end();
  await untilReadiness(both[0], 200);
  await expect.poll(async () => (await both[0].roster.POST(SKILLS, { params, body })).response.status).toBe(201);
});
