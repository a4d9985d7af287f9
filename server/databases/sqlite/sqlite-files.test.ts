/** Tests what only SQLite has: files, virtual tables, and its ways to write names. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { BUILT_SCRIPTS } from '../../../testkit/databases/worker-scripts.js';
import { WAIT_MS } from '../../../testkit/patience.js';
import { DatabaseSync } from '../../store/database/sqlite-connection.js';
import { SqlDatabases } from '../sql-databases.js';

let folder: string;
let path: string;
let databases: SqlDatabases;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-sqlite-'));
  path = join(folder, 'files #1?.db');
  const settings = new Map([['file', { url: `file:${path}` }]]);
  databases = new SqlDatabases(settings, { agents: { timeoutMs: WAIT_MS } }, BUILT_SCRIPTS);
});
afterEach(() => rmSync(path, { force: true }));
afterAll(async () => {
  await databases.stop();
  rmSync(folder, { recursive: true });
});

function create(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

const ask = async (sql: string, tables: readonly string[]) =>
  (await databases.query('o', 'file', tables, sql, new AbortController().signal)).rows;

test('a file of any journal mode is read after its writers have closed it', async () => {
  for (const mode of ['delete', 'wal']) {
    create(`pragma journal_mode = ${mode}; create table if not exists t (a); insert into t values (1)`);
    expect((await ask('select a from t', ['t'])).length).toBeGreaterThan(0);
  }
});

test('a file that is replaced is read anew', async () => {
  create('create table t (a); insert into t values (1)');
  expect(await ask('select a from t', ['t'])).toEqual([[1]]);
  rmSync(path);
  create('create table t (a); insert into t values (2)');
  expect(await ask('select a from t', ['t'])).toEqual([[2]]);
});

test('a file that is not a database is named, and not its path', async () => {
  writeFileSync(path, 'no database at all, but long enough to look like one'.repeat(100));
  await expect(ask('select 1', [])).rejects.toThrow(
    /^The database file cannot be opened; its operator must repair it\.$/,
  );
});

test('a full-text index is searched, with its rank and snippets', async () => {
  create(`
    create virtual table docs using fts5(title, body);
    insert into docs values ('one', 'a quick fox'), ('two', 'a slow dog');
    create table posts (id integer primary key, text text);
    insert into posts values (1, 'hello world');
    create virtual table found using fts5(text, content = 'posts', content_rowid = 'id');
    insert into found (found) values ('rebuild');
  `);
  const sql = `select title, snippet(docs, 1, '[', ']', '…', 9) from docs where docs match 'fox' order by bm25(docs)`;
  expect(await ask(sql, ['docs'])).toEqual([['one', 'a quick [fox]']]);
  expect(await ask('select * from docs union all select 1, 2', ['docs'])).toHaveLength(3);
  const found = "select text from found where found match 'world'";
  expect(await ask(found, ['found'])).toEqual([['hello world']]);
  await expect(ask('select * from posts', ['found'])).rejects.toThrow('may not be read here');
});

test('the tables of SQLite itself, and those behind virtual tables, are not read', async () => {
  create(`
    create virtual table docs using fts5(title);
    insert into docs values ('one');
    create table t (a integer primary key autoincrement);
    insert into t values (7);
  `);
  for (const name of ['docs_content', 'docs_data', 'sqlite_sequence', 'sqlite_master']) {
    for (const sql of [`select * from ${name}`, `select count(*) from ${name}, docs`]) {
      const refused = `The table ${name} may not be read here; these may: docs, t.`;
      await expect(ask(sql, ['docs', 't'])).rejects.toThrow(refused);
      await expect(ask(sql, ['docs', 't', name])).rejects.toThrow(refused);
    }
    expect(await ask('select a from t, docs', ['docs', 't', name])).toEqual([[7]]);
    const described = databases.describe('o', 'file', [name], new AbortController().signal);
    await expect(described).rejects.toThrow(`The table ${name} belongs to the database`);
  }
  expect(await ask("select title from docs where docs match 'one'", ['docs'])).toEqual([['one']]);
});

test('JSON is taken apart by table-valued functions', async () => {
  create(`create table t (j text); insert into t values ('{"a":[1,2]}')`);
  const sql = `select e.value from t, json_each(t.j, '$.a') e`;
  expect(await ask(sql, ['t'])).toEqual([[1], [2]]);
});

test('a table with the name of a table-valued function is a table', async () => {
  create('create table t (a); create table json_each (value); insert into json_each values (7)');
  await expect(ask('select value from json_each', ['t'])).rejects.toThrow('may not be read here');
  expect(await ask('select value from json_each', ['json_each'])).toEqual([[7]]);
});

test('a view may read any table in its own way, and gives no way to it', async () => {
  create(`
    create table secret (key text, n integer);
    insert into secret values ('k', 1);
    create view inner_view as select n from secret;
    create view numbers as
      with secret_rows as (select * from inner_view where random() is not null)
      select n, (select count(*) from secret) as total from secret_rows;
  `);
  expect(await ask('select * from numbers', ['numbers'])).toEqual([[1, 1]]);
  expect(await ask('select count(*) from numbers', ['numbers'])).toEqual([[1]]);
  expect(await ask('select 1 from numbers a join numbers b', ['numbers'])).toEqual([[1]]);
  for (const sql of [
    'select * from secret',
    'select * from inner_view',
    'select * from secret_rows',
    'with secret_rows as (select * from secret) select * from secret_rows, numbers',
    'with numbers as (select * from secret) select * from numbers, main.numbers',
    'with inner_view as (select * from secret) select * from inner_view, numbers',
    'select * from numbers where exists (select * from secret)',
  ]) {
    await expect(ask(sql, ['numbers'])).rejects.toThrow('may not be read here; these may: numbers');
  }
});

test('columns of any kind are read', async () => {
  create(`
    create table parent (id text primary key) without rowid;
    create table child (
      id integer primary key autoincrement,
      parent text references parent (id),
      size real check (size > 0) default 1,
      double real as (size * 2) stored,
      "a ""b" text collate nocase
    ) strict;
    insert into parent values ('p');
    insert into child (parent, size, "a ""b") values ('p', 1.5, 'X');
  `);
  const sql = `select c.rowid, double, "a ""b" = 'x', [size], \`parent\` from child c natural join (select id as parent from parent)`;
  expect(await ask(sql, ['child', 'parent'])).toEqual([[1, 3, 1, 1.5, 'p']]);
});

test('a table is found in any letter case of ASCII, and in no other form', async () => {
  create('create table "Été" (a); create table "été" (b); insert into "Été" values (1)');
  expect(await ask('select a from "Été"', ['ÉTé'])).toEqual([[1]]);
  await expect(ask('select * from "été"', ['Été'])).rejects.toThrow('may not be read here');
});

test('a sort that takes too much memory is refused, and the next query is answered', async () => {
  create('create table t (a); insert into t values (1)');
  const sql = `
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
    select text || i as text from n, (select printf('%1000000d', 1) as text) order by 1`;
  await expect(ask(sql, ['t'])).rejects.toThrow('The query needs too much memory; ask for less.');
  expect(await ask('select a from t', ['t'])).toEqual([[1]]);
});
