/** Tests queries that take too long, too much memory, or too many rows. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ON_POSTGRES, testedShop } from '../../contract-tests/tested-store.js';
import { ALLOWED, type Shop } from '../../testkit/databases/shop.js';
import { BUILT_SCRIPTS } from '../../testkit/databases/worker-scripts.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { ProblemError } from '../problems/problem.js';
import type { QueryLimits } from './driver.js';
import { SqlDatabases } from './sql-databases.js';

/** Counts more combinations than any computer does in a test's time. */
const ENDLESS = `
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
  select count(*) from n a, n b, n c, n d`;

const isSqlite = !ON_POSTGRES;

describe('a database', () => {
  let shop: Shop;
  /** Tests without limits of their own share these, as each has processes and connections to start. */
  let usual: SqlDatabases;
  let hasty: SqlDatabases;
  const opened: SqlDatabases[] = [];
  beforeAll(async () => {
    shop = await testedShop();
    usual = open({});
    hasty = open({ timeoutMs: 200 });
  });
  afterAll(async () => {
    await Promise.all(opened.map((databases) => databases.stop()));
    await shop.remove();
  });

  function open(limits: Partial<QueryLimits>): SqlDatabases {
    const settings = new Map([['shop', { url: shop.url }]]);
    // A busy machine may take long to start a process.
    const agents = { timeoutMs: WAIT_MS, ...limits };
    const databases = new SqlDatabases(settings, { agents }, BUILT_SCRIPTS);
    opened.push(databases);
    return databases;
  }

  /** Returns a function that sends queries to the shop. */
  function asking(databases = usual) {
    return (sql: string, { owner = 'o', signal = new AbortController().signal } = {}) =>
      databases.query(owner, 'shop', ALLOWED, sql, signal);
  }

  /** Waits until PostgreSQL has no more of our statements to run. */
  async function untilIdle() {
    if (isSqlite) return;
    await expect
      .poll(() =>
        shop.values(`select count(*) from pg_stat_activity
          where application_name = 'roster-queries' and state = 'active'`),
      )
      .toEqual(['0']);
  }

  test.each([
    ['a cross join of everything', ENDLESS],
    ['a recursion without end', 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'],
    [
      'a sort of everything',
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
       select a.i from n a, n b order by a.i * b.i desc`,
    ],
  ])('%s is cut off, and the next query is answered', async (_, sql) => {
    await expect(asking(hasty)(sql)).rejects.toThrow(
      /^The query (took longer than 0\.2 seconds and was cancelled|needs too much memory); ask for less\.$/,
    );
    await untilIdle();
    expect((await asking()('select count(*) from orders')).rows).toEqual([[3]]);
  });

  test('a caller who goes ends the work in the database', async () => {
    const ask = asking();
    const gone = new AbortController();
    const answer = ask(ENDLESS, { signal: gone.signal });
    const reason = expect(answer).rejects.toThrow('the caller has gone');
    if (!isSqlite) {
      await expect
        .poll(() =>
          shop.values(
            `select count(*) from pg_stat_activity where query like 'fetch%roster_query' and state = 'active'`,
          ),
        )
        .toEqual(['1']);
    }
    gone.abort(new Error('the caller has gone'));
    await reason;
    await untilIdle();
    expect((await ask('select count(*) from orders')).rows).toEqual([[3]]);
  });

  test('stopping ends what runs and what waits', async () => {
    const databases = new SqlDatabases(
      new Map([['shop', { url: shop.url }]]),
      { agents: { maxAtOnce: 1 } },
      BUILT_SCRIPTS,
    );
    const { signal } = new AbortController();
    const answers = [1, 2].map(() => databases.query('o', 'shop', ALLOWED, ENDLESS, signal));
    const refused = answers.map((answer) => expect(answer).rejects.toThrow(/service is stopping/));
    await pause(10);
    await databases.stop();
    await Promise.all(refused);
    await expect(databases.query('o', 'shop', ALLOWED, 'select 1', signal)).rejects.toThrow(/service is stopping/);
    await untilIdle();
  });

  test('a slow owner does not keep others from their turn', async () => {
    const ask = asking(open({ maxAtOnce: 2 }));
    for (const _ of [1, 2, 3, 4]) ask(ENDLESS, { owner: 'slow' }).catch(() => {});
    const answer = await ask('select count(*) from orders', { owner: 'quick' });
    expect(answer.rows).toEqual([[3]]);
  });

  test('rows beyond the limit are left out, and this is reported', async () => {
    const numbers = (count: number) =>
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n`;
    const ask = asking(open({ maxRows: 120 }));
    expect(await ask(numbers(120))).toMatchObject({ truncated: false });
    const { rows, truncated } = await ask(numbers(1_000_000_000));
    expect(truncated).toBe(true);
    expect(rows).toEqual(Array.from({ length: 120 }, (_, index) => [index + 1]));
  });

  test('a result has no more bytes than the limit', async () => {
    const ask = asking(open({ maxBytes: 1_000 }));
    const { columns, rows, truncated } = await ask(
      `select replace('0123456789', '5', '${'x'.repeat(90)}') as text from orders a, orders b, orders c`,
    );
    expect(truncated).toBe(true);
    expect(rows.length).toBeGreaterThan(5);
    expect(JSON.stringify([columns, rows]).length).toBeLessThanOrEqual(1_000);
  });

  const doubled = (times: number) => `with recursive n(i, t) as (
    select 0, 'x' union all select i + 1, t || t from n where i < ${times}) select t from n where i = ${times}`;

  test.each([17, 25])('a row of 2^%i characters is refused, and memory stays bounded', async (times) => {
    const ask = asking();
    const before = process.memoryUsage.rss();
    await expect(ask(doubled(times))).rejects.toThrow(/a cell may have 65536|too big/);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 2 ** 20);
    expect((await ask('select count(*) from orders')).rows).toEqual([[3]]);
  });

  /** An expression whose text has some bytes, in thousands. */
  const long = (thousands: number) => `replace('${'x'.repeat(500)}', 'x', '${'é'.repeat(thousands)}')`;

  test.each([
    ['text', long(70), isSqlite ? 'substr(cell, 1, 1000)' : 'left(cell, 1000)'],
    ...(isSqlite
      ? [['a blob', `cast(${long(40)} as blob)`, 'length(cell)']]
      : [
          ['bytes', `decode(replace('${'a'.repeat(500)}', 'a', '${'ab'.repeat(70)}'), 'hex')`, 'length(cell)'],
          ['JSON', `to_json(${long(70)})`, "cell -> 'key'"],
          ['an array', `array[${long(70)}]`, 'left(cell::text, 1000)'],
          ['a number', '10::numeric ^ 70000', 'left(cell::text, 1000)'],
          ['a row', `row(${long(70)})`, 'left(cell::text, 1000)'],
        ]),
  ])('a cell with too much of %s is reported, with a remedy', async (_, cell, part) => {
    const sql = `select 1 as id, null as cell union all select 2, ${cell}`;
    const error = await asking()(sql).catch(String);
    expect(error).toMatch(/: The column cell in row 2 has \d{5} bytes, and a cell may have 65536; /);
    expect(error).toContain(`select a part of it, such as ${part}.`);
  });

  test('rows beyond the end of a result may be of any size', async () => {
    const sql = [50, 50, 70].map((thousands) => `select ${long(thousands)} as text`);
    expect(await asking()(sql.join(' union all '))).toMatchObject({ rows: [[expect.any(String)]], truncated: true });
  });

  test.skipIf(isSqlite)('JSON is answered to a bound of its depth', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}"[[{{"${']'.repeat(depth)}`;
    const ask = asking();
    expect((await ask(`select '${nested(100)}'::json`)).rows).toEqual([[JSON.parse(nested(100))]]);
    await expect(ask(`select '${nested(101)}'::jsonb as cell`)).rejects.toThrow(
      "The column cell in row 1 is nested deeper than 100 levels; select a part of it, such as cell -> 'key'.",
    );
  });

  test.each([
    ['parentheses', `select ${'('.repeat(8_000)}1${')'.repeat(8_000)}`],
    ['operators', `select ${'1 + '.repeat(4_000)}1`],
    ['minus signs', `select ${'- '.repeat(8_000)}1`],
    ['negations', `select ${'not '.repeat(4_000)}(1 = 1)`],
    ['queries', `select ${'(select '.repeat(1_800)}1${')'.repeat(1_800)}`],
    ['arrays', `select ${'array['.repeat(1_800)}1${']'.repeat(1_800)}`],
    ['columns', `select ${'1, '.repeat(5_000)}1`],
    ['joins', `select * from orders ${'cross join orders as o '.repeat(600)}`],
    ['unions', `select 1 ${'union select 1 '.repeat(1_000)}`],
  ])('a statement of very many %s is answered or refused', async (_, sql) => {
    const ask = asking();
    await ask(sql).catch((error: unknown) => expect(error).toBeInstanceOf(ProblemError));
    expect((await ask('select count(*) from orders')).rows).toEqual([[3]]);
  });

  test.each([
    ['too long', `select '${'x'.repeat(16 * 1024)}'`, 'longer than 16384 bytes'],
    ['with a NUL', 'select 1\0; drop table orders', 'a character that is not allowed'],
    ['with half a character', 'select "\ud800" from orders', 'a character that is not allowed'],
  ])('a statement that is %s is refused', async (_, sql, message) => {
    await expect(asking()(sql)).rejects.toThrow(message);
  });
});
