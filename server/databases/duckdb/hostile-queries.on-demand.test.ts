import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type DuckdbShop,
  duckdbShop,
  installBeside,
  readFolder,
  readStatements,
  SECRET,
} from '../../../testkit/databases/duckdb-shop.js';
import { BUILT_SCRIPTS } from '../../../testkit/databases/worker-scripts.js';
import { WAIT_MS } from '../../../testkit/patience.js';
import { ownName } from '../../common/leftovers.js';
import { ProblemError } from '../../problems/problem.js';
import { SqlDatabases } from '../sql-databases.js';

let shop: DuckdbShop;
let beside: ReturnType<typeof installBeside>;
let usual: SqlDatabases;
let hasty: SqlDatabases;
beforeAll(async () => {
  beside = installBeside();
  shop = await duckdbShop();
  const limits = { memory_mib: 512, threads: 2 };
  const settings = new Map([
    ['lake', { views: { orders: `${shop.orders}/*.parquet`, secrets: shop.secret }, limits, training: ['orders'] }],
    ['shop', { url: `duckdb:${shop.file}`, limits, training: ['orders'] }],
  ]);
  usual = new SqlDatabases(settings, { agents: { timeoutMs: WAIT_MS } }, BUILT_SCRIPTS);
  hasty = new SqlDatabases(settings, { agents: { timeoutMs: 1_500 } }, BUILT_SCRIPTS);
});
afterAll(async () => {
  await Promise.all([usual.stop(), hasty.stop()]);
  shop.remove();
  beside.remove();
});

function ask(databases: SqlDatabases, database: string, sql: string) {
  return databases.query('o', database, ['orders'], sql, new AbortController().signal);
}

describe.each(['lake', 'shop'])('hostile statements to %s', (database) => {
  test('are all refused, read nothing else, and change no file', async () => {
    const before = readFolder(shop.folder);
    const statements = readStatements('hostile', shop);
    expect(statements.length).toBeGreaterThan(200);
    for (const sql of statements) {
      const refusal = await ask(usual, database, sql).then(
        (result) => expect.fail(`${sql} was answered: ${JSON.stringify(result)}`),
        (error: unknown) => error,
      );
      expect(refusal, sql).toBeInstanceOf(ProblemError);
      const { detail = '', type = '' } = refusal instanceof ProblemError ? refusal : {};
      expect([sql, type]).toEqual([sql, '/problems/query-failed']);
      expect(detail).not.toContain(SECRET);
      // A path that a statement names may come back in the message.
      if (!sql.includes(shop.folder)) expect(detail).not.toContain(shop.folder);
    }
    expect(readFolder(shop.folder)).toEqual(before);
    expect((await ask(usual, database, 'select count(*) from orders')).rows).toEqual([[3]]);
  });
});

const CUT_OFF = /cancelled; ask for less|needs too much memory|The database refuses the query|a cell may have/;

test('statements that never end, or fill memory or disk, are cut off, and the next query is answered', async () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(ownName('roster-duckdb-')));
  const before = left();
  for (const sql of readStatements('endless', shop)) {
    // The engine computes some of them without their rows.
    const end = await ask(hasty, 'lake', sql).catch(String);
    if (typeof end === 'string') expect([sql, end]).toEqual([sql, expect.stringMatching(CUT_OFF)]);
    else expect(end.rows.length, sql).toBeLessThanOrEqual(200);
  }
  expect(left()).toEqual(before);
  expect((await ask(usual, 'lake', 'select count(*) from orders')).rows).toEqual([[3]]);
});
