/** Tables that DuckDB makes of files, good and bad. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DRAWN } from '../../../testkit/databases/drawn-rows.js';
import { type DuckdbShop, duckdbShop, installBeside } from '../../../testkit/databases/duckdb-shop.js';
import { BUILT_SCRIPTS } from '../../../testkit/databases/worker-scripts.js';
import { WAIT_MS } from '../../../testkit/patience.js';
import type { DatabaseSettings } from '../settings.js';
import { SqlDatabases } from '../sql-databases.js';

let shop: DuckdbShop;
let beside: ReturnType<typeof installBeside>;
beforeAll(async () => {
  beside = installBeside();
  shop = await duckdbShop();
});
afterAll(() => {
  shop.remove();
  beside.remove();
});

const { signal } = new AbortController();

/** Lends a database for some questions. */
async function withDatabase<T>(
  setting: Omit<DatabaseSettings, 'training' | 'owners'>,
  work: (databases: SqlDatabases) => Promise<T>,
): Promise<T> {
  const limits = { agents: { timeoutMs: WAIT_MS }, trainings: { maxBytes: 1024 ** 3 } };
  const databases = new SqlDatabases(new Map([['data', { training: ['t'], ...setting }]]), limits, BUILT_SCRIPTS);
  try {
    return await work(databases);
  } finally {
    await databases.stop();
  }
}

/** Asks a database whose table `t` has some files. */
function ask(place: string, sql = 'select * from t') {
  return withDatabase({ views: { t: place } }, (databases) => databases.query('o', 'data', ['t'], sql, signal));
}

