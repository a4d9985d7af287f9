/** Versions of a model: kept, listed, deleted, and one of them chosen to serve. Against the server alone. */
import { setTimeout as pause } from 'node:timers/promises';
import { createRosterClient, items, type Model } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { slowTable } from '../../../testkit/data/diamonds.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { settled, trainPrices } from '../../../testkit/service/train-prices.js';
import { type OwnStore, ownStore } from '../../../testkit/store/own-store.js';
import { ownProject, roster, send, sendJson } from '../../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';
const VERSIONS = '/api/projects/{projectName}/models/{modelName}/versions';
const VERSION = '/api/projects/{projectName}/models/{modelName}/versions/{version}';
const TRAINING = '/api/projects/{projectName}/models/{modelName}/versions/{version}/training';
const SERVING = '/api/projects/{projectName}/models/{modelName}/serving';

type Path = { projectName: string; modelName: string };

/** A table of prices about so many thousands, by which an answer shows its version. */
function tableOf(thousands: number): string {
  const line = (row: number) => `${row / 100},${1000 * thousands + row}`;
  return ['carat,price', ...Array.from({ length: 100 }, (_, row) => line(row))].join('\n');
}

async function modelOfVersions(count: number): Promise<Path> {
  const path = { projectName: await ownProject(), modelName: 'prices' };
  for (let version = 1; version <= count; version++) {
    await trainPrices(roster, path, tableOf(version));
  }
  return path;
}

const addressOf = ({ projectName, modelName }: Path) => `/api/projects/${projectName}/models/${modelName}`;

/** Which version answers, by the prices that it was trained with. */
async function answeringVersion(path: Path, name = path.modelName): Promise<number | string> {
  const rows = [{ carat: 0.5 }];
  const address = addressOf({ ...path, modelName: name });
  const response = await sendJson('POST', `${address}/predict`, rows);
  const answer: unknown = await response.json();
  const { price, type } = Object(Array.isArray(answer) ? answer[0] : answer);
  return response.status === 200 ? Math.floor(price / 1000) : type;
}

async function listed(path: Path): Promise<Model[]> {
  const { data = [] } = await roster.GET(VERSIONS, { params: { path } });
  return data;
}

const serve = (path: Path, version: number, headers = {}) =>
  roster.PUT(SERVING, { params: { path }, body: { serving: { version } }, headers });

const remove = (path: Path, version: number, headers = {}) =>
  roster.DELETE(VERSION, { params: { path: { ...path, version: String(version) } }, headers });

describe('the versions of a model', () => {
  let path: Path;
  beforeAll(async () => {
    path = await modelOfVersions(3);
  });

  test('are listed with their metrics, oldest first, whole and in pages', async () => {
    const versions = await listed(path);
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3]);
    for (const version of versions) {
      const metrics = { rmse: expect.any(Number) };
      expect(version).toMatchObject({ status: 'ready', serving_version: 3, metrics });
    }
    const paged: Model[] = [];
    const list = (query: { limit: number; cursor?: string }) => roster.GET(VERSIONS, { params: { path, query } });
    for await (const version of items(list, { limit: 1 })) paged.push(version);
    expect(paged).toEqual(versions);
  });

  test('have each an address and an entity tag', async () => {
    const [, second] = await listed(path);
    const params = { path: { ...path, version: '2' } };
    const { data, response } = await roster.GET(VERSION, { params });
    expect(data).toEqual(second);
    expect((await send(`${addressOf(path)}?version=2`)).headers.get('ETag')).toBe(response.headers.get('ETag'));
    const headers = { 'If-None-Match': response.headers.get('ETag') ?? '' };
    expect((await send(`${addressOf(path)}/versions/2`, { headers })).status).toBe(304);
  });

  test('answer by their number behind the name', async () => {
    expect(await answeringVersion(path)).toBe(3);
    expect(await answeringVersion(path, 'prices.1')).toBe(1);
    expect(await answeringVersion(path, 'prices.2')).toBe(2);
    for (const name of ['prices.4', 'prices.0', 'prices.01', 'prices.9999999999', 'price.1']) {
      expect(await answeringVersion(path, name)).toBe('/problems/model-not-found');
    }
  });

  test('that do not exist get 404', async () => {
    for (const version of [4, 2_147_483_647, 9_999_999_999]) {
      const at = { params: { path: { ...path, version: String(version) } } };
      expect((await roster.GET(VERSION, at)).error?.type).toBe('/problems/model-not-found');
      expect((await remove(path, version)).error?.type).toBe('/problems/model-not-found');
    }
    expect((await serve(path, 4)).error?.type).toBe('/problems/model-not-found');
    for (const version of ['0', '01', 'x', '1.0', '%31e2']) {
      expect((await send(`${addressOf(path)}/versions/${version}`)).status).toBe(400);
    }
  });
});

