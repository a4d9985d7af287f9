/** The `begin` of a transaction on PostgreSQL, which is sent with a first statement that reads. */
import { type AddressInfo, connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresDatabase, startPostgres } from '../../../testkit/store/postgres-database.js';
import type { Databases } from './dialect.js';
import { openPostgres } from './postgres.js';

let postgres: PostgresDatabase;
let databases: Databases;
beforeAll(async () => {
  postgres = await startPostgres();
  databases = await openPostgres(
    postgres.url,
    () => {},
    () => {},
  );
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
    const readTime = async () =>
      (await sql<{ time: string }>`select now()::text as time`.execute(tx)).rows[0]?.time;
    return [await readTime(), await readTime(), await readTime()];
  });
  expect(new Set(times).size).toBe(1);
});

test.each([
  ['before its first statement', async () => {}],
  [
    'with its first statement',
    async (work) => void (await sql`select no_such_column`.execute(work)),
  ],
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

test('keeps no write of a transaction whose begin has failed', async () => {
  const { port, hostname } = new URL(postgres.url);
  // Begins fail once the store is open, and the connection lives on.
  let sent = 'begin\0';
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on('data', (bytes) =>
      server.write(Buffer.from(bytes.toString('latin1').replace('begin\0', sent), 'latin1')),
    );
    server.pipe(client).on('close', () => server.destroy());
    server.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(postgres.url);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port); // A string is for pipes only.
  const spoiled = await openPostgres(
    url.href,
    () => {},
    () => {},
  );
  try {
    await sql`create table begun (id integer)`.execute(databases.writes);
    sent = 'begim\0';
    const write = spoiled.writes
      .transaction()
      .execute((tx) => sql`insert into begun values (1)`.execute(tx));
    await expect(write).rejects.toThrow('begim');
    const { rows } = await sql`select id from begun`.execute(databases.reads);
    expect(rows).toEqual([]);
  } finally {
    await Promise.all(Object.values(spoiled).map((pool) => pool.destroy()));
    proxy.close();
  }
});