/** Creates a folder of files. */
function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(shop.folder, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

test('files of Parquet, CSV and JSON are read by name, by pattern and by folder', async () => {
  const csv = folderOf('csv', { 'a.csv': 'a,b\n1,x\n', 'b.csv': 'a,b\n2,y\n', _SUCCESS: '' });
  const json = folderOf('json', { 'a.ndjson': '{"a":1}\n{"a":2}\n' });
  expect((await ask(`${shop.orders}/*.parquet`, 'select count(*) from T')).rows).toEqual([[3]]);
  expect((await ask(join(shop.orders, 'a.parquet'), 'select max(total) from t')).rows).toEqual([[7.5]]);
  expect((await ask(csv)).rows).toEqual([
    [1, 'x'],
    [2, 'y'],
  ]);
  expect((await ask(`${json}/**/*.ndjson`)).rows).toEqual([[1], [2]]);
});

test('a file whose name has characters of a pattern is read, and no other in its place', async () => {
  const names = ['sales1.csv', 'sales[1].csv', 'sales*.csv', 'sales?.csv', '[[a]].csv'];
  const folder = folderOf('names', Object.fromEntries(names.map((name) => [name, `name\n${name}\n`])));
  expect((await ask(folder)).rows.flat().sort()).toEqual(names.toSorted());
  expect((await ask(join(folder, 'sales[1].csv'))).rows).toEqual([['sales[1].csv']]);
});

test('a file of DuckDB has tables, views and schemas', async () => {
  await withDatabase({ url: `duckdb:${shop.file}` }, async (databases) => {
    const tables = ['orders', 'leak', 'own.customers'];
    const query = async (sql: string) => (await databases.query('o', 'data', tables, sql, signal)).rows;
    expect(await query('select name, note from own.customers c join ORDERS o using (id)')).toEqual([['Ada', 'note 1']]);
    // A view may read what a query may not, and a macro of the file is in the way of no function.
    expect(await query('select count(*) from leak')).toEqual([[1]]);
    expect(await query(`select lower('X')`)).toEqual([['x']]);
    expect(await databases.describe('o', 'data', ['own.customers'], signal)).toEqual([
      {
        name: 'own.customers',
        columns: [
          { name: 'id', type: 'INTEGER' },
          { name: 'name', type: 'VARCHAR' },
        ],
      },
    ]);
    await expect(databases.describe('o', 'data', ['nowhere'], signal)).rejects.toThrow('has no table nowhere');
  });
});

test.each([
  ['an empty folder', () => folderOf('empty', {}), 'there are no files of CSV, JSON or Parquet'],
  ['a folder that is not there', () => join(shop.folder, 'nowhere'), 'there are no files of CSV, JSON or Parquet'],
  ['files of several formats', () => folderOf('mixed', { 'a.csv': 'a\n1\n', 'a.json': '{}' }), 'several formats'],
  ['a file of another format', () => `${folderOf('other', { 'a.xlsx': '' })}/*`, 'ends in none of .parquet'],
  [
    'a file that is half written',
    () => folderOf('half', { 'a.parquet': 'PAR1 and no end' }),
    "No magic bytes found at end of file 'a.parquet'",
  ],
])('%s is refused by name, without its folder', async (_, make, reason) => {
  const refusal = await ask(make()).catch(String);
  expect(refusal).toContain(`The database data has a table t that cannot be read: `);
  expect(refusal).toContain(reason);
  expect(refusal).not.toContain(shop.folder);
});

test('a file that is no database is refused, without its path', async () => {
  const url = `duckdb:${join(folderOf('none', { 'none.duckdb': 'no database'.repeat(1000) }), 'none.duckdb')}`;
  const asking = withDatabase({ url }, (databases) => databases.query('o', 'data', ['t'], 'select * from t', signal));
  await expect(asking).rejects.toThrow(/^The database data cannot be opened; its operator must repair it\.$/);
});

test('files of different columns are refused by the name of one', async () => {
  const folder = join(shop.folder, 'different');
  mkdirSync(folder);
  await shop.run(`copy (select 1 as a, 'x' as b) to '${join(folder, 'a.parquet')}'`);
  await shop.run(`copy (select 1 as a) to '${join(folder, 'b.parquet')}'`);
  const refusal = await ask(folder).catch(String);
  expect(refusal).toContain(
    'column "b" was read from the original file "a.parquet", but could not be found in file "b.parquet"',
  );
  expect(refusal).not.toContain(shop.folder);
});

test('a link to a file elsewhere, or a folder, is refused; a link that is named is followed', async () => {
  const file = folderOf('links', {});
  symlinkSync(shop.secret, join(file, 'a.csv'));
  await expect(ask(file)).rejects.toThrow('the file a.csv is a link that leaves its folder');
  await expect(ask(`${file}/*.csv`)).rejects.toThrow('is a link that leaves its folder');
  expect((await ask(join(file, 'a.csv'), 'select count(*) from t')).rows).toEqual([[1]]);
  rmSync(join(file, 'a.csv'));
  symlinkSync(shop.orders, join(file, 'sub'));
  await expect(ask(`${file}/*/*.parquet`)).rejects.toThrow('is a link that leaves its folder');
});

test('cells of any type are JSON values', async () => {
  const types: readonly (readonly [string, unknown])[] = [
    ['true', true],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['170141183460469231731687303715884105727::hugeint', '170141183460469231731687303715884105727'],
    ['1.50::decimal(4,2)', 1.5],
    ['12345678901234567890.12::decimal(38,2)', '12345678901234567890.12'],
    ['0.1::float', 0.1],
    [`'nan'::double`, 'nan'],
    [`'-inf'::float`, '-inf'],
    [`'a"b'`, 'a"b'],
    [`'\\x00\\xff'::blob`, '\\x00\\xFF'],
    [`date '2024-02-29'`, '2024-02-29'],
    [`timestamp '2024-02-29 12:30:00.5'`, '2024-02-29 12:30:00.5'],
    [`timestamptz '2024-02-29 12:30:00+02'`, '2024-02-29 10:30:00+00'],
    [`time '12:30:00'`, '12:30:00'],
    [`interval '1 month 2 days'`, '1 month 2 days'],
    [`uuid '550e8400-e29b-41d4-a716-446655440000'`, '550e8400-e29b-41d4-a716-446655440000'],
    [`'b'::enum('a', 'b')`, 'b'],
    ['[1, null]', [1, null]],
    [`{'a': 1, 'b': date '2020-01-01'}`, { a: 1, b: '2020-01-01' }],
    [`map {'a': 1}`, { a: 1 }],
    [`'{"a":[1]}'::json`, { a: [1] }],
    [`['nan'::double]`, '[NaN]'],
    ['null', null],
  ];
  const { rows } = await ask(shop.orders, `select ${types.map(([sql]) => sql).join(', ')}`);
  expect(rows).toEqual([types.map(([, value]) => value)]);
});

test('rows to train from keep the order of the query, also over semicolons and comments', async () => {
  const query = 'select i, i * 2 as i from range(300000) t(i) order by hash(i) -- a comment\n;;';
  const lines = await withDatabase({ views: { t: shop.orders } }, async (databases) => {
    let text = '';
    for await (const piece of databases.readTable('o', { database: 'data', query }, signal)) text += Buffer.from(piece);
    return text.trimEnd().split('\n');
  });
  const [names, ...rows] = lines;
  expect(names).toBe('["i","i"]');
  const expected = await shop.run('select i from range(300000) t(i) order by hash(i)');
  expect(rows).toEqual(expected.map(([i]) => `[${i},${2 * Number(i)}]`));
});

test('large rows to train from arrive in small pieces', async () => {
  const query = `select i, repeat('x', 40000) as text from range(2000) t(i)`;
  const sizes = await withDatabase({ views: { t: shop.orders } }, async (databases) => {
    const found: number[] = [];
    for await (const piece of databases.readTable('o', { database: 'data', query }, signal)) found.push(piece.length);
    return found;
  });
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(2000 * 40_000);
  expect(Math.max(...sizes)).toBeLessThan(64 * 1024 + 41_000);
});

describe('a sample', () => {
  /** Reads a sample; returns its rows, and the number of rows of the query. */
  async function sampled(query: string, maxRows: number, threads = 2) {
    const size = { maxRows, maxCells: 1_000_000 };
    const limits = { threads };
    let rowsInAll: number | undefined;
    const onSample = (rows: number) => {
      rowsInAll = rows;
    };
    const text = await withDatabase({ views: { t: shop.orders }, limits }, async (databases) => {
      let lines = '';
      const rows = databases.readTable('o', { database: 'data', query }, signal, { sampling: { size, onSample } });
      for await (const piece of rows) lines += Buffer.from(piece);
      return lines;
    });
    const [, ...rows] = text.trimEnd().split('\n');
    return { rows: rows.map((line): number[] => JSON.parse(line)), rowsInAll };
  }

  test('of more rows than a table has is exact in size, in order, and the same for any number of threads', async () => {
    const query = 'select i, i % 10 as x from range(1, 700000) r(i) where i % 3 <> 1';
    const { rows, rowsInAll } = await sampled(query, 1_000);
    expect(rowsInAll).toBe(466_666);
    expect(rows).toHaveLength(1_000);
    const order = rows.map(([i = 0]) => i);
    expect(order).toEqual([...new Set(order)].sort((one, other) => one - other));
    expect(await sampled(query, 1_000, 1)).toEqual({ rows, rowsInAll });
    expect(await sampled(query, 1_000, 4)).toEqual({ rows, rowsInAll });
    // Each tenth of the rows, and each kind of row, has its share; where a row lies in its run is random.
    for (let part = 0; part < 10; part++) {
      expect(order.filter((i) => i > part * 70_000 && i <= (part + 1) * 70_000).length).toBeCloseTo(100, -0.5);
    }
    const places = order.map((i, run) => (i - run * 700) / 700).filter((place) => place < 0.5);
    expect(places.length).toBeGreaterThan(430);
    expect(places.length).toBeLessThan(570);
  });

  test('has the rows that other databases draw of the same rows', async () => {
    const { rows } = await sampled('select i from range(1, 10008) r(i)', 1_000);
    expect(rows.slice(0, DRAWN.length).flat()).toEqual(DRAWN);
  });

  test('leaves as many rows as there are, up to the limits of rows and cells', async () => {
    const all = await sampled('select i from range(1000) r(i)', 1_000);
    expect([all.rows.length, all.rowsInAll]).toEqual([1_000, undefined]);
    const one = await sampled('select i from range(1001) r(i)', 1_000);
    expect([one.rows.length, one.rowsInAll]).toEqual([1_000, 1_001]);
    const cells = await sampled(`select i, ${'i, '.repeat(199)} i from range(10000) r(i)`, 100_000);
    expect([cells.rows.length, cells.rowsInAll]).toEqual([4_975, 10_000]);
  });
});

test('rows, cells and names beyond the limits are cut off or refused', async () => {
  const { rows, truncated } = await ask(shop.orders, 'select * from range(1000000000)');
  expect([rows.length, truncated]).toEqual([200, true]);
  const large = ask(shop.orders, `select 1 as id, repeat('x', 70000) as cell`);
  await expect(large).rejects.toThrow('The column cell in row 1 has 70000 bytes, and a cell may have 65536');
  const deep = ask(shop.orders, `select '${'['.repeat(101)}${']'.repeat(101)}'::json`);
  await expect(deep).rejects.toThrow('nested deeper than 100 levels');
});
