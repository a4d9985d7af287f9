import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ON_POSTGRES, testedShop } from '../../contract-tests/tested-store.js';
import { OTHER_TABLES, POSTGRES_EFFECTS, SQLITE_EFFECTS, WRITES } from '../../testkit/databases/hostile-sql.js';
import { randomSelect } from '../../testkit/databases/random-select.js';
import { ALLOWED, type Shop } from '../../testkit/databases/shop.js';
import { POSTGRES_SELECTS, SQLITE_SELECTS } from '../../testkit/databases/usual-selects.js';
import { POSTGRES_VALUES, SQLITE_VALUES, VALUES } from '../../testkit/databases/values.js';
import { BUILT_SCRIPTS } from '../../testkit/databases/worker-scripts.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { ProblemError } from '../problems/problem.js';
import { SqlDatabases } from './sql-databases.js';

/** A busy machine may take long to start a process. */
const PATIENT = { agents: { timeoutMs: WAIT_MS } };

/** Returns what a promise rejects with. */
const failure = (promise: Promise<unknown>) =>
  promise.then(
    (value) => expect.unreachable(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );

const FOREVER = new AbortController().signal;

const SQLITE_NAMES = {
  schema: 'main',
  quotes: [
    ['"', '"'],
    ['[', ']'],
    ['`', '`'],
  ],
} as const;
const POSTGRES_NAMES = { schema: 'public', quotes: [['"', '"']] } as const;

const isSqlite = !ON_POSTGRES;

describe('a database', () => {
  const names = isSqlite ? SQLITE_NAMES : POSTGRES_NAMES;
  let shop: Shop;
  let databases: SqlDatabases;
  beforeAll(async () => {
    shop = await testedShop();
    databases = new SqlDatabases(new Map([['shop', { url: shop.url }]]), PATIENT, BUILT_SCRIPTS);
  });
  afterAll(async () => {
    await databases.stop();
    await shop.remove();
  });

  const ask = (sql: string, tables: readonly string[] = ALLOWED) => databases.query('o', 'shop', tables, sql, FOREVER);

  /** Returns why a statement is refused: for what it is, and not since the database failed. */
  const refusal = async (sql: string) => {
    const error = await failure(ask(sql));
    expect(error).toBeInstanceOf(ProblemError);
    expect(String(error)).not.toMatch(/longer than|cannot be (?:opened|reached)|did not answer|memory/);
    return String(error);
  };

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
    ['with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select sum(i) from n', [[6]]],
    ['values (1), (2)', [[1], [2]]],
    ['select (select count(*) from customers), exists (select 1 from orders)', [[3, isSqlite ? 1 : true]]],
    ['select id from orders union select id from customers order by 1 desc limit 1', [[3]]],
    ['select rank() over (order by total desc) from orders order by id', [[2], [1], [3]]],
    [
      "select case when total > 10 then upper('big') else lower('SMALL') end from orders order by id",
      [['BIG'], ['BIG'], ['small']],
    ],
    [
      "select cast('12' as integer), coalesce(null, 'x'), 'it''s', 1 in (1, 2), 5 between 1 and 9",
      [[12, 'x', "it's", isSqlite ? 1 : true, isSqlite ? 1 : true]],
    ],
  ])('answers %s', async (sql, expected) => {
    expect(await rows(sql.replaceAll('$$', "'"))).toEqual(expected);
  });

  test.each(isSqlite ? SQLITE_SELECTS : POSTGRES_SELECTS)('answers the usual %s', async (sql) => {
    expect((await ask(sql)).columns.length).toBeGreaterThan(0);
  });

  test.each(OTHER_TABLES)('refuses another table: %s', async (sql) => {
    expect(await refusal(sql)).not.toMatch(/4111|key-of/);
  });

  test.each([...WRITES, ...(isSqlite ? SQLITE_EFFECTS : POSTGRES_EFFECTS)])(
    'refuses whatever is not a plain SELECT: %s',
    async (sql) => {
      const before = await contents();
      await refusal(sql);
      expect(await contents()).toEqual(before);
    },
  );

  test('answers a random query if all its tables are allowed, and refuses it otherwise', async () => {
    const seen = { answered: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(randomSelect(names), async ({ sql, tables }) => {
        const answer = await ask(sql).then(
          () => 'answered' as const,
          (error: unknown) => {
            expect(String(error)).toMatch(/The table .* may not be read here/s);
            return 'refused' as const;
          },
        );
        seen[answer] += 1;
        const isAllowed = [...tables].every((table) => ALLOWED.includes(table));
        expect(answer).toBe(isAllowed ? 'answered' : 'refused');
      }),
      { numRuns: 200 },
    );
    // The generator is of use only if it brings about both.
    expect(Math.min(seen.answered, seen.refused)).toBeGreaterThan(10);
  });

  test('names the tables that are allowed in place of another one', async () => {
    await expect(ask('select * from cards')).rejects.toThrow(
      /^The table cards may not be read here; these may: orders, customers, spending\.$/,
    );
  });

  test('passes on what the database says of a mistake', async () => {
    await expect(ask('select price from orders')).rejects.toThrow(
      isSqlite ? 'no such column: price' : 'column "price" does not exist',
    );
    await expect(ask('selec 1 from orders')).rejects.toThrow(ProblemError);
    await expect(ask('select from where')).rejects.toThrow(/syntax error/);
  });

  test.each([...VALUES, ...(isSqlite ? SQLITE_VALUES : POSTGRES_VALUES)])(
    'returns the value of %s',
    async (sql, value) => {
      expect(await rows(`select ${sql} as value`)).toEqual([[value]]);
    },
  );

  test('describes the columns of tables and views', async () => {
    expect(await databases.describe('o', 'shop', ['orders', 'spending'], FOREVER)).toEqual([
      {
        name: 'orders',
        columns: [
          { name: 'id', type: isSqlite ? 'INTEGER' : 'integer' },
          { name: 'customer_id', type: isSqlite ? 'INTEGER' : 'integer' },
          { name: 'total', type: 'numeric' },
          { name: 'note', type: isSqlite ? 'TEXT' : 'text' },
          { name: 'ordered_at', type: isSqlite ? 'TEXT' : 'text' },
        ],
      },
      {
        name: 'spending',
        columns: [
          { name: 'name', type: isSqlite ? 'TEXT' : 'text' },
          { name: 'cards', type: isSqlite ? '' : 'bigint' },
        ],
      },
    ]);
  });

  test.each(['absent', 'main.absent', 'pg_nothing.orders', '"orders"', ''])(
    'has no description of the absent table "%s"',
    async (table) => {
      const described = databases.describe('o', 'shop', ['orders', table], FOREVER);
      await expect(described).rejects.toThrow(`The database has no table ${table}.`);
    },
  );

  test('reads a table that is named with its schema, by either name', async () => {
    const schema = isSqlite ? 'main' : 'public';
    expect(await rows('select count(*) from orders', [`${schema}.orders`])).toEqual([[3]]);
    expect(await rows(`select count(*) from ${schema}.orders`, ['orders'])).toEqual([[3]]);
    await expect(ask(`select * from ${schema}.cards`, [`${schema}.orders`])).rejects.toThrow('may not be read here');
  });

  test('reads a table with a name that must be quoted', async () => {
    const sql = 'select key from "Secret Keys"';
    expect(await rows(sql, ['Secret Keys'])).toEqual([['key-of-secret-keys']]);
  });

  test('lets an owner use only the databases that are theirs', async () => {
    const shared = { url: shop.url };
    const own = { url: shop.url, owners: new Set(['acme']) };
    const settings = new Map([
      ['shared', shared],
      ['own', own],
    ]);
    const limited = new SqlDatabases(settings, PATIENT, BUILT_SCRIPTS);
    expect(limited.names('acme')).toEqual(['shared', 'own']);
    expect(limited.names('other')).toEqual(['shared']);
    const sql = 'select count(*) from orders';
    expect((await limited.query('acme', 'own', ALLOWED, sql, FOREVER)).rows).toEqual([[3]]);
    await expect(limited.query('other', 'own', ALLOWED, sql, FOREVER)).rejects.toThrow(
      'There is no database with the name own; there are shared.',
    );
    await expect(limited.describe('other', 'own', ALLOWED, FOREVER)).rejects.toThrow(ProblemError);
    await limited.stop();
  });

  test('names a database that cannot be reached, and not its address', async () => {
    const url = isSqlite ? 'file:/nonexistent/secret.db' : 'postgres://reader:secret@127.0.0.1:1/secret';
    const absent = new SqlDatabases(new Map([['absent', { url }]]), PATIENT, BUILT_SCRIPTS);
    const error = await failure(absent.query('o', 'absent', ALLOWED, 'select 1', FOREVER));
    expect(error).toBeInstanceOf(ProblemError);
    expect(String(error)).toMatch(/The database absent cannot be (opened|reached)/);
    expect(String(error)).not.toMatch(/secret/);
    await absent.stop();
  });
});