describe('the version that serves', () => {
  let path: Path;
  beforeAll(async () => {
    path = await modelOfVersions(2);
  });
  beforeEach(async () => {
    await serve(path, 2);
  });

  test('is changed only from the state that If-Match names', async () => {
    const before = await roster.GET(ONE, { params: { path } });
    const headers = { 'If-Match': before.response.headers.get('ETag') ?? '' };
    expect((await serve(path, 1, headers)).response.status).toBe(200);
    expect((await serve(path, 2, headers)).error?.type).toBe('/problems/precondition-failed');
    expect(await answeringVersion(path)).toBe(1);
  });

  test('goes before a version of another model where a model has that very name', async () => {
    const named = { ...path, modelName: 'prices.1' };
    await trainPrices(roster, named, tableOf(7));
    expect(await answeringVersion(named)).toBe(7);
    await roster.DELETE(ONE, { params: { path: named } });
    expect(await answeringVersion(named)).toBe(1);
  });

  test('is the one that was chosen, until a training is done', async () => {
    const { data, response } = await serve(path, 1);
    expect(data).toMatchObject({ version: 2, serving_version: 1 });
    const read = await roster.GET(ONE, { params: { path } });
    expect(read.response.headers.get('ETag')).toBe(response.headers.get('ETag'));
    expect(await answeringVersion(path)).toBe(1);
    expect(await answeringVersion(path, 'prices.2')).toBe(2);
    await trainPrices(roster, path, tableOf(3));
    expect(await answeringVersion(path)).toBe(3);
    expect((await listed(path)).map(({ version }) => version)).toEqual([1, 2, 3]);
  });
});

describe('the version that serves, while versions are deleted,', () => {
  let path: Path;
  beforeEach(async () => {
    path = await modelOfVersions(2);
  });

  test('is not deleted, and another one is', async () => {
    expect((await remove(path, 2)).error).toMatchObject({
      type: '/problems/version-in-use',
      detail: expect.stringContaining('answers predictions'),
    });
    expect((await remove(path, 1)).response.status).toBe(204);
    expect((await remove(path, 1)).error?.type).toBe('/problems/model-not-found');
    expect((await serve(path, 1)).error?.type).toBe('/problems/model-not-found');
    expect(await answeringVersion(path, 'prices.1')).toBe('/problems/model-not-found');
    expect(await answeringVersion(path)).toBe(2);
  });

  test('may be an older one, so that the newest is deleted; its number is not used again', async () => {
    await serve(path, 1);
    const newest = await send(`${addressOf(path)}/versions/2`);
    const [first] = await listed(path);
    const stale = { 'If-Match': '"AAAAAAAAAAAAAAAAAAAAAA"' };
    expect((await remove(path, 2, stale)).error?.type).toBe('/problems/precondition-failed');
    const current = { 'If-Match': newest.headers.get('ETag') ?? '' };
    expect((await remove(path, 2, current)).response.status).toBe(204);
    expect((await roster.GET(ONE, { params: { path } })).data).toEqual(first);
    expect(await trainPrices(roster, path, tableOf(3))).toMatchObject({ version: 3 });
  });

  test('goes on while another trains, which neither serves nor is deleted', async () => {
    await roster.PUT(ONE, {
      params: { path, query: { target: 'price', effort: 'fast' } },
      body: slowTable(),
      headers: { 'Content-Type': 'text/csv' },
    });
    expect((await serve(path, 3)).error).toMatchObject({ type: '/problems/model-not-ready', model_status: 'training' });
    expect((await remove(path, 3)).error?.type).toBe('/problems/training-in-progress');
    expect(await answeringVersion(path, 'prices.3')).toBe('/problems/model-not-ready');
    expect((await serve(path, 1)).data).toMatchObject({ status: 'training', serving_version: 1 });
    expect((await remove(path, 2)).response.status).toBe(204);
    expect(await answeringVersion(path)).toBe(1);
    await roster.DELETE(ONE, { params: { path } });
  });

  test('is the same for all who choose and delete at once: nothing is lost', async () => {
    const choices = [1, 2, 1, 2].flatMap((version) => [serve(path, version), remove(path, version)]);
    await Promise.all(choices);
    const { data } = await roster.GET(ONE, { params: { path } });
    expect(await answeringVersion(path)).toBe(data?.serving_version);
  });
});

