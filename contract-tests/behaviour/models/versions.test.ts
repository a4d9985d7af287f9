/** Versions of a model: kept, listed, deleted, and one of them chosen to serve. Against the server alone. */
import { items, type Model } from 'roster-client';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { trainPrices } from '../../../testkit/service/train-prices.js';
import { ownProject, roster, send, sendJson } from '../../target.js';
import {
  addressOf,
  answeringVersion,
  begin,
  cancel,
  listed,
  modelOfVersions,
  ONE,
  type Path,
  remove,
  serve,
  tableOf,
  VERSION,
  VERSIONS,
} from './model-versions.js';

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
});

describe('a training that is cancelled', () => {
  let path: Path;
  beforeEach(async () => {
    path = { projectName: await ownProject(), modelName: 'prices' };
  });

  test('leaves a failed version that says so, also when it is cancelled twice, and a model that can be trained', async () => {
    await begin(path);
    const cancelled = await cancel(path, 1);
    expect(cancelled.data).toMatchObject({
      version: 1,
      status: 'failed',
      seconds_left: null,
      serving_version: null,
      failure: expect.stringContaining('was cancelled'),
    });
    const again = await cancel(path, 1);
    expect(again.data).toEqual(cancelled.data);
    expect(again.response.headers.get('ETag')).toBe(cancelled.response.headers.get('ETag'));
    expect(await answeringVersion(path)).toBe('/problems/model-not-ready');
    expect(await trainPrices(roster, path, tableOf(2))).toMatchObject({
      version: 2,
      status: 'ready',
      serving_version: 2,
    });
    expect((await cancel(path, 2)).error?.type).toBe('/problems/training-ended');
    expect((await cancel(path, 3)).error?.type).toBe('/problems/model-not-found');
    expect(await answeringVersion(path)).toBe(2);
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

test('a wrong choice is refused with its fault, and changes nothing', async () => {
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
