/** Tests that a store which cannot be reached is answered with 503, whatever the reason, and is used again by itself. */
import { once } from 'node:events';
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../testkit/http/free-port.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { useCertificate } from '../../testkit/store/postgres-certificate.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';

/** All visible characters of ASCII, and the space. */
const EVERY_CHARACTER = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

let postgres: PostgresDatabase;
let admin: pg.Client;
let folder: string;
let file: string;
let server: ServerProcess;
let sent: Statuses;

beforeAll(async () => {
  postgres = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), 'roster-unreachable-'));
  file = join(folder, 'url');
  const url = new URL(postgres.url);
  url.pathname = '/postgres';
  admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create role app login password ${pg.escapeLiteral(EVERY_CHARACTER)}`);
});
afterAll(async () => {
  await admin.end();
  await postgres.remove();
  await rm(folder, { recursive: true });
});

beforeEach(async () => {
  await admin.query('create database app owner app');
  await admin.query(`alter role app login password ${pg.escapeLiteral(EVERY_CHARACTER)}`);
  await writeUrl(EVERY_CHARACTER);
  server = await startServer({ env: { DATABASE_URL: '', DATABASE_URL_FILE: file } });
  sent = new Statuses(server.url);
});
afterEach(async () => {
  await sent.stop().finally(() => server.kill());
  await admin.query('drop database if exists app with (force)');
  // Each 503 asks the client to come again, and nothing is a fault of the service.
  expect(sent.withoutAdvice).toBe(0);
  expect([...sent.seen.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
});

/** Writes the file of the address, which appears as a whole. */
async function writeUrl(password: string, query = ''): Promise<void> {
  await writeFile(`${file}.new`, `${urlOf('app', password)}${query}\n`);
  await rename(`${file}.new`, file);
}

function urlOf(database: string, password: string): string {
  return `postgres://app:${encodeURIComponent(password)}@${new URL(postgres.url).host}/${database}`;
}

/** Reads and writes, without an end; counts the statuses. */
class Statuses {
  readonly seen = new Map<number, number>();
  withoutAdvice = 0;
  #created = 0;
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(url: string) {
    const skills = `${url}/projects/default/skills`;
    const create = () => {
      this.#created += 1;
      const skill = { name: `skill_${this.#created}`, type: 'lookup' };
      const headers = { 'Content-Type': 'application/json' };
      return fetch(skills, { method: 'POST', headers, body: JSON.stringify({ skill }) });
    };
    this.#running = Promise.all([this.#repeat(() => fetch(skills)), this.#repeat(create)]);
  }

  async #repeat(send: () => Promise<Response>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const response = await send();
      await response.text();
      this.seen.set(response.status, (this.seen.get(response.status) ?? 0) + 1);
      if (response.status === 503 && !response.headers.has('Retry-After')) this.withoutAdvice += 1;
      await pause(5);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}

const readiness = async () => {
  const response = await fetch(`${server.url}/health/ready`);
  await response.text();
  return response.status;
};

const skills = async () => (await fetch(`${server.url}/projects/default/skills?limit=1`)).status;

/** Ends all connections of the service, as PostgreSQL does for none of the changes here by itself. */
const disconnect = () => admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");

/** Returns the lines of the log with a message. */
const logged = (message: string) => server.log.filter((line) => line.includes(`"msg":"${message}"`));

/** Waits until the service reports that it cannot use the store, and says why in its log, once. */
async function expectOutage(cause: RegExp): Promise<void> {
  await expect.poll(readiness).toBe(503);
  await expect.poll(skills).toBe(503);
  // A log comes through a pipe, later than the answer.
  await expect.poll(() => logged('the store takes no requests')).toHaveLength(1);
  expect(logged('the store takes no requests')[0]).toMatch(cause);
}

async function expectRecovery(): Promise<void> {
  await expect.poll(readiness).toBe(200);
  await expect.poll(skills).toBe(200);
}

test('a rotated password is read from its file, and needs no restart', async () => {
  await admin.query("alter role app password 'next'");
  await disconnect();
  await expectOutage(/password authentication failed/);
  await writeUrl('next');
  await expectRecovery();
  await expect.poll(() => logged('the store takes requests again')).toHaveLength(1);
  expect(logged('the store is used at another address or host')).toHaveLength(1);
  expect(server.log.join('\n')).not.toContain('next@');
});

