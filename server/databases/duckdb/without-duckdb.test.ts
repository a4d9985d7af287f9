/** A service that has files for DuckDB, and no DuckDB: `npm ci` does not install it. */
import { afterAll, expect, test } from 'vitest';
import { BUILT_SCRIPTS } from '../../../testkit/databases/worker-scripts.js';
import { findMissing, SqlDatabases } from '../sql-databases.js';

const REMEDY = 'the package @duckdb/node-api is not installed; install it (npm install @duckdb/node-api@1.5.6-r.1)';

const settings = new Map([
  ['lake', { views: { orders: 'orders' }, training: ['orders'] }],
  ['file', { url: 'duckdb:shop.duckdb' }],
]);

const databases = new SqlDatabases(settings, {}, BUILT_SCRIPTS);
afterAll(() => databases.stop());

test('the start names the databases that cannot be read, and the remedy', async () => {
  expect(await findMissing(settings)).toBe(
    `the databases lake, file of DATABASES cannot be read: DuckDB is needed, but ${REMEDY}`,
  );
  expect(await findMissing(new Map([['shop', { url: 'file:shop.db' }]]))).toBeUndefined();
});

test('a question and a training are refused with the remedy', async () => {
  const { signal } = new AbortController();
  const refused = `The database lake cannot be read: DuckDB is needed, but ${REMEDY}.`;
  await expect(databases.query('o', 'lake', ['orders'], 'select * from orders', signal)).rejects.toThrow(refused);
  const rows = databases.readTable('o', { database: 'lake', query: 'select * from orders' }, signal);
  await expect(rows.next()).rejects.toThrow(refused);
});