describe('a model whose new versions wait to be chosen', () => {
  const setPromotion = (path: Path, promotion: Model['promotion'], headers = {}) =>
    roster.PUT(SERVING, { params: { path }, body: { serving: { promotion } }, headers });

  test('serves its first, and others when they are chosen, until it says otherwise', async () => {
    const path = { projectName: await ownProject(), modelName: 'prices' };
    const begun = await roster.PUT(ONE, {
      params: { path, query: { target: 'price', effort: 'fast' } },
      body: tableOf(1),
      headers: { 'Content-Type': 'text/csv' },
    });
    expect(begun.data?.promotion).toBe('always');
    expect((await setPromotion(path, 'manual')).data?.promotion).toBe('manual');
    expect(await settled(roster, path)).toMatchObject({ status: 'ready', serving_version: 1 });

    const waiting = await trainPrices(roster, path, tableOf(2));
    expect(waiting).toMatchObject({
      version: 2,
      serving_version: 1,
      promotion: 'manual',
      comparison: { version: 1, promoted: false, rows: 100 },
    });
    expect([await answeringVersion(path), await answeringVersion(path, 'prices.2')]).toEqual([1, 2]);
    expect((await serve(path, 2)).data).toMatchObject({ serving_version: 2, promotion: 'manual' });
    expect(await answeringVersion(path)).toBe(2);
    expect(await trainPrices(roster, path, tableOf(3))).toMatchObject({ serving_version: 2 });

    const stale = { 'If-Match': '"AAAAAAAAAAAAAAAAAAAAAA"' };
    expect((await setPromotion(path, 'always', stale)).error?.type).toBe('/problems/precondition-failed');
    const both = { serving: { version: 1, promotion: 'always' } } as const;
    const { data } = await roster.PUT(SERVING, { params: { path }, body: both });
    expect(data).toMatchObject({ version: 3, serving_version: 1, promotion: 'always' });
    expect(await trainPrices(roster, path, tableOf(4))).toMatchObject({ serving_version: 4 });
  });

  /** Rows of a curve with noise, numbered from one on. */
  function curveRows(first: number, count: number): string[] {
    return Array.from({ length: count }, (_, index) => {
      const at = ((first + index) * 7919) % 10_007;
      const price = 2000 + 1000 * Math.sin(at / 700) + 20 * (((first + index) * 17) % 23);
      return `${at / 100},${(at * 31) % 17},id-${first + index},${price.toFixed(2)}`;
    });
  }

  const curve = (...rows: string[][]) => ['carat,shade,name,price', ...rows.flat()].join('\n');

  test('serves one that is no worse on rows that neither was trained on, and says what was compared', async () => {
    const path = { projectName: await ownProject(), modelName: 'prices' };
    const known = curveRows(0, 1500);
    const first = await trainPrices(roster, path, curve(known));
    expect(first.comparison).toBeNull();
    expect((await setPromotion(path, 'if_not_worse')).data?.promotion).toBe('if_not_worse');

    const better = await trainPrices(roster, path, curve(known, curveRows(1500, 1000)));
    expect(better).toMatchObject({
      version: 2,
      serving_version: 2,
      comparison: {
        version: 1,
        promoted: true,
        rows: 1000,
        measure: 'rmse',
        error: expect.any(Number),
        other_error: expect.any(Number),
        reason: expect.stringMatching(/^On 1,000 rows that neither was trained on, its RMSE is /),
      },
    });

    // Fewer rows teach it less.
    const worse = await trainPrices(roster, path, curve(curveRows(2500, 150)));
    expect(worse).toMatchObject({
      version: 3,
      serving_version: 2,
      comparison: { version: 2, promoted: false, rows: 150 },
    });
    const { error = 0, other_error = 0 } = worse.comparison ?? {};
    expect(error).toBeGreaterThan(Number(other_error));
  });

  describe('if they are no worse', () => {
    let path: Path;
    beforeAll(async () => {
      path = { projectName: await ownProject(), modelName: 'prices' };
      await trainPrices(roster, path, curve(curveRows(0, 300)));
      await setPromotion(path, 'if_not_worse');
    });

    test.each([
      ['the rows that it knows', curve(curveRows(0, 300)), '0 of the rows that it held out are new'],
      [
        'few rows that it does not know',
        curve(curveRows(0, 250), curveRows(300, 99)),
        '99 of the rows that it held out are new',
      ],
      ['other columns', curve(curveRows(300, 300)).replace('carat', 'karat'), 'lacks columns that version 1 uses'],
      ['classes', curve(curveRows(300, 300)).replaceAll(/,(\d)\d+\.\d+$/gm, ',class $1'), 'predict something else'],
    ])('does not serve one of %s, and says why', async (_, table, words) => {
      expect(await trainPrices(roster, path, table)).toMatchObject({
        status: 'ready',
        serving_version: 1,
        comparison: {
          version: 1,
          promoted: false,
          rows: 0,
          measure: null,
          error: null,
          reason: expect.stringContaining(words),
        },
      });
    });
  });

  test('refuses a wrong choice with its fault, and changes nothing', async () => {
    const path = await modelOfVersions(1);
    const address = `${addressOf(path)}/serving`;
    for (const serving of [{ promotion: 'never' }, { version: 1, promotion: null }]) {
      const refused = await sendJson('PUT', address, { serving });
      expect(refused.status).toBe(400);
    }
    const mixed = await sendJson('PUT', address, { serving: { version: 9, promotion: 'manual' } });
    expect(mixed.status).toBe(404);
    expect((await sendJson('PUT', address, { serving: {} })).status).toBe(200);
    expect((await roster.GET(ONE, { params: { path } })).data?.promotion).toBe('always');
  });
});

