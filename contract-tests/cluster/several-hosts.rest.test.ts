/** Tests addresses of PostgreSQL with several hosts, on a primary and its hot standby. */
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SqlDatabases } from '../../server/databases/sql-databases.js';
import { Store } from '../../server/store/index.js';
import { BUILT_SCRIPTS } from '../../testkit/databases/worker-scripts.js';
import { freePort } from '../../testkit/http/free-port.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { useCertificate } from '../../testkit/store/postgres-certificate.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';

let primary: PostgresDatabase;
let standby: PostgresDatabase;
let closed: string;
let folder: string;
let server: ServerProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-hosts-'));
  primary = await startPostgres();
  // The replica has the tables, too.
  await (await Store.open(primary.url)).close();
  standby = await primary.standby();
  closed = `127.0.0.1:${await freePort()}`;
});
afterEach(async () => {
  await server?.kill();
  server = undefined;
});
afterAll(async () => {
  await standby.remove();
  await primary.remove();
  await rm(folder, { recursive: true });
});

const hostOf = ({ url }: PostgresDatabase) => new URL(url).host;

/** Returns the address of the store with other hosts, given in their order. */
function urlOf(hosts: readonly string[], query = ''): string {
  return primary.url.replace(hostOf(primary), hosts.join()) + query;
}

async function start(env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  server = await startServer({ env: { RATE_LIMIT: '0', ...env } });
  return server;
}

let created = 0;

async function create(): Promise<Response> {
  created += 1;
  const body = JSON.stringify({ skill: { name: `skill_${created}`, type: 'lookup' } });
  const headers = { 'Content-Type': 'application/json' };
  return fetch(`${server?.url}/projects/default/skills`, { method: 'POST', headers, body });
}

const creates = async () => {
  const response = await create();
  await response.text();
  if (response.status === 503) expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
  // Nothing is a fault of the service.
  else expect(response.status).toBe(201);
  return response.status;
};

const usedHosts = () =>
  server?.log.flatMap((line) => {
    const entry: unknown = JSON.parse(line);
    const isChange = Object(entry).msg === 'the store is used at another address or host';
    return isChange ? [Object(entry).store] : [];
  });

test('a host that is down and a replica are passed over, whatever their place', async () => {
  await start({ DATABASE_URL: urlOf([closed, hostOf(standby), hostOf(primary)]) });
  expect(await creates()).toBe(201);
  await expect.poll(usedHosts).toEqual([`postgres://${hostOf(primary)}/roster`]);
});

test('a host that accepts connections and says nothing is passed over', async () => {
  const accepted: Socket[] = [];
  const silent = createServer((socket) => accepted.push(socket.on('error', () => {})));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  try {
    await start({ DATABASE_URL: urlOf([`127.0.0.1:${port}`, hostOf(primary)], '?target_session_attrs=any') });
    expect(await creates()).toBe(201);
  } finally {
    for (const socket of accepted) socket.destroy();
    silent.close();
  }
});

test('one host that has to be the primary, and is a replica, is refused', async () => {
  const refused = start({ DATABASE_URL: urlOf([hostOf(standby)], '?target_session_attrs=primary') });
  await expect(refused).rejects.toThrow('it is read-only; name the primary server, not a replica');
});

test('a start without a host that can be used says why, for each', async () => {
  const refused = start({ DATABASE_URL: urlOf([closed, hostOf(standby)]) });
  await expect(refused).rejects.toThrow(
    `the store postgres://${closed},${hostOf(standby)}/roster (DATABASE_URL) cannot be opened: ` +
      `${hostOf(standby)}: it is read-only; name the primary server, not a replica; ` +
      `${closed}: the connection is refused; is PostgreSQL running there?`,
  );
});

test('commands reach the primary, too', async () => {
  const env = { DATABASE_URL: urlOf([closed, hostOf(standby), hostOf(primary)]) };
  const check = await runRoster(['check'], env);
  expect(check.stdout).toContain(`postgres://${closed},${hostOf(standby)},${hostOf(primary)}/roster is up to date`);
  for (const args of [
    ['keys', 'list'],
    ['audit', 'verify'],
  ]) {
    expect(await runRoster(args, env)).toMatchObject({ code: 0 });
  }
});

test('the certificate is that of the host which is connected to', async () => {
  const admin = new pg.Client(primary.url);
  await admin.connect();
  await useCertificate(admin, folder, 'hosts');
  await admin.end();
  const root = join(folder, 'root.crt');
  await copyFile(join(folder, 'hosts.crt'), root);
  const query = `?sslmode=verify-full&sslrootcert=${root}`;
  const other = hostOf(primary).replace('127.0.0.1', 'localhost');
  await start({ DATABASE_URL: urlOf([other, hostOf(primary)], query) });
  await expect.poll(usedHosts).toEqual([`postgres://${hostOf(primary)}/roster`]);
  await server?.kill();
  await expect(start({ DATABASE_URL: urlOf([other, closed], query) })).rejects.toThrow(/localhost:\d+: .*altnames/);
});

test('agents read a replica, or the host that is there', async () => {
  const settings = new Map([
    ['replica', { url: urlOf([closed, hostOf(standby)]) }],
    ['primary', { url: urlOf([hostOf(standby), hostOf(primary)], '?target_session_attrs=read-write') }],
  ]);
  const databases = new SqlDatabases(settings, { agents: { timeoutMs: WAIT_MS } }, BUILT_SCRIPTS);
  const { signal } = new AbortController();
  try {
    const count = async (name: string) => {
      const sql = 'select count(*) as skills from skills';
      return (await databases.query('o', name, ['skills'], sql, signal)).rows;
    };
    expect(await count('primary')).toEqual([[expect.anything()]]);
    expect(await count('replica')).toEqual([[expect.anything()]]);
  } finally {
    await databases.stop();
  }
});

// The last: it leaves two servers that both take writes.
test('after a failover, requests succeed again without a restart, and stay with the new primary', async () => {
  const file = join(folder, 'url');
  await writeFile(file, primary.url);
  await start({ DATABASE_URL: '', DATABASE_URL_FILE: file });
  await writeFile(file, urlOf([hostOf(primary), hostOf(standby)]));
  await expect.poll(async () => [await creates(), usedHosts()?.length]).toEqual([201, 1]);

  const acknowledged = `skill_${created}`;
  const replica = new pg.Client(standby.url);
  await replica.connect();
  onTestFinished(() => replica.end());
  const copied = async () => (await replica.query('select from skills where name = $1', [acknowledged])).rowCount;
  await expect.poll(copied).toBe(1);
  await primary.stop();
  await expect.poll(creates).toBe(503);
  await replica.query('select pg_promote()');
  await expect.poll(creates).toBe(201);
  // The log comes by another way than the answer.
  await expect.poll(() => usedHosts()?.at(-1)).toBe(`postgres://${hostOf(standby)}/roster`);
  const read = await fetch(`${server?.url}/projects/default/skills/${acknowledged}`);
  expect(read.status).toBe(200);
  await read.text();

  // The former primary comes back, and takes writes: nothing goes to it.
  await primary.start();
  await replica.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'roster'");
  await expect.poll(creates).toBe(201);
  expect(usedHosts()).toHaveLength(2);

  // The new one becomes read-only under connections that exist.
  await replica.query('alter system set default_transaction_read_only = on');
  await replica.query('select pg_reload_conf()');
  await expect.poll(async () => [await creates(), usedHosts()?.length]).toEqual([201, 3]);
  expect(usedHosts()?.at(-1)).toBe(`postgres://${hostOf(primary)}/roster`);
});
