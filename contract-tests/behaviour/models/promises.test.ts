/** Promises that are remembered, and the truths that meet them. Against the server alone. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Store } from '../../../server/store/index.js';
import { OpenStream } from '../../../testkit/http/open-stream.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { trainPrices } from '../../../testkit/service/train-prices.js';
import { addManyPromises } from '../../../testkit/store/many-promises.js';
import { type OwnStore, ownStore } from '../../../testkit/store/own-store.js';
import { checkedFetch } from '../../checked-fetch.js';
import {
  addTruths,
  expectTruthsMeet,
  listIds,
  NONE,
  ORDERS,
  predictRows,
  type Rows,
  RUBIES,
  trainRows,
} from '../../formats/promised-rows.js';
import { baseUrl, keys, ownProject, readObject, roster, send, sendAs, sendJson } from '../../target.js';
import { begin, cancel } from './model-versions.js';

let project: string;
let prices: string;
beforeAll(async () => {
  project = await ownProject();
  prices = await train('prices', 'target=price&exclude=fine', RUBIES);
});

const train = (name: string, query: string, rows: Rows) => trainRows(project, name, query, rows);

describe('rows that are remembered', () => {
  test('as a stream have ids that go on from batch to batch', async () => {
    const many = Array.from({ length: 10_000 }, (_, row) => ({ carat: (row % 40) / 20 }));
    const answer = await predictRows(prices, 'remember=true', many, ['csv', 'csv']);
    const ids = listIds(answer);
    expect(new Set(ids).size).toBe(10_000);
    expect(ids.at(-1)).toMatch(/-9999$/);
    const truths = ids.map((__service_row_id) => ({ __service_row_id, price: 1500 }));
    // In any order: here the last come first.
    const added = await addTruths(prices, truths.toReversed(), { format: 'csv' });
    expect(added).toEqual({ ...NONE, matched: 10_000 });
  });

  test('of an open stream are remembered when their lines have come', async () => {
    const stream = new OpenStream(`${baseUrl}${prices}/predict?remember=true`, keys.own);
    for (const carat of [1, 2]) {
      stream.write(`${JSON.stringify({ carat })}\n`);
      const ids = listIds([Object(await stream.next())]);
      const truths = ids.map((__service_row_id) => ({ __service_row_id, price: carat }));
      expect(await addTruths(prices, truths)).toEqual({ ...NONE, matched: 1 });
    }
    stream.write('{"carat":\n{"carat":1}\n');
    expect(await stream.next()).toMatchObject({ problem: { line: 3 } });
    expect(await stream.end()).toMatchObject([{ __service_row_id: expect.stringMatching(/-2$/) }]);
  });

  test('name their own ids only if they are remembered, the model is there, and the rows have them', async () => {
    const csv = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'carat\n1\n' };
    const errors = [{ pointer: '/query/id', message: expect.stringContaining('remember=true') }];
    const ask = (model: string) => {
      const address = `${model}/predict?id=order_no`;
      return Promise.all([sendJson('POST', address, ORDERS), send(address, csv)]);
    };
    for (const refused of await ask(prices)) {
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ errors });
    }
    for (const refused of await ask(`${prices}-of-others`)) expect(refused.status).toBe(404);
    const unnamed = await sendJson('POST', `${prices}/predict?remember=true&id=order`, [{ carat: 1 }]);
    expect(unnamed.status).toBe(400);
    const message = expect.stringContaining('the first row has no value in such a column');
    expect(await unnamed.json()).toMatchObject({ errors: [{ pointer: '/query/id', message }] });
  });

  test('may have a column of ids, although unknown names are refused', async () => {
    const query = 'remember=true&id=order_no&unknown=refuse';
    expect(await predictRows(prices, query, ORDERS, ['csv', 'csv'])).toHaveLength(40);
    expect(await predictRows(prices, query, ORDERS, ['ndjson', 'ndjson'])).toHaveLength(40);
    expect(await predictRows(prices, query, ORDERS)).toHaveLength(40);
    const other = await sendJson('POST', `${prices}/predict?remember=true&unknown=refuse`, ORDERS);
    expect(other.status).toBe(422);
    const warned = await sendJson('POST', `${prices}/predict?remember=true&id=order_no`, ORDERS);
    expect(warned.headers.get('Row-Warnings')).toBeNull();
  });

  test('that are refused leave nothing behind', async () => {
    const response = await sendJson('POST', `${prices}/predict?remember=true&steps=3`, ORDERS);
    expect(response.status).toBe(400);
  });
});

describe('truths', () => {
  test('meet promises, by either id, once', () => expectTruthsMeet(prices, 'json'));

  test('of an id that several promises have meet the latest', async () => {
    const twice = [
      { order_no: 'T', carat: 1 },
      { order_no: 'T', carat: 2 },
    ];
    const [, second = ''] = listIds(await predictRows(prices, 'remember=true&id=order_no', twice));
    const own = [{ order_no: 'T', price: 7 }];
    expect(await addTruths(prices, own, { query: '?id=order_no' })).toMatchObject({ matched: 1 });
    const same = [{ __service_row_id: second, price: 7 }];
    expect(await addTruths(prices, same)).toEqual({ ...NONE, unchanged: 1 });
    await predictRows(prices, 'remember=true&id=order_no', twice.slice(0, 1));
    expect(await addTruths(prices, own, { query: '?id=order_no' })).toMatchObject({ matched: 1 });
  });

  test('of own ids meet their promises in any order, also beside ids that are not there', async () => {
    const count = 10_000;
    const rows = Array.from({ length: count }, (_, row) => ({ order_no: `O-${row}`, carat: 1 }));
    await predictRows(prices, 'remember=true&id=order_no', rows, ['csv', 'csv']);
    // A step that has no divisor in common with the count comes to each row once.
    const known = rows.map((_, at) => ({ order_no: `O-${(7919 * at) % count}`, price: at }));
    const unknown = Array.from({ length: 3 }, (_, at) => ({ order_no: `U-${at}`, price: at }));
    const unmatched_rows = [1, 2, 3].map((row) => ({ row, reason: 'unknown-id' }));
    // A body of more than 256 KiB is read in another process.
    for (const [note, became] of [['', 'matched'] as const, ['.'.repeat(30), 'unchanged'] as const]) {
      const truths = [...unknown, ...known].map((truth) => ({ ...truth, note }));
      const added = await addTruths(prices, truths, { format: 'csv', query: '?id=order_no' });
      expect(added).toEqual({ ...NONE, [became]: count, unmatched: 3, unmatched_rows });
    }
  });

  test('that meet no promise are reported by row, with the reason', async () => {
    const other = await train('others', 'target=price', RUBIES);
    const [foreign = ''] = listIds(await predictRows(other, 'remember=true', [{ carat: 1 }]));
    const [id = '', next = ''] = listIds(await predictRows(prices, 'remember=true', [{ carat: 1 }, { carat: 2 }]));
    const beyond = next.replace(/-1$/, '-2');
    const forged = `${'z'.repeat(20)}-0`;
    const rows = [
      { __service_row_id: id, price: 1 },
      { __service_row_id: foreign, price: 1 },
      { __service_row_id: forged, price: 1 },
      { __service_row_id: beyond, price: 1 },
      { __service_row_id: 'x', price: 1 },
      { __service_row_id: null, price: 1 },
      { __service_row_id: next, price: 'cheap' },
      { __service_row_id: id, price: 2 },
      { __service_row_id: next, price: null },
      { __service_row_id: id, price: '1.0' },
    ];
    const added = await sendJson('POST', `${prices}/actuals`, rows);
    const reasons = [
      [2, 'other-model'],
      [3, 'unknown-id'],
      [4, 'unknown-id'],
      [5, 'unknown-id'],
      [6, 'id-missing'],
      [7, 'not-a-number'],
      [8, 'repeated'],
      [9, 'target-missing'],
    ];
    expect(await added.json()).toEqual({
      matched: 1,
      corrected: 0,
      unchanged: 1,
      unmatched: 8,
      unmatched_rows: reasons.map(([row, reason]) => ({ row, reason })),
    });
    const lines = await send(`${prices}/actuals`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: `{"__service_row_id":\n${JSON.stringify({ __service_row_id: id, price: 1 })}\n`,
    });
    const unreadable = [{ row: 1, reason: 'unreadable' }];
    expect(await lines.json()).toMatchObject({ unchanged: 1, unmatched_rows: unreadable });
  });

  test('of which there are none change nothing', async () => {
    const empty = await sendJson('POST', `${prices}/actuals`, []);
    expect(await empty.json()).toEqual(NONE);
  });

  test.each([
    ['application/json', '[{"price":', 'malformed-body'],
    ['application/json', '{"price": 1}', 'invalid-request'],
    ['text/csv', '', 'malformed-body'],
    ['application/vnd.apache.parquet', 'PAR1', 'malformed-body'],
  ])('that cannot be read as %s are refused', async (type, body, refusal) => {
    const headers = { 'Content-Type': type };
    const response = await send(`${prices}/actuals`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: `/problems/${refusal}` });
  });

  test('are refused with a parameter that does not fit their format', async () => {
    const response = await sendJson('POST', `${prices}/actuals?header_line=2`, []);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/query/header_line' }] });
  });

  test('of another owner’s promises meet none', async () => {
    const [id = ''] = listIds(await predictRows(prices, 'remember=true', [{ carat: 1 }]));
    const theirs = `foreign-${Date.now()}`;
    const json = { 'Content-Type': 'application/json' };
    const ask = (path: string, method: string, body: unknown) =>
      sendAs(keys.stranger, path, { method, headers: json, body: JSON.stringify(body) });
    await ask('/projects', 'POST', { project: { name: theirs } });
    const address = `/api/projects/${theirs}/models/prices`;
    expect((await ask(`${address}?target=price`, 'PUT', RUBIES)).status).toBe(202);
    const rows = [{ __service_row_id: id, price: 1 }];
    const added = await ask(`${address}/actuals`, 'POST', rows);
    expect(await added.json()).toMatchObject({ matched: 0, unmatched_rows: [{ row: 1, reason: 'unknown-id' }] });
    expect((await ask(`${prices}/actuals`, 'POST', rows)).status).toBe(404);
    await sendAs(keys.stranger, address, { method: 'DELETE' });
    // It is still free.
    expect(await addTruths(prices, rows)).toMatchObject({ matched: 1 });
  });
});

test('classes are remembered with their sets, and a class that is none of the model’s is a truth', async () => {
  const fine = await train('fine', 'target=fine', RUBIES);
  const rows = [{ carat: 0.1 }, { carat: 1.9 }, { carat: 1 }];
  const [first = '', second = '', third = ''] = listIds(await predictRows(fine, 'remember=true', rows));
  const truths = [
    { __service_row_id: first, fine: 'no' },
    { __service_row_id: second, fine: 'no' },
    { __service_row_id: third, fine: 'perhaps' },
  ];
  expect(await addTruths(fine, truths)).toEqual({ ...NONE, matched: 3 });
});

test('the new rows of a series are truths of its forecast', async () => {
  const month = (at: number) => `${2020 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
  const history = ['A', 'B'].flatMap((store) =>
    Array.from({ length: 48 }, (_, at) => ({ store, month: month(at), sales: 100 + (at % 12) })),
  );
  const query = 'target=sales&order_by=month&group_by=store&horizon=3';
  const sales = await train('sales', query, history);
  const forecast = await predictRows(sales, 'remember=true', [], ['json', 'json']);
  expect(forecast).toHaveLength(6);
  const [first = ''] = listIds(forecast);
  const news = [
    { store: 'A', month: '2024-01', sales: 101 },
    { store: 'B', month: '2024-02', sales: 90 },
    { store: 'C', month: '2024-01', sales: 90 },
    { store: 'A', month: '2024-09', sales: 90 },
  ];
  expect(await addTruths(sales, news, { format: 'csv' })).toMatchObject({
    matched: 2,
    unmatched: 2,
    unmatched_rows: [
      { row: 3, reason: 'unknown-id' },
      { row: 4, reason: 'unknown-id' },
    ],
  });
  const byRow = [{ __service_row_id: first, sales: 101 }];
  expect(await addTruths(sales, byRow)).toEqual({ ...NONE, unchanged: 1 });
});

test('truths are read as the version that serves reads them, while a newer one trains and after that has failed', async () => {
  // Months without hyphens, which only a version that was trained on them reads.
  const history = Array.from({ length: 60 }, (_, at) => {
    return { when: `${2019 + Math.floor(at / 12)}${String((at % 12) + 1).padStart(2, '0')}`, y: 100 + (at % 12) };
  });
  const months = await train('months', 'target=y&order_by=when&horizon=2', history);
  await predictRows(months, 'remember=true', [], ['json', 'json']);
  const path = { projectName: project, modelName: 'months' };
  // Its target and its task are others.
  expect((await begin(path)).response.status).toBe(202);
  expect(await addTruths(months, [{ when: '202401', y: 100 }])).toEqual({ ...NONE, matched: 1 });
  expect((await cancel(path, 2)).data).toMatchObject({ status: 'failed' });
  expect(await addTruths(months, [{ when: '202402', y: 101 }])).toEqual({ ...NONE, matched: 1 });
  const record = await send(`${months}/record`);
  expect(await readObject(record)).toMatchObject({ version: 1, task: 'forecast', truths: 2 });
});

test('promises outlive the version that made them, and end with the model', async () => {
  const path = { projectName: project, modelName: 'gone' };
  const address = `/api/projects/${project}/models/gone`;
  await trainPrices(roster, path);
  const [id = ''] = listIds(await predictRows(address, 'remember=true', [{ carat: 1 }]));
  await trainPrices(roster, path);
  expect((await send(`${address}/versions/1`, { method: 'DELETE' })).status).toBe(204);
  const truth = [{ __service_row_id: id, price: 1 }];
  expect(await addTruths(address, truth)).toMatchObject({ matched: 1 });
  expect((await send(address, { method: 'DELETE' })).status).toBe(204);
  expect((await sendJson('POST', `${address}/actuals`, truth)).status).toBe(404);
  await trainPrices(roster, path);
  const unknown = [{ row: 1, reason: 'unknown-id' }];
  expect(await addTruths(address, truth)).toMatchObject({ matched: 0, unmatched_rows: unknown });
});

describe('an owner whose storage is full', () => {
  let store: OwnStore;
  let server: ServerProcess;
  beforeAll(async () => {
    store = await ownStore(inject('target').databaseUrl);
    const env = { DATABASE_URL: store.databaseUrl, MAX_STORED: '200000', PREDICTION_WORKERS: '0' };
    server = await startServer({ env });
  });
  afterAll(async () => {
    await server.kill();
    await store.remove();
  });

  const ask = (path: string, method: string, type: string, body?: string) =>
    checkedFetch(
      new Request(`${server.url}/api/projects/default/models/m${path}`, {
        method,
        headers: { 'Content-Type': type },
        ...(body !== undefined && { body }),
      }),
    );

  /** Adds batches of promises of the model, whatever its owner may store. */
  async function addBatches(count: number) {
    const own = await Store.open(store.databaseUrl);
    const model = await own.work
      .selectFrom('models')
      .innerJoin('projects', 'projects.id', 'models.project_id')
      .select(['models.id as modelId', 'projects.owner'])
      .executeTakeFirstOrThrow();
    await addManyPromises(own, model, count);
    await own.close();
  }

  test('is answered, but remembers nothing until there is room again', async () => {
    const table = ['x,y', ...Array.from({ length: 60 }, (_, row) => `${row},${row * 2}`)].join('\n');
    expect((await ask('?target=y', 'PUT', 'text/csv', table)).status).toBe(202);
    const isReady = async () => (await ask('', 'GET', 'text/csv')).json();
    await expect.poll(isReady).toMatchObject({ status: 'ready' });
    const rows = JSON.stringify(Array.from({ length: 100 }, () => ({ x: 1 })));
    const remember = () => ask('/predict?remember=true', 'POST', 'application/json', rows);
    const fill = async () => {
      let response = await remember();
      for (let count = 0; response.status === 200 && count < 100; count++) response = await remember();
      return response;
    };
    const response = await fill();
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      type: '/problems/limit-reached',
      detail: expect.stringContaining('promises'),
    });
    // A stream is refused before its first line. The files of the training may be deleted only now, and make room.
    const stream = async () => {
      await fill();
      const answer = await ask('/predict?remember=true', 'POST', 'application/x-ndjson', '{"x":1}\n');
      return answer.text();
    };
    await expect.poll(stream).toContain('/problems/limit-reached');
    expect((await ask('/predict', 'POST', 'application/json', '[{"x":1}]')).status).toBe(200);
    // The promises of the model are deleted with it, also more than one transaction deletes, so that there is room for
    // as many again.
    await addBatches(600);
    expect((await ask('', 'DELETE', 'text/csv')).status).toBe(204);
    expect((await ask('?target=y', 'PUT', 'text/csv', table)).status).toBe(202);
    await expect.poll(isReady).toMatchObject({ status: 'ready' });
    expect((await remember()).status).toBe(200);
  });
});
