/** Versions of a model that wait to be chosen, and trainings that meet other requests. */
import { setTimeout as pause } from 'node:timers/promises';
import { createRosterClient, type Model } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { settled, trainPrices } from '../../../testkit/service/train-prices.js';
import { type OwnStore, ownStore } from '../../../testkit/store/own-store.js';
import { ownProject, roster } from '../../target.js';
import {
  answeringVersion,
  begin,
  cancel,
  listed,
  modelOfVersions,
  ONE,
  type Path,
  remove,
  SERVING,
  serve,
  tableOf,
  VERSIONS,
} from './model-versions.js';

describe('the version that serves', () => {
  let path: Path;
  beforeEach(async () => {
    path = await modelOfVersions(2);
  });

  test('goes on while another trains, which neither serves nor is deleted', async () => {
    await begin(path);
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
});

describe('a training that is cancelled', () => {
  let path: Path;
  beforeEach(async () => {
    path = { projectName: await ownProject(), modelName: 'prices' };
  });

  test('leaves the serving version, while it waits for its turn as well', async () => {
    await trainPrices(roster, path, tableOf(1));
    const other = { ...path, modelName: 'others' };
    await begin(other);
    await begin(path);
    expect((await cancel(path, 2)).data).toMatchObject({ status: 'failed', serving_version: 1 });
    expect(await answeringVersion(path)).toBe(1);
    await roster.DELETE(ONE, { params: { path: other } });
    expect(await trainPrices(roster, path, tableOf(3))).toMatchObject({ serving_version: 3 });
    // A failed version is deleted with the next one that is ready.
    expect((await listed(path)).map(({ version }) => version)).toEqual([1, 3]);
  });

  test('has ended as its answer says, whenever it comes', async () => {
    for (let version = 1; version <= 6; version++) {
      await begin(path, tableOf(version));
      await pause(version * 40);
      const { data, error } = await cancel(path, version);
      expect(data?.status ?? error?.type).toBe(data ? 'failed' : '/problems/training-ended');
      const model = await settled(roster, path);
      expect(model.status).toBe(data ? 'failed' : 'ready');
      if (error) expect(await answeringVersion(path)).toBe(version);
    }
  });
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
