import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, postgresShop, type Shop, sqliteShop } from '../../testkit/databases/shop.js';
import {
  OTHER_TABLES,
  POSTGRES_EFFECTS,
  SQLITE_EFFECTS,
  WRITES,
} from '../../testkit/databases/hostile-sql.js';
import { Databases } from './databases.js';
import { QueryError } from './query-error.js';

const WORKER = new URL('../../dist/server/databases/sqlite/sqlite-worker.js', import.meta.url);
/** Returns what a promise rejects with. */
const failure = (promise: Promise<unknown>) =>
  promise.then(
    (value) => expect.unreachable(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );

const FOREVER = new AbortController().signal;

describe.each([
  { dialect: 'SQLite', create: sqliteShop },
  { dialect: 'PostgreSQL', create: postgresShop },
])('$dialect', ({ dialect, create }) => {
  const isSqlite = dialect === 'SQLite';
  let shop: Shop;
  let databases: Databases;
  beforeAll(async () => {
    shop = await create();
    databases = new Databases(new Map([['shop', { url: shop.url }]]), {}, WORKER);
  });
  afterAll(async () => {
    await databases.stop();
    await shop.remove();
  });

  const ask = (sql: string, tables: readonly string[] = ALLOWED) =>
    databases.query('o', 'shop', tables, sql, FOREVER);

  const contents = () =>
    shop.values(
      isSqlite
        ? `select group_concat(name) || (select count(*) from orders) from sqlite_schema`
        : `select string_agg(relname, ',') || (select count(*) from orders) from pg_class where relnamespace = 'public'::regnamespace`,
    );

  const rows = async (sql: string, tables?: readonly string[]) => (await ask(sql, tables)).rows;

  test.each([
    ['select name from customers order by id', [['Ada'], ['Blaise'], ['Carl']]],
    ['SELECT "name" FROM "customers" AS c WHERE c.city IS NULL;', [['Carl']]],
    ['select count(*) from orders -- of all;\n ; ; ', [[3]]],
    ['/* select * from cards */ select max(total) from orders', [[20]]],
    ['select cards from spending where name = $$Ada$$', [[1]]],
    [
      'select c.name, sum(o.total) from customers c join orders o on o.customer_id = c.id group by c.name order by 2',
      [
        ['Blaise', 7],
        ['Ada', 32.5],
      ],
    ],
    ['with big as (select * from orders where total > 10) select count(*) from big', [[2]]],
    ['with cards as (select id from orders) select count(*) from cards', [[3]]],
    [
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select sum(i) from n',
      [[6]],
    ],
    ['values (1), (2)', [[1], [2]]],
    ['select (select count(*) from customers), exists (select 1 from orders)', [[3, isSqlite ? 1 : true]]],
    ['select id from orders union select id from customers order by 1 desc limit 1', [[3]]],
    ['select rank() over (order by total desc) from orders order by id', [[2], [1], [3]]],
    [
      "select case when total > 10 then upper('big') else lower('SMALL') end from orders order by id",
      [['BIG'], ['BIG'], ['small']],
    ],
    ["select cast('12' as integer), coalesce(null, 'x'), 'it''s', 1 in (1, 2), 5 between 1 and 9", [[12, 'x', "it's", isSqlite ? 1 : true, isSqlite ? 1 : true]]],
  ])('answers %s', async (sql, expected) => {
    expect(await rows(sql.replaceAll('$$', "'"))).toEqual(expected);
  });

  test.each(OTHER_TABLES)('refuses another table: %s', async (sql) => {
    const error = await failure(ask(sql));
    expect(error).toBeInstanceOf(QueryError);
    expect(String(error)).not.toMatch(/4111|key-of/);
  });

  test.each([...WRITES, ...(isSqlite ? SQLITE_EFFECTS : POSTGRES_EFFECTS)])(
    'refuses whatever is no plain SELECT: %s',
    async (sql) => {
      const before = await contents();
      const error = await failure(ask(sql));
      expect(error).toBeInstanceOf(QueryError);
      // Refused for what it is, and not stopped by the timeout.
      expect(String(error)).not.toMatch(/longer than|cannot be reached/);
      expect(await contents()).toEqual(before);
    },
  );

  test('names the tables that are allowed in place of another one', async () => {
    await expect(ask('select * from cards')).rejects.toThrow(
      /^The table cards is not among those of this skill: orders, customers, spending\.$/,
    );
  });
});