describe('a training that is cancelled', () => {
  let path: Path;
  beforeEach(async () => {
    path = { projectName: await ownProject(), modelName: 'prices' };
  });

  const cancel = (version: number) =>
    roster.DELETE(TRAINING, { params: { path: { ...path, version: String(version) } } });
  const begin = (body = slowTable()) =>
    roster.PUT(ONE, {
      params: { path, query: { target: 'price', effort: 'fast' } },
      body,
      headers: { 'Content-Type': 'text/csv' },
    });

  test('leaves a failed version that says so, also when it is cancelled twice, and a model that can be trained', async () => {
    await begin();
    const cancelled = await cancel(1);
    expect(cancelled.data).toMatchObject({
      version: 1,
      status: 'failed',
      seconds_left: null,
      serving_version: null,
      failure: expect.stringContaining('was cancelled'),
    });
    const again = await cancel(1);
    expect(again.data).toEqual(cancelled.data);
    expect(again.response.headers.get('ETag')).toBe(cancelled.response.headers.get('ETag'));
    expect(await answeringVersion(path)).toBe('/problems/model-not-ready');
    expect(await trainPrices(roster, path, tableOf(2))).toMatchObject({
      version: 2,
      status: 'ready',
      serving_version: 2,
    });
    expect((await cancel(2)).error?.type).toBe('/problems/training-ended');
    expect((await cancel(3)).error?.type).toBe('/problems/model-not-found');
    expect(await answeringVersion(path)).toBe(2);
  });

  test('leaves the serving version, while it waits for its turn as well', async () => {
    await trainPrices(roster, path, tableOf(1));
    const other = { ...path, modelName: 'others' };
    await roster.PUT(ONE, {
      params: { path: other, query: { target: 'price', effort: 'fast' } },
      body: slowTable(),
      headers: { 'Content-Type': 'text/csv' },
    });
    await begin();
    expect((await cancel(2)).data).toMatchObject({ status: 'failed', serving_version: 1 });
    expect(await answeringVersion(path)).toBe(1);
    await roster.DELETE(ONE, { params: { path: other } });
    expect(await trainPrices(roster, path, tableOf(3))).toMatchObject({ serving_version: 3 });
    // A failed version is deleted with the next one that is ready.
    expect((await listed(path)).map(({ version }) => version)).toEqual([1, 3]);
  });

  test('has ended as its answer says, whenever it comes', async () => {
    for (let version = 1; version <= 6; version++) {
      await begin(tableOf(version));
      await pause(version * 40);
      const { data, error } = await cancel(version);
      expect(data?.status ?? error?.type).toBe(data ? 'failed' : '/problems/training-ended');
      const model = await settled(roster, path);
      expect(model.status).toBe(data ? 'failed' : 'ready');
      if (error) expect(await answeringVersion(path)).toBe(version);
    }
  });
});

