/** Tests of training: tables in, model versions out. Against the server alone. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fewDiamonds, oneDiamond, slowTable, someDiamonds } from '../../../testkit/data/diamonds.js';
import { trainPrices } from '../../../testkit/service/train-prices.js';
import { hundredLines, putTable, trainTable } from '../../sent-tables.js';
import { baseUrl, keys, ownProject, roster } from '../../target.js';

const ALL = '/api/projects/{projectName}/models';
const ONE = '/api/projects/{projectName}/models/{modelName}';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

let path: { projectName: string; modelName: string };
beforeEach(async () => {
  path = { projectName: await ownProject(), modelName: 'prices' };
});
afterEach(() => roster.DELETE(ONE, { params: { path } }));

type Sent = Parameters<typeof putTable>[1];

const train = (body: Sent, target?: string) => putTable(path, body, target);
const trained = (body: Sent, target?: string) => trainTable(path, body, target);

function read(version?: number) {
  return version === undefined
    ? roster.GET(ONE, { params: { path } })
    : roster.GET(`${ONE}/versions/{version}`, { params: { path: { ...path, version: String(version) } } });
}

async function predictedPrice(): Promise<unknown> {
  const { data } = await roster.POST(PREDICT, { params: { path }, body: [oneDiamond] });
  return data?.[0]?.price;
}

describe('a model', () => {
  test('that is ready shows its columns, its metrics and a checksum', async () => {
    const model = await trainPrices(roster, path, someDiamonds(500));
    expect(model).toMatchObject({
      name: 'prices',
      version: 1,
      status: 'ready',
      progress: 1,
      failure: null,
      serving_version: 1,
      target: 'price',
      row_count: 500,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(model.columns?.map(({ name }) => name)).toEqual([
      'carat',
      'cut',
      'color',
      'clarity',
      'depth',
      'table',
      'x',
      'y',
      'z',
    ]);
    expect(model.columns?.[1]?.categories).toEqual(expect.arrayContaining(['Ideal', 'Fair']));
    if (model.task !== 'regression') throw new Error('The target is a number.');
    expect(model.metrics?.r2).toBeGreaterThan(0.5);
    const { data } = await roster.GET(ALL, { params: { path } });
    expect(data).toEqual([model]);
  });

  test('trains one version at a time, and the previous version answers meanwhile', async () => {
    await trainPrices(roster, path);
    const before = await predictedPrice();
    const { data: second } = await train(slowTable());
    expect(second).toMatchObject({ version: 2, status: 'training', serving_version: 1 });
    const { error, response } = await train(fewDiamonds);
    expect(error?.type).toBe('/problems/training-in-progress');
    expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect(await predictedPrice()).toBe(before);
    expect((await read(1)).data).toMatchObject({ version: 1, status: 'ready', serving_version: 1 });
    expect((await read(2)).data).toMatchObject({ version: 2, status: 'training' });
    expect((await read()).data).toMatchObject({ version: 2 });
    expect((await read(3)).error?.type).toBe('/problems/model-not-found');
  });

  test('answers from the new version once that is ready', async () => {
    await trainPrices(roster, path);
    const doubled = hundredLines('carat,price', (row) => `${row / 100},${1_000_000 + row}`);
    expect(await trained(doubled)).toMatchObject({ version: 2, serving_version: 2 });
    expect(await predictedPrice()).toBeGreaterThan(900_000);
  });

  test('is cancelled if it is deleted while it trains, and can be trained again', async () => {
    await train(slowTable());
    const removed = await roster.DELETE(ONE, { params: { path } });
    expect(removed.response.status).toBe(204);
    expect((await read()).error?.type).toBe('/problems/model-not-found');
    const { error } = await roster.POST(PREDICT, { params: { path }, body: [] });
    expect(error?.type).toBe('/problems/model-not-found');
    expect(await trained(fewDiamonds)).toMatchObject({ version: 1, status: 'ready' });
  });

  test('prevents its project from being deleted', async () => {
    await train(slowTable());
    const params = { path: { project_name: path.projectName } };
    const { error } = await roster.DELETE('/projects/{project_name}', { params });
    expect(error).toMatchObject({ type: '/problems/project-not-empty', detail: expect.stringContaining('1 model') });
  });

  test('is trained once by 10 concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => train(slowTable())));
    const statuses = answers.map(({ response }) => response.status).sort();
    expect(statuses).toEqual([202, ...Array(9).fill(409)]);
    expect((await read()).data).toMatchObject({ version: 1 });
  });
});

describe('a table that is refused', () => {
  test('is not stored', async () => {
    const { error } = await train('x,y\n1,2\n2,3', 'y');
    expect(error?.type).toBe('/problems/unusable-table');
    expect((await read()).error?.type).toBe('/problems/model-not-found');
  });

  test('keeps the previous version as it was', async () => {
    const first = await trainPrices(roster, path);
    const before = await predictedPrice();
    const { error } = await train('price\nhigh');
    expect(error?.type).toBe('/problems/unusable-table');
    expect((await read()).data).toEqual(first);
    expect(await predictedPrice()).toBe(before);
  });
});

describe('an upload that is cut off', () => {
  test.each([
    ['with a Content-Length', `Content-Length: ${someDiamonds(200).length + 1000}\r\n\r\n`, ''],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', `${someDiamonds(200).length.toString(16)}\r\n`],
  ])('%s leaves nothing behind, and the previous version answers', async (_how, framing, begin) => {
    await cutOff(framing + begin + someDiamonds(200));
    expect((await read()).error?.type).toBe('/problems/model-not-found');
    const first = await trainPrices(roster, path);
    const before = await predictedPrice();
    await cutOff(framing + begin + someDiamonds(200));
    expect((await read()).data).toEqual(first);
    expect(await predictedPrice()).toBe(before);
    expect(await trained(fewDiamonds)).toMatchObject({ version: 2, status: 'ready' });
  });

  /** Sends the beginning of an upload, and no more. Resolves when the server has finished with it. */
  async function cutOff(rest: string): Promise<void> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    const address = `/api/projects/${path.projectName}/models/prices?target=price`;
    socket.end(
      `PUT ${address} HTTP/1.1\r\nHost: roster\r\nAuthorization: Bearer ${keys.own}\r\nContent-Type: text/csv\r\nConnection: close\r\n${rest}`,
    );
    await text(socket);
  }
});
