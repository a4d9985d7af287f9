/** Tests databases in which somebody defined functions, operators and casts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresShop, type Shop } from '../../../testkit/databases/shop.js';
import { BUILT_SCRIPTS } from '../../../testkit/databases/worker-scripts.js';
import { WAIT_MS } from '../../../testkit/patience.js';
import { SqlDatabases } from '../sql-databases.js';

/** Each function answers with what nobody may read. */
const DEFINITIONS = `
create function secret() returns text language sql as 'select max(number) from cards';

create function equals_secret(integer, text) returns boolean language sql
  as 'select secret() like $2';
create operator public.= (leftarg = integer, rightarg = text, function = equals_secret);
create function twice(integer, smallint) returns text language sql as 'select secret()';
create operator public.% (leftarg = integer, rightarg = smallint, function = twice);

create schema tools;
create extension citext schema tools;
create table people (name tools.citext, level smallint);
insert into people values ('Ada', 3);

create type mood as enum ('glad');
create table moods (mood mood, moods mood[]);
insert into moods values ('glad', '{glad}');
create function mood_text(mood) returns text language sql as 'select secret()';
create cast (mood as text) with function mood_text(mood);
create function mood_json(mood) returns json language sql as 'select to_json(secret())';
create cast (mood as json) with function mood_json(mood);
create function person_text(people) returns text language sql as 'select secret()';
create cast (people as text) with function person_text(people) as implicit;

create function read_secret() returns text language plpgsql
  as 'begin return (select max(number) from cards); end';
create view shown as select read_secret() as secret, people.level from people;
`;

const TABLES = ['people', 'moods', 'shown', 'pg_catalog.pg_class', 'pg_authid', 'orders'];

let shop: Shop;
let databases: SqlDatabases;
beforeAll(async () => {
  shop = await postgresShop();
  await shop.execute(DEFINITIONS);
  await shop.execute('alter database roster set search_path = public, tools, pg_catalog');
  const settings = new Map([['shop', { url: shop.url }]]);
  databases = new SqlDatabases(settings, { agents: { timeoutMs: WAIT_MS } }, BUILT_SCRIPTS);
});
afterAll(async () => {
  await databases.stop();
  await shop.remove();
});

const { signal } = new AbortController();
const rows = async (sql: string, tables = TABLES) => (await databases.query('o', 'shop', tables, sql, signal)).rows;

test.each([
  ['an operator with just these types', "select 7 % level, level = '3' from people", [[1, true]]],
  ['an operator of an extension', "select name = 'aDA' from people", [[true]]],
  ['a function of an extension', "select replace(name, 'ADA', 'x') from people", [['x']]],
  ['a cast of a column to another type', 'select level::text from people', [['3']]],
  ['all columns of a table', 'select p.* from people p', [['Ada', 3]]],
  ['a column of a type with a cast', 'select mood, moods[1] from moods', [['glad', 'glad']]],
  [
    'names in any place',
    ';; /* ö */ select (select max(p.level) from people p), "ü".* from (table moods) as "ü" /* ö */ where exists (select from only (people))',
    [[3, 'glad', '{glad}']],
  ],
])('%s means what PostgreSQL has', async (_, sql, expected) => {
  expect(await rows(sql)).toEqual(expected);
});

test('a view may call its own functions, which find their tables', async () => {
  expect(await rows('select secret, level % 2 from shown')).toEqual([['4111-1111', 1]]);
});

test.each([
  ["select 1 = '4%'::text", 'operator does not exist'],
  ['select 7 % 2::smallint as x, name like secret() from people', 'The function secret'],
  ["select 1 operator(public.=) 'x'", 'The operator public.= is not allowed'],
  ['select mood::text from moods', 'casts mood to text by a function of its own'],
  ['select moods::text[] from moods', 'casts mood to text'],
  ['select to_json(mood) from moods', 'casts mood to json'],
  ['select json_agg(m) from moods m', 'casts mood to json'],
  ['select upper(p) from people p', 'casts people to text'],
  ["select 'x' || people from people", 'casts people to text'],
  ['select string_agg(p.*, $$,$$) from people p', 'casts people to text'],
  ['select p from public.people p', 'casts people to text'],
])('%s calls nothing that somebody defined', async (sql, message) => {
  await expect(rows(sql)).rejects.toThrow(message);
});

test('where an operator may be that of an extension or of somebody, the query must say which', async () => {
  await shop.execute(`
    create operator tools.|| (leftarg = integer, rightarg = integer, function = int4pl)`);
  try {
    await expect(rows("select name = 'ada' or 'x' || level is null from people")).rejects.toThrow(
      'The operator || is ambiguous in this database; write operator(pg_catalog.||).',
    );
    const sql = "select name = 'ada', 'x'::text operator(pg_catalog.||) level from people";
    expect(await rows(sql)).toEqual([[true, 'x3']]);
  } finally {
    await shop.execute('drop operator tools.|| (integer, integer)');
  }
});

test.each(['pg_catalog.pg_class', 'pg_authid', 'information_schema.tables'])(
  'the table %s of the system is not read, although it is named',
  async (name) => {
    const refused = `The table ${name} belongs to the database system`;
    await expect(rows(`select count(*) from ${name}`, [name, 'orders'])).rejects.toThrow(refused);
    expect(await rows('select count(*) from orders', [name, 'orders'])).toEqual([[3]]);
    await expect(databases.describe('o', 'shop', [name], signal)).rejects.toThrow(refused);
  },
);
