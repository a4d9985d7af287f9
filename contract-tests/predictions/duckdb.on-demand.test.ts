/** Models and tools on tables that DuckDB makes of files. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createRosterClient, type Model } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DuckdbShop, duckdbShop, installBeside } from '../../testkit/databases/duckdb-shop.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { settled } from '../../testkit/service/train-prices.js';

/** Columns of the types that both readers of Parquet know. */
const SALES = `select i as id, (i * 7919 % 1000) / 10.0 as size, 'shop ' || i % 7 as shop, i % 3 = 0 as open,
  date '2024-01-01' + (i * 31 % 700)::int as day, timestamp '2024-01-01 08:00:00' + i * interval 37 minute as sold_at,
  (i * 13 % 500)::decimal(9,2) / 4 as fee, case when i % 11 = 0 then null else (i % 40)::float / 3 end as weight,
  ((i * 7919 % 1000) / 10.0 * 3 + i % 7 * 20)::decimal(12,2) as price
  from range(3000) t(i)`;

let beside: ReturnType<typeof installBeside>;
let shop: DuckdbShop;
/** The folder of temporary files of the service. */
let temporary: string;
let server: ServerProcess;
let roster: ReturnType<typeof createRosterClient>;
beforeAll(async () => {
  beside = installBeside();
  shop = await duckdbShop();
  await shop.run(`copy (${SALES}) to '${join(shop.orders, 'sales.parquet')}'`);
  const views = { sales: join(shop.orders, 'sales.parquet') };
  const databases = { lake: { views, training: ['sales'] } };
  // As a service leaves it that is killed.
  temporary = join(shop.folder, 'temporary');
  const left = join(temporary, `roster-duckdb-${hostname()}.999999999-Ab12Cd`);
  await mkdir(left, { recursive: true });
  await writeFile(join(left, 'duckdb_temp_storage_DEFAULT-0.tmp'), 'spilled');
  server = await startServer({ env: { DATABASES: JSON.stringify(databases), TMPDIR: temporary } });
  roster = createRosterClient({ baseUrl: server.url });
});
afterAll(async () => {
  await server.stop();
  shop.remove();
  beside.remove();
});

const address = (name: string) => `${server.url}/api/projects/default/models/${name}`;

function send(
  name: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  choices = '&exclude=id&effort=fast',
): Promise<Response> {
  const query = `target=price${choices}`;
  return fetch(`${address(name)}?${query}`, { method: 'PUT', headers: { 'Content-Type': type }, body });
}

function sendQuery(name: string, query: string, choices?: string): Promise<Response> {
  return send(name, 'application/json', JSON.stringify({ source: { database: 'lake', query } }), choices);
}

async function ready(name: string, response: Response): Promise<Model> {
  if (response.status !== 202) throw new Error(await response.text());
  const model = await settled(roster, { projectName: 'default', modelName: name });
  if (model.status !== 'ready') throw new Error(model.failure ?? '');
  return model;
}

test('a query makes the model that the file makes when it is sent, and retrains to the same bits', async () => {
  const query = 'select * from sales order by id';
  const asked = await ready('asked', await sendQuery('asked', query));
  const bytes = await readFile(join(shop.orders, 'sales.parquet'));
  const sent = await ready('sent', await send('sent', 'application/vnd.apache.parquet', bytes));
  expect(asked).toMatchObject({ row_count: 3000, source: { database: 'lake', query } });
  expect(asked.checksum).toBe(sent.checksum);
  const again = await ready('asked', await fetch(`${address('asked')}/retrain`, { method: 'POST' }));
  expect(again).toMatchObject({ version: 2, checksum: asked.checksum });
});

test('a training leaves no temporary files, nor those of a service that was killed', async () => {
  expect((await sendQuery('empty', 'select * from sales where id < 0')).status).toBe(422);
  expect((await readdir(temporary)).filter((name) => name.startsWith('roster-duckdb-'))).toEqual([]);
});

