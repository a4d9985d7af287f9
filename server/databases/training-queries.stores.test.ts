/** Tests queries that return a table to train from, which may be hostile. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ON_POSTGRES, testedShop } from '../../contract-tests/tested-store.js';
import { DRAWN } from '../../testkit/databases/drawn-rows.js';
import { OTHER_TABLES, POSTGRES_EFFECTS, SQLITE_EFFECTS, WRITES } from '../../testkit/databases/hostile-sql.js';
import { ALLOWED, type Shop } from '../../testkit/databases/shop.js';
import { BUILT_SCRIPTS } from '../../testkit/databases/worker-scripts.js';
import { ProblemError } from '../problems/problem.js';
import type { QueryLimits } from './driver.js';
import type { DatabaseSettings } from './settings.js';
import { SqlDatabases } from './sql-databases.js';

/** Counts more combinations than any computer does in a test's time. */
const ENDLESS = `
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
  select count(*) from n a, n b, n c, n d`;

const series = (rows: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i, 'x' as x from n`;

const isSqlite = !ON_POSTGRES;

describe('a database', () => {
  const opened: SqlDatabases[] = [];
  let shop: Shop;
  let small: SqlDatabases;
  beforeAll(async () => {
    shop = await testedShop();
    small = open({ maxBytes: 100_000, maxCellBytes: 10 });
  });
  afterAll(async () => {
    await Promise.all(opened.map((queries) => queries.stop()));
    await shop.remove();
  });

  function open(limits: Partial<QueryLimits> = {}, settings: Partial<DatabaseSettings> = {}) {
    const shops = new Map([['shop', { url: shop.url, training: ALLOWED, ...settings }]]);
    const queries = new SqlDatabases(shops, { trainings: limits }, BUILT_SCRIPTS);
    opened.push(queries);
    return queries;
  }

  interface Asking {
    readonly queries?: SqlDatabases;
    readonly owner?: string;
    readonly signal?: AbortSignal;
    readonly database?: string;
  }

  let shared: SqlDatabases | undefined;
  const pieces = (query: string, asking: Asking = {}) => {
    shared ??= open();
    const { queries = shared, owner = 'o', database = 'shop' } = asking;
    const { signal = new AbortController().signal } = asking;
    return queries.readTable(owner, { database, query }, signal);
  };

  const textOf = async (query: string, asking?: Asking) => {
    let text = '';
    for await (const piece of pieces(query, asking)) text += Buffer.from(piece).toString();
    return text;
  };

  const linesOf = async (query: string, asking?: Asking): Promise<unknown[]> =>
    (await textOf(query, asking))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('rows follow the names of the columns', async () => {
    expect(await linesOf('select name, city as "my ""city""" from customers order by id')).toEqual([
      ['name', 'my "city"'],
      ['Ada', 'London'],
      ['Blaise', 'Paris'],
      ['Carl', null],
    ]);
  });

  test('without rows there are the names', async () => {
    expect(await linesOf('select name, city from customers where id = 9;')).toEqual([['name', 'city']]);
  });

  test.each(
    isSqlite
      ? [
          ['1.5', 1.5],
          ['9007199254740993', '9007199254740993'],
          ["x'00ff'", '\\x00ff'],
          ['1e999', 'Infinity'],
          ['1 = 1', 1],
        ]
      : [
          ['1.50::numeric', '1.50'],
          ['9007199254740993', '9007199254740993'],
          ["'NaN'::float8", 'NaN'],
          ['1 = 1', true],
          ["date '2024-02-29'", '2024-02-29'],
          ["timestamp '2024-02-29 12:30'", '2024-02-29 12:30:00'],
          ["timestamptz '2024-02-29 12:30:00.25Z' at time zone 'UTC'", '2024-02-29 12:30:00.25'],
          ['array[1, 2]', '{1,2}'],
        ],
  )('%s becomes a value that a table has', async (sql, expected) => {
    expect(await linesOf(`select ${sql} as x`)).toEqual([['x'], [expected]]);
  });

  test.skipIf(isSqlite)('a timestamp with a time zone becomes an ISO date', async () => {
    const [, [text] = []] = (await linesOf("select timestamptz '2024-02-29 12:30:00Z' as x")) as string[][];
    expect(text).toMatch(/[+-]\d\d:\d\d$/);
    expect(Date.parse(`${text}`)).toBe(Date.UTC(2024, 1, 29, 12, 30));
  });

  test.each([...OTHER_TABLES, ...WRITES, ...(isSqlite ? SQLITE_EFFECTS : POSTGRES_EFFECTS)])(
    'what may not be read or done is refused: %s',
    async (sql) => {
      const answer = await textOf(sql).catch((error: unknown) => error);
      expect(answer).toBeInstanceOf(ProblemError);
      expect(answer).toMatchObject({ type: '/problems/query-failed' });
      expect(String(answer)).not.toMatch(/4111|key-of/);
    },
  );

  test('a database is open to its owners, and only if it names tables for training', async () => {
    const closed = new SqlDatabases(new Map([['shop', { url: shop.url }]]));
    const ofAcme = open({}, { owners: new Set(['acme']) });
    const sql = 'select id from orders';
    await expect(textOf(sql, { queries: closed })).rejects.toThrow(
      'There is no database with the name "shop" that is open to trainings; there is none.',
    );
    await expect(textOf(sql, { queries: ofAcme })).rejects.toThrow('there is none');
    await expect(textOf(sql, { queries: ofAcme, owner: 'acme', database: 'other' })).rejects.toThrow('there are shop');
    expect(await textOf(sql, { queries: ofAcme, owner: 'acme' })).toBe(
      isSqlite ? '["id"]\n[1]\n[2]\n[3]\n' : '["id"]\n["1"]\n["2"]\n["3"]\n',
    );
  });

  test('many rows arrive in pieces of bounded size, also for a slow reader', async () => {
    let rows = 0;
    let largest = 0;
    for await (const piece of pieces(series(60_000))) {
      if (rows === 0) await pause(1_000);
      rows += Buffer.from(piece).toString().split('\n').length - 1;
      largest = Math.max(largest, piece.length);
    }
    expect(rows).toBe(60_001);
    expect(largest).toBeLessThan(1024 * 1024);
  });

  test('rows with more bytes than a table may have are refused', async () => {
    await expect(textOf(series(100_000), { queries: small })).rejects.toThrow(
      'The rows have more than 100000 bytes; select fewer rows',
    );
  });

  describe('a sample', () => {
    /** Reads a sample; returns its rows, and the number of rows of the query. */
    async function sampled(query: string, maxRows: number, maxCells = 1_000_000) {
      shared ??= open();
      let rowsInAll: number | undefined;
      const onSample = (rows: number) => {
        rowsInAll = rows;
      };
      const sampling = { size: { maxRows, maxCells }, onSample };
      let text = '';
      const { signal } = new AbortController();
      for await (const piece of shared.readTable('o', { database: 'shop', query }, signal, { sampling })) {
        text += Buffer.from(piece);
      }
      const [names, ...rows] = text
        .trimEnd()
        .split('\n')
        .map((line): unknown[] => JSON.parse(line));
      return { names, rows, numbers: rows.map(([first]) => Number(first)), rowsInAll };
    }

    test('of more rows than a table has is exact in size, in order, and the same again', async () => {
      const query = `${series(10_007)} order by i -- a comment\n;`;
      const sample = await sampled(query, 1_000);
      expect([sample.rowsInAll, sample.rows.length, sample.names]).toEqual([10_007, 1_000, ['i', 'x']]);
      const { numbers } = sample;
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
      expect(numbers.slice(0, DRAWN.length)).toEqual(DRAWN);
      expect(await sampled(query, 1_000)).toEqual(sample);
    });

    test('leaves as many rows as there are, up to the limits of rows and cells', async () => {
      const sizeOf = async (query: string, maxRows: number, maxCells?: number) => {
        const { rows, rowsInAll } = await sampled(query, maxRows, maxCells);
        return [rows.length, rowsInAll];
      };
      expect(await sizeOf(series(50), 50)).toEqual([50, undefined]);
      expect(await sizeOf(series(51), 50)).toEqual([50, 51]);
      expect(await sizeOf(series(51), 100, 80)).toEqual([40, 51]);
      expect(await sizeOf('select id from orders where id > 9', 1)).toEqual([0, undefined]);
    });

    test('keeps the names and the values of columns', async () => {
      const columns = `i, i as "i", 'a"b' as "my ""x""", null as missing, i + 0.5 as half`;
      const query = `select ${columns} from (${series(9)}) as n order by i`;
      const all = await linesOf(query);
      const { names, rows } = await sampled(query, 3);
      expect(names).toEqual(all[0]);
      expect(rows).toHaveLength(3);
      for (const row of rows) expect(all).toContainEqual(row);
    });
  });

  test('a cell with more bytes than one may have is refused, after the rows before it', async () => {
    const sql = "select 'a' as text union all select 'b' union all select replace('ccc', 'c', 'dddd')";
    const asked = pieces(sql, { queries: small });
    let text = '';
    const reading = async () => {
      for await (const piece of asked) text += Buffer.from(piece).toString();
    };
    await expect(reading()).rejects.toThrow(
      'The column text in row 3 has 12 bytes, and a cell may have 10; select a part of it, such as',
    );
    if (!isSqlite) expect(text).toBe('["text"]\n["a"]\n["b"]\n');
  });

  test('a query that takes too long is cut off', async () => {
    const queries = open({ timeoutMs: 200 });
    await expect(textOf(ENDLESS, { queries })).rejects.toThrow(
      'The query took longer than 0.2 seconds and was cancelled; ask for less.',
    );
  });

  test('the work in the database ends when the caller goes, the reader leaves or the service stops', async () => {
    const settings = new Map([['shop', { url: shop.url, training: ALLOWED }]]);
    const queries = new SqlDatabases(settings, { trainings: { maxAtOnce: 1 } }, BUILT_SCRIPTS);
    const begin = async () => {
      const gone = new AbortController();
      const endless = pieces(series(1e9), { queries, signal: gone.signal });
      await endless.next();
      const rest = async () => {
        for await (const _ of endless);
      };
      return { gone, endless, rest };
    };
    // There is one slot, which each that ends leaves to the next.
    const left = await begin();
    left.gone.abort(new Error('gone'));
    await expect(left.rest()).rejects.toThrow('gone');
    const unread = await begin();
    await unread.endless.return(undefined);
    await unread.rest();
    expect(await linesOf('select 1', { queries })).toHaveLength(2);
    const stopped = await begin();
    await queries.stop();
    await expect(stopped.rest()).rejects.toThrow('stopping');
  });

  test('a database that cannot be reached is distinguished from a wrong query', async () => {
    const url = isSqlite ? 'file:/nowhere/shop.db' : 'postgres://u:secret@127.0.0.1:1/shop';
    const error = await textOf('select 1', { queries: open({}, { url }) }).catch((e: unknown) => e);
    expect(error).toMatchObject({ type: '/problems/service-unavailable' });
    expect(String(error)).not.toMatch(/secret|nowhere|127/);
    await expect(textOf('select total2 from orders')).rejects.toThrow(/total2/);
  });
});
