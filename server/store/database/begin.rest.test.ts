/** The `begin` of a transaction on PostgreSQL, which is sent with a first statement that reads. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresDatabase, startPostgres } from '../../../testkit/store/postgres-database.js';
import type { Databases } from './dialect.js';
import { openPostgres } from './postgres.js';
import { storeProblem } from './unavailable.js';

const QUIET = { onError: () => {}, noteFailure: () => {} };

let postgres: PostgresDatabase;
let databases: Databases;
beforeAll(async () => {
  postgres = await startPostgres();
  ({ databases } = await openPostgres(postgres.url, QUIET));
});
afterAll(async () => {
  await Promise.all(Object.values(databases).map((pool) => pool.destroy()));
  await postgres.remove();
});

/** Returns how many connections are left in a transaction. */
async function countOpen(): Promise<number> {
  const { rows } = await sql<{ open: string }>`
    select count(*) as open from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'
  `.execute(databases.reads);
  return Number(rows[0]?.open);
}

test('holds for the first statement and for those that follow', async () => {
  const times = await databases.writes.transaction().execute(async (tx) => {
    const readTime = async () => (await sql<{ time: string }>`select now()::text as time`.execute(tx)).rows[0]?.time;
    return [await readTime(), await readTime(), await readTime()];
  });
  expect(new Set(times).size).toBe(1);
});

test.each([
  ['before its first statement', async () => {}],
  ['with its first statement', async (work) => void (await sql`select no_such_column`.execute(work))],
  ['after its first statement', async (work) => void (await sql`select 1`.execute(work))],
] satisfies [string, (work: Databases['writes']) => Promise<void>][])(
  'leaves no connection in a transaction that fails %s',
  async (_, run) => {
    const failed = databases.writes.transaction().execute(async (tx) => {
      await run(tx);
      throw new Error('given up');
    });
    await expect(failed).rejects.toThrow(/given up|no_such_column/);
    expect(await countOpen()).toBe(0);
  },
);

/** Answers a `begin` in place of the server, or changes it. */
type Answer = (bytes: Buffer, client: Socket) => Buffer | undefined;

/** Uses a store whose begins go through a proxy, once it is open. */
async function withProxy(answer: Answer, use: (databases: Databases) => Promise<void>): Promise<void> {
  const { port, hostname } = new URL(postgres.url);
  let isOpen = false;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on('data', (bytes) => {
      const isBegin = isOpen && bytes.includes('begin\0');
      const passed = isBegin ? answer(bytes, client) : bytes;
      if (passed) server.write(passed);
      else server.destroy();
    });
    server.pipe(client).on('close', () => server.destroy());
    server.on('error', () => client.destroy());
    client.on('error', () => server.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(postgres.url);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port); // A string is for pipes only.
  const { databases: spoiled } = await openPostgres(url.href, QUIET);
  isOpen = true;
  try {
    await use(spoiled);
  } finally {
    await Promise.all(Object.values(spoiled).map((pool) => pool.destroy()));
    proxy.close();
  }
}

test('keeps no write of a transaction whose begin has failed', async () => {
  // The connection lives on.
  const misspell = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('begin\0', 'begim\0'), 'latin1');
  await withProxy(misspell, async (spoiled) => {
    await sql`create table begun (id integer)`.execute(databases.writes);
    const write = spoiled.writes.transaction().execute((tx) => sql`insert into begun values (1)`.execute(tx));
    await expect(write).rejects.toThrow('begim');
    const { rows } = await sql`select id from begun`.execute(databases.reads);
    expect(rows).toEqual([]);
  });
});

/** Returns the message with which the server ends a connection. */
function fatal(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mended\0\0`);
  const head = Buffer.from('E____');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test.each<[string, Answer]>([
  ['is lost', (_, client) => void client.destroy()],
  ['ends as the server stops', (_, client) => void client.end(fatal('57P01'))],
  ['ends after it was idle for too long', (_, client) => void client.end(fatal('57P05'))],
  ['ends with a transaction that took too long', (_, client) => void client.end(fatal('25P04'))],
])('is reported as a store to ask again, if its connection %s', async (_, answer) => {
  await withProxy(answer, async ({ writes }) => {
    for (const work of [sql`select 1`, sql`delete from begun`, undefined]) {
      const failed = writes.transaction().execute(async (tx) => {
        await work?.execute(tx);
        throw new Error('given up');
      });
      const refusal = storeProblem(await failed.catch((error: unknown) => error));
      expect(refusal).toMatchObject({ type: '/problems/service-unavailable' });
    }
  });
});