test('a query of more rows than a table has is sampled, and measured on the latest part of all its rows', async () => {
  // Only the last fifth of the query has another price, which no earlier row foretells.
  const later = 'case when i >= 1200000 then 100 else 0 end';
  const query = `select i % 100 as x, (i % 100) * 2 + ${later} as price from range(1500000) t(i) order by i`;
  const first = await ready('sampled', await sendQuery('sampled', query, '&effort=fast&validate=last'));
  expect(first).toMatchObject({
    row_count: 1_000_000,
    reading: { rows_sent: 1_000_000, rows_used: 1_000_000, rows_of_query: 1_500_000 },
    summary: expect.stringMatching(/ It was trained on a sample of 1,000,000 of the 1,500,000 rows of its query\.$/),
    metrics: { validation: { method: 'last' } },
  });
  expect(Object.entries(first.metrics ?? {})).toContainEqual(['mae', expect.closeTo(100, 0)]);
  const again = await ready('sampled', await fetch(`${address('sampled')}/retrain`, { method: 'POST' }));
  expect(again).toMatchObject({ version: 2, checksum: first.checksum, reading: { rows_of_query: 1_500_000 } });
});

test('a forecast of more rows than a table has is made of their sums, which are the same when it is trained again', async () => {
  const rows = `select i % 120 as step, 'shop ' || (i // 120) % 3 as shop, i % 7 * 0.1 + (i % 120) % 12 + 0.05`;
  for (const [type, aggregate, count] of [
    ['decimal(9, 2)', 'sum', 12_000_000],
    ['double', 'sum', 2_000_000],
    ['double', 'mean', 2_000_000],
  ] as const) {
    const query = `${rows}::${type} as price from range(${count}) t(i)`;
    const choices = `&order_by=step&group_by=shop&horizon=6&aggregate=${aggregate}`;
    const name = `series_${type.slice(0, 3)}_${aggregate}`;
    const first = await ready(name, await sendQuery(name, query, choices));
    expect(first).toMatchObject({ row_count: 360, aggregate, series: { count: 3, first: 0, last: 119 } });
    const again = await ready(name, await fetch(`${address(name)}/retrain`, { method: 'POST' }));
    expect(again).toMatchObject({ version: 2, checksum: first.checksum, aggregate });
  }
  const choices = '&order_by=step&group_by=shop&horizon=6&aggregate=sum';
  for (const [query, message] of [
    ['select 1 as step, 2 as price', 'shop'],
    [`select 1 as step, '' as shop, 'two' as price`, 'sum(VARCHAR)'],
  ] as const) {
    const refused = await sendQuery('refused', query, choices);
    expect(await refused.json()).toMatchObject({ status: 422, detail: expect.stringContaining(message) });
  }
});

test('a query of other tables, and one that fails, are refused', async () => {
  for (const [query, message] of [
    ['select * from secrets', 'The table secrets may not be read here; these may: sales.'],
    [`select * from read_csv('${shop.secret}')`, 'The function read_csv is not allowed; use another one.'],
    ['select nothing from sales', 'Referenced column "nothing" not found'],
  ] as const) {
    const response = await sendQuery('refused', query);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      type: '/problems/query-failed',
      detail: expect.stringContaining(message),
    });
  }
});

test('a skill of type sql answers from the files, and says what their columns are', async () => {
  const skill = { skill: { name: 'sales', type: 'sql', params: { database: 'lake', tables: ['sales'] } } };
  const created = await fetch(`${server.url}/projects/default/skills`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(skill),
  });
  expect(created.status, await created.text()).toBeLessThan(300);
  const call = async (method: string, params: object) => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.text();
  };
  const listed = await call('tools/list', {});
  expect(listed).toContain('with one SELECT of DuckDB.');
  expect(listed).toContain('sales(id BIGINT, size DOUBLE, shop VARCHAR');
  expect(listed).toContain('price DECIMAL(12,2)');
  const name = /"name":"(query[^"]*)"/.exec(listed)?.[1];
  const sql = 'select shop, count(*) as sold from sales group by all order by all limit 1';
  const answer = await call('tools/call', { name, arguments: { sql } });
  expect(answer).toContain('shop 0');
  expect(answer).toContain('429');
});