test('a file that is changed before the password is, and one that is half written, take no connection away', async () => {
  await writeUrl('early');
  const refused = 'the changed address of the store is not used, since it cannot be';
  await expect.poll(() => logged(refused)).toHaveLength(1);
  await disconnect();
  await expectRecovery();
  // A reader may see this of a file that is written in place.
  await writeFile(file, 'postgres://app:%20%21%22%23@127.0.0');
  await expect.poll(() => logged(refused)).toHaveLength(2);
  await writeFile(file, '');
  await disconnect();
  await expectRecovery();
  await admin.query("alter role app password 'early'");
  await writeUrl('early');
  await expect.poll(() => logged('the store is used at another address or host')).toHaveLength(1);
  expect(logged('the store takes no requests')).toEqual([]);
});

test('a role that may no longer log in', async () => {
  await expect.poll(skills).toBe(200);
  await admin.query('alter role app nologin');
  await disconnect();
  await expectOutage(/not permitted to log in/);
  // Scrapes are answered from memory.
  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
  expect(await metrics()).toMatch(/^roster_store_ready 0$/m);
  await admin.query('alter role app login');
  await expectRecovery();
  expect(await metrics()).toMatch(/^roster_store_ready 1$/m);
});

test('a database that has another name now', async () => {
  await admin.query('alter database app allow_connections false');
  await disconnect();
  await admin.query('alter database app rename to renamed');
  await expectOutage(/database \\"app\\" does not exist/);
  await admin.query('alter database renamed rename to app');
  await expect.poll(skills).toBe(503);
  await admin.query('alter database app allow_connections true');
  await expectRecovery();
});

test('tables that the role may no longer read', async () => {
  const inside = new pg.Client({ connectionString: new URL('/app', postgres.url).href });
  // Its connection ends with the database, should the test fail.
  inside.on('error', () => {});
  await inside.connect();
  await inside.query('revoke all on all tables in schema public from app');
  await expectOutage(/permission denied for table/);
  await inside.query('grant all on all tables in schema public to app');
  await expectRecovery();
  await inside.end();
});

test('a certificate that the service does not trust, and a file of trusted ones that is gone', async () => {
  const root = join(folder, 'root.crt');
  await useCertificate(admin, folder, 'first');
  await copyFile(join(folder, 'first.crt'), root);
  await writeUrl(EVERY_CHARACTER, `?sslmode=verify-full&sslrootcert=${root}`);
  await expect.poll(() => logged('the store is used at another address or host')).toHaveLength(1);

  await useCertificate(admin, folder, 'second');
  await disconnect();
  await expectOutage(/DEPTH_ZERO_SELF_SIGNED_CERT/);
  await copyFile(join(folder, 'second.crt'), root);
  await expectRecovery();

  await rm(root);
  await disconnect();
  await expect.poll(skills).toBe(503);
  await expect.poll(readiness).toBe(503);
  await copyFile(join(folder, 'second.crt'), root);
  await expectRecovery();
});

test('a database that answers after fourteen seconds', async () => {
  let delayMs = 0;
  const slow = createServer((client) => {
    const upstream = connect(Number(new URL(postgres.url).port), '127.0.0.1');
    for (const end of [client, upstream]) end.on('error', () => end.destroy());
    client.pipe(upstream).on('close', () => client.destroy());
    upstream.on('data', (data) => setTimeout(() => client.write(data), delayMs).unref());
    client.on('close', () => upstream.destroy());
  });
  const port = await freePort();
  slow.listen(port, '127.0.0.1');
  await once(slow, 'listening');
  try {
    const url = new URL(urlOf('app', EVERY_CHARACTER));
    url.port = String(port);
    await writeFile(file, url.href);
    await expect.poll(() => logged('the store is used at another address or host')).toHaveLength(1);
    await expectRecovery();
    delayMs = 14_000;
    await expectOutage(/timeout|terminated|silent/i);
    delayMs = 0;
    await expectRecovery();
  } finally {
    // The service would hold connections to it.
    await sent.stop();
    await server.kill();
    slow.close();
  }
});

test('a replica is read, takes no writes, and says so when it is to be migrated', async () => {
  await admin.query('alter role app set default_transaction_read_only = on');
  await disconnect();
  try {
    await expect.poll(readiness).toBe(503);
    expect(await skills()).toBe(200);
    await admin.query('create database empty owner app');
    const start = startServer({ env: { DATABASE_URL: urlOf('empty', EVERY_CHARACTER) } });
    await expect(start).rejects.toThrow('cannot be opened: it is read-only; name the primary server, not a replica');
  } finally {
    await admin.query('alter role app reset all');
    await admin.query('drop database if exists empty');
  }
  await disconnect();
  await expectRecovery();
});