test('a version shows what its model shows', async () => {
  const path = { projectName: await ownProject(), modelName: 'diamond_prices' };
  const model = await trainPrices(roster, path);
  const params = { path: { ...path, version: '1' } };
  expect((await roster.GET(VERSION, { params })).data).toEqual(model);
  expect((await serve(path, 1)).data).toEqual(model);
  expect(await listed(path)).toEqual([model]);
});

test('a model that does not exist has no versions', async () => {
  const path = { projectName: await ownProject(), modelName: 'ruby_prices' };
  const missing = { params: { path: { ...path, version: '1' } } };
  const answers = [
    await roster.GET(VERSIONS, { params: { path } }),
    await roster.GET(VERSION, missing),
    await remove(path, 1),
    await serve(path, 1),
  ];
  for (const { error } of answers) expect(error?.type).toBe('/problems/model-not-found');
});

test('a choice of more than a mebibyte is refused', async () => {
  const path = { projectName: await ownProject(), modelName: 'prices' };
  const body = { serving: { version: 1 }, note: 'x'.repeat(2 * 1024 * 1024) };
  expect((await sendJson('PUT', `${addressOf(path)}/serving`, body)).status).toBe(413);
});

describe('where two versions are kept', () => {
  const model = { projectName: 'default', modelName: 'prices' };
  let store: OwnStore;
  let server: ServerProcess;
  beforeAll(async () => {
    store = await ownStore(inject('target').databaseUrl);
    const env = { DATABASE_URL: store.databaseUrl, MAX_VERSIONS: '2' };
    server = await startServer({ env });
  });
  afterAll(async () => {
    await server.kill();
    await store.remove();
  });

  test('older ones go when a training is done, also one that served', async () => {
    const client = createRosterClient({ baseUrl: server.url });
    for (const thousands of [1, 2]) await trainPrices(client, model, tableOf(thousands));
    await client.PUT(SERVING, { params: { path: model }, body: { serving: { version: 1 } } });
    await settled(client, model, await trainPrices(client, model, tableOf(3)));
    const { data } = await client.GET(VERSIONS, { params: { path: model } });
    expect(data?.map(({ version }) => version)).toEqual([2, 3]);
    expect(data?.map(({ serving_version }) => serving_version)).toEqual([3, 3]);
  });

  test('the one that serves stays, however many wait beside it', async () => {
    const client = createRosterClient({ baseUrl: server.url });
    const path = { ...model, modelName: 'approved' };
    await trainPrices(client, path, tableOf(1));
    const manual = { serving: { promotion: 'manual' } } as const;
    await client.PUT(SERVING, { params: { path }, body: manual });
    for (const thousands of [2, 3, 4]) await trainPrices(client, path, tableOf(thousands));
    const { data } = await client.GET(VERSIONS, { params: { path } });
    expect(data?.map(({ version }) => version)).toEqual([1, 3, 4]);
    expect(data?.[0]?.serving_version).toBe(1);
  });
});
