/** Tests that two instances on one PostgreSQL database keep promises and truths as one service. */
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { answered, untilReady } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoopbackServer, serveOnLoopback } from '../../testkit/http/loopback-server.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { beginTraining, type Instance, startTwo } from './instance.js';

const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
const ACTUALS = '/api/projects/{projectName}/models/{modelName}/actuals';

const path = { projectName: 'default', modelName: 'prices' };

let database: PostgresDatabase;
let both: [Instance, Instance];
let operator: LoopbackServer;
const heard: string[] = [];
beforeAll(async () => {
  database = await startPostgres();
  operator = await serveOnLoopback(async (request, response) => {
    heard.push(await text(request));
    response.writeHead(204).end();
  });
  const env = { DATABASE_URL: database.url, ALARM_URL: operator.origin, ALARM_SECRET: 'secret-of-the-operator' };
  both = await startTwo({ env });
  const table = Array.from({ length: 100 }, (_, row) => `${row},${row * 2}`).join('\n');
  await beginTraining(both[0], path, `x,price\n${table}`);
  await untilReady(both[0].roster, path);
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await operator.close();
  await database.remove();
});

const ROWS = 400;

test('of truths of one batch that come to both at the same time, none is lost and none counts twice', async () => {
  const rows = Array.from({ length: ROWS }, (_, x) => ({ x: x % 100 }));
  const params = { path, query: { remember: true, rows: 'lean' } } as const;
  const predicted = await answered(both[0].roster.POST(PREDICT, { params, body: rows }));
  const ids = JSON.stringify(predicted).match(/[0-9a-z]{20}-\d+/g) ?? [];
  expect(ids).toHaveLength(ROWS);
  const truths = ids.map((__service_row_id, row) => ({ __service_row_id, price: row }));
  const add = (instance: Instance, body: typeof truths) =>
    answered(instance.roster.POST(ACTUALS, { params: { path }, body }));
  // Each instance gets every row, and each row comes to both at about the same time.
  const parts = Array.from({ length: 8 }, (_, part) => truths.slice(50 * part, 50 * part + 50));
  const answers = await Promise.all(parts.flatMap((part) => both.map((one) => add(one, part))));
  const sum = (name: 'matched' | 'unchanged' | 'corrected' | 'unmatched') =>
    answers.reduce((total, answer) => total + answer[name], 0);
  expect([sum('matched'), sum('unchanged')]).toEqual([ROWS, ROWS]);
  expect([sum('corrected'), sum('unmatched')]).toEqual([0, 0]);
  // All are there, and the state of the record has met each once.
  expect(await add(both[1], truths)).toMatchObject({ unchanged: ROWS });
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows: records } = await client.query('select state from records');
  await client.end();
  expect(JSON.parse(records[0].state)).toMatchObject({ truths: ROWS });
});

test('of values that differ, one stands, and the other is kept as corrected', async () => {
  const params = { path, query: { remember: true } };
  const predicted = await answered(both[0].roster.POST(PREDICT, { params, body: [{ x: 1 }] }));
  const [id = ''] = JSON.stringify(predicted).match(/[0-9a-z]{20}-\d+/) ?? [];
  const answers = await Promise.all(
    both.map(({ roster }, price) =>
      answered(roster.POST(ACTUALS, { params: { path }, body: [{ __service_row_id: id, price }] })),
    ),
  );
  const became = answers.map(({ matched, corrected }) => ({ matched, corrected }));
  expect(became).toContainEqual({ matched: 1, corrected: 0 });
  expect(became).toContainEqual({ matched: 0, corrected: 1 });
});

test('an alarm is reported once, by one of both', async () => {
  const params = { path, query: { remember: true, confidence: 0.9 } };
  const rows = Array.from({ length: 100 }, (_, x) => ({ x }));
  const predicted = await answered(both[0].roster.POST(PREDICT, { params, body: rows }));
  const ids = JSON.stringify(predicted).match(/[0-9a-z]{20}-\d+/g) ?? [];
  const truths = ids.map((__service_row_id) => ({ __service_row_id, price: 1e6 }));
  await answered(both[1].roster.POST(ACTUALS, { params: { path }, body: truths }));
  await expect.poll(() => heard.length).toBe(1);
  expect(JSON.parse(heard[0] ?? '')).toMatchObject({ data: { model: 'prices' } });
});
