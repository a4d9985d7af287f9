import { afterAll, beforeAll, expect, test } from 'vitest';
import { runRoster } from '../../testkit/service/roster-command.js';
import { connectTo } from '../../testkit/store/own-store.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { Store } from '../store/index.js';

let postgres: PostgresDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

/** Returns the line of `roster check` about the store. */
async function checkStore(url: string): Promise<string | undefined> {
  const { stdout } = await runRoster(['check'], { DATABASE_URL: url });
  expect(stdout).not.toContain('s3cret');
  return stdout.split('\n').find((line) => line.includes('store'));
}

test('roster check looks at PostgreSQL without making tables, and knows who may make them', async () => {
  expect(await checkStore(postgres.url)).toContain('runs its migrations 0001-first');
  const connection = await connectTo(postgres.url);
  await connection.run('create role visitor login password $$s3cret$$');
  await connection.run('alter role visitor set default_transaction_read_only = on');
  const url = new URL(postgres.url);
  url.username = 'visitor';
  url.password = 's3cret';
  expect(await checkStore(url.href)).toContain('read-only');
  await connection.run('alter role visitor reset all');
  expect(await checkStore(url.href)).toContain('grant create on schema public');
  await expect(connection.run('select 1 from projects')).rejects.toThrow('does not exist');
  await connection.close();
  await (await Store.open(postgres.url)).close();
  expect(await checkStore(postgres.url)).toContain('is up to date');
});
