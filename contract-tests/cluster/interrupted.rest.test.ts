/** Tests of the work of an instance that ends, or that loses its database. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LEASE_MS } from '../../server/models/training/trainings.js';
import { longTable } from '../../testkit/data/diamonds.js';
import type { ServerOptions } from '../../testkit/service/server-process.js';
import { settled } from '../../testkit/service/train-prices.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import {
  beginTraining,
  expectLogged,
  firstToLog,
  type Instance,
  startInstance,
  startTwo,
  untilReadiness,
} from './instance.js';

let database: PostgresDatabase;
let options: ServerOptions;
let both: [Instance, Instance];
/** The instances that a test has ended; the next test gets others in their places. */
const ended = new Set<Instance>();
beforeAll(async () => {
  database = await startPostgres();
  options = { env: { DATABASE_URL: database.url } };
  both = await startTwo(options);
});
beforeEach(async () => {
  for (const index of [0, 1] as const) {
    if (ended.has(both[index])) both[index] = await startInstance(options);
  }
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await database.remove();
});

const modelOf = (modelName: string) => ({ projectName: 'default', modelName });

describe('a training', () => {
  test('is finished by the other instance when the instance that runs it is killed', async () => {
    const path = modelOf('finished');
    const begun = await beginTraining(both[0], path, longTable);
    const [dying, other] = await firstToLog(both, 'training', path.modelName);
    ended.add(dying);
    await dying.kill();
    expect(await settled(other.roster, path, begun)).toMatchObject({ status: 'ready', serving_version: 1 });
    await expectLogged([other], 'training', path.modelName, [{ attempt: 2 }]);
  });

  test('is handed over by an instance that shuts down, without counting as an attempt', async () => {
    const path = modelOf('handed_over');
    const begun = await beginTraining(both[0], path, longTable);
    const [stopping, other] = await firstToLog(both, 'training', path.modelName);
    ended.add(stopping);
    expect(await stopping.stop()).toBe(0);
    expect(await settled(other.roster, path, begun)).toMatchObject({ status: 'ready' });
    await expectLogged([other], 'training', path.modelName, [{ attempt: 1 }]);
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

  test('as a read-only replica makes the service not ready, while it reads, until it takes writes again', async () => {
    const [{ roster }] = both;
    const client = new pg.Client(database.url);
    await client.connect();
    const makeReadOnly = async (isReadOnly: boolean) => {
      await client.query(`alter system set default_transaction_read_only = ${isReadOnly}`);
      await client.query('select pg_reload_conf()');
    };
    try {
      await makeReadOnly(true);
      let names = 0;
      const create = () => {
        names += 1;
        return roster.POST('/projects', { body: { project: { name: `replica_${names}` } } });
      };
      await expect.poll(async () => (await create()).response.status).toBe(503);
      const { error } = await untilReadiness(both[0], 503);
      expect(error?.detail).toContain('takes no writes');
      expect((await roster.GET('/projects')).response.status).toBe(200);
      await makeReadOnly(false);
      await untilReadiness(both[0], 200);
      await expect.poll(async () => (await create()).response.status).toBe(201);
    } finally {
      await makeReadOnly(false);
      await client.end();
    }
  });

  test('does not interrupt a training, even if it takes longer than a lease', async () => {
    const path = modelOf('continued');
    const begun = await beginTraining(both[0], path, longTable);
    await firstToLog(both, 'training', path.modelName);
    await database.stop();
    await pause(2 * LEASE_MS);
    await database.start();
    await Promise.all(both.map((instance) => untilReadiness(instance, 200)));
    expect(await settled(both[1].roster, path, begun)).toMatchObject({ status: 'ready' });
    await expectLogged(both, 'training', path.modelName, [{ attempt: 1 }]);
  });
});
