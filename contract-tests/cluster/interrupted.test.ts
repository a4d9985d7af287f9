/** Tests of the work of an instance that ends, or that loses its database. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LEASE_MS } from '../../server/training/trainings.js';
import { longTable } from '../../testkit/data/diamonds.js';
import { settled } from '../../testkit/service/train-prices.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import {
  beginTraining,
  firstToLog,
  type Instance,
  logged,
  startTwo,
  untilReadiness,
} from './instance.js';

const path = { projectName: 'default', modelName: 'prices' };

let database: PostgresDatabase;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(() => database.remove());

let stores = 0;
let both: [Instance, Instance];
beforeEach(async () => {
  stores += 1;
  both = await startTwo({ env: { DATABASE_URL: await database.create(`store_${stores}`) } });
});
afterEach(() => Promise.all(both.map((instance) => instance.kill())));

describe('a training', () => {
  test('is finished by the other instance when the instance that runs it is killed', async () => {
    const begun = await beginTraining(both[0], path, longTable);
    const [dying, other] = await firstToLog(both, 'training', path.modelName);
    await dying.kill();
    expect(await settled(other.roster, path, begun)).toMatchObject({
      status: 'ready',
      serving_version: 1,
    });
    expect(logged(other, 'training', path.modelName)).toMatchObject([{ attempt: 2 }]);
  });

  test('is handed over by an instance that shuts down, without counting as an attempt', async () => {
    const begun = await beginTraining(both[0], path, longTable);
    const [stopping, other] = await firstToLog(both, 'training', path.modelName);
    expect(await stopping.stop()).toBe(0);
    expect(await settled(other.roster, path, begun)).toMatchObject({ status: 'ready' });
    expect(logged(other, 'training', path.modelName)).toMatchObject([{ attempt: 1 }]);
  });
});

describe('a restart of the database', () => {
  test('makes the service unavailable, and the service recovers by itself', async () => {
    await database.stop();
    try {
      for (const instance of both) {
        const { error, response } = await untilReadiness(instance, 503);
        expect(error?.type).toBe('/problems/service-unavailable');
        expect(response.headers.get('Content-Type')).toMatch(/^application\/problem\+json/);
        expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
        const read = await instance.roster.GET('/projects');
        expect(read.error?.type).toBe('/problems/service-unavailable');
        const write = await instance.roster.POST('/projects', { body: { project: { name: 'p' } } });
        expect(write.error?.type).toBe('/problems/service-unavailable');
        expect((await instance.roster.GET('/health/live')).response.status).toBe(200);
      }
    } finally {
      await database.start();
    }
    for (const instance of both) {
      await untilReadiness(instance, 200);
      expect((await instance.roster.GET('/projects')).data).toMatchObject([{ name: 'default' }]);
    }
  });

  test('does not interrupt a training, even if it takes longer than a lease', async () => {
    const begun = await beginTraining(both[0], path, longTable);
    await firstToLog(both, 'training', path.modelName);
    await database.stop();
    await pause(2 * LEASE_MS);
    await database.start();
    await Promise.all(both.map((instance) => untilReadiness(instance, 200)));
    expect(await settled(both[1].roster, path, begun)).toMatchObject({ status: 'ready' });
    const attempts = both.flatMap((instance) => logged(instance, 'training', path.modelName));
    expect(attempts).toMatchObject([{ attempt: 1 }]);
  });
});
