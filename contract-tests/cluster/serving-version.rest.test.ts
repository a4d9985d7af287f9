/** Tests that predictions ask PostgreSQL for the serving version once a second, and follow each change of it. */
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { answered } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../testkit/http/free-port.js';
import { settled } from '../../testkit/service/train-prices.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { beginTraining, type Instance, startTwo } from './instance.js';

const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
const MODEL = '/api/projects/{projectName}/models/{modelName}';
const DETAILS = '/api/projects/{projectName}/models/{modelName}/details';
const SERVING = '/api/projects/{projectName}/models/{modelName}/serving';

const path = { projectName: 'default', modelName: 'prices' };

let database: PostgresDatabase;
let watched: Server;
let both: [Instance, Instance];
/** The number of times that the instances have asked for the version that serves. */
let asked = 0;
beforeAll(async () => {
  database = await startPostgres();
  const url = new URL(database.url);
  const { port } = url;
  watched = createServer((socket) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const end of [socket, upstream]) end.on('error', () => end.destroy());
    socket.on('data', (data) => {
      asked += data.toString('latin1').split('"models"."serving_version"').length - 1;
    });
    socket.pipe(upstream).pipe(socket);
  });
  const own = await freePort();
  watched.listen(own, '127.0.0.1');
  await once(watched, 'listening');
  url.port = String(own);
  both = await startTwo({ env: { DATABASE_URL: url.href, RATE_LIMIT: '0' } });
  await train(1000);
  await train(5000);
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  watched.close();
  await database.remove();
});

/** Trains a version whose predictions are about a price. */
async function train(price: number): Promise<void> {
  const table = Array.from({ length: 60 }, (_, row) => `${row},${price + (row % 3)}`).join('\n');
  const begun = await beginTraining(both[0], path, `x,price\n${table}`);
  await settled(both[0].roster, path, begun);
}

/** Returns the predicted price, rounded to thousands; the status of a refusal. */
async function price({ roster }: Instance): Promise<number> {
  const { data, response } = await roster.POST(PREDICT, { params: { path }, body: [{ x: 1 }] });
  const row = data?.[0];
  return row ? Math.round(Number(row['price']) / 1000) * 1000 : response.status;
}

test('while nothing changes, any number of predictions asks for it once a second', async () => {
  // The instance that trained it may have been the other.
  await expect.poll(() => price(both[0])).toBe(5000);
  const [begun, before] = [performance.now(), asked];
  for (let count = 0; count < 300; count += 1) await price(both[0]);
  // The slower the machine is, the more seconds there are.
  const seconds = Math.ceil((performance.now() - begun) / 1000) + 1;
  expect(asked - before).toBeLessThanOrEqual(seconds);
});

test('a promotion is seen at once by the instance that makes it, and within a moment by the other', async () => {
  for (const [version, expected] of [
    [1, 1000],
    [2, 5000],
  ] as const) {
    for (const instance of both) await price(instance);
    await answered(both[0].roster.PUT(SERVING, { params: { path }, body: { serving: { version } } }));
    expect(await price(both[0])).toBe(expected);
    await expect.poll(() => price(both[1])).toBe(expected);
  }
});

test('a former name is unknown at once to the instance that renames, and within a moment to the other', async () => {
  for (const instance of both) await expect.poll(() => price(instance)).toBe(5000);
  const renamed = { path: { ...path, modelName: 'renamed' } };
  await answered(both[0].roster.PUT(DETAILS, { params: { path }, body: { model: { name: 'renamed' } } }));
  expect(await price(both[0])).toBe(404);
  const { response } = await both[1].roster.POST(PREDICT, { params: renamed, body: [{ x: 1 }] });
  expect(response.status).toBe(200);
  await expect.poll(() => price(both[1])).toBe(404);
  await answered(both[0].roster.PUT(DETAILS, { params: renamed, body: { model: { name: 'prices' } } }));
});

test('a deleted model is unknown at once to the instance that deletes it, and within a moment to the other', async () => {
  for (const instance of both) await expect.poll(() => price(instance)).toBe(5000);
  await both[1].roster.DELETE(MODEL, { params: { path } });
  expect(await price(both[1])).toBe(404);
  await expect.poll(() => price(both[0])).toBe(404);
});
