/** Two instances on one PostgreSQL are one service. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RosterClient } from 'roster-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LEASE } from '../../server/models/trainings.js';
import { oneDiamond, settled, slowTable, someDiamonds, trainPrices } from '../diamonds.js';
import { type PostgresDatabase, startPostgres } from '../targets/postgres-database.js';
import { startServer } from '../targets/server-process.js';
import { firstToLog, type Instance, logged, startTwo, untilReadiness } from './instance.js';

const MODEL = '/api/projects/{projectName}/models/{modelName}';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
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

async function train(roster: RosterClient, table: string) {
  const { data, error } = await roster.PUT(MODEL, {
    params: { path, query: { target: 'price' } },
    body: table,
    headers: { 'Content-Type': 'text/csv' },
  });
  if (error !== undefined) throw new Error(error.detail);
  return data;
}

async function price({ roster }: Instance): Promise<unknown> {
  const { data } = await roster.POST(PREDICT, { params: { path }, body: [oneDiamond] });
  return data?.[0]?.price;
}

test('two that start at once on an empty database make its tables once', async () => {
  for (const { roster } of both) {
    const { data } = await roster.GET('/projects');
    expect(data).toMatchObject([{ name: 'default' }]);
  }
});

test('a name that both create at once is created once', async () => {
  const params = { path: { project_name: 'default' } };
  for (let round = 0; round < 20; round++) {
    const body = { skill: { name: `skill_${round}`, type: 'sql' } };
    const answers = await Promise.all(
      both.map(({ roster }) => roster.POST('/projects/{project_name}/skills', { params, body })),
    );
    expect(answers.map(({ response }) => response.status).sort()).toEqual([201, 409]);
  }
  const { data } = await both[0].roster.GET('/projects/{project_name}/skills', { params });
  expect(data).toHaveLength(20);
});

test('a project that both create at once is created once', async () => {
  for (let round = 0; round < 20; round++) {
    const body = { project: { name: `project_${round}` } };
    const answers = await Promise.all(both.map(({ roster }) => roster.POST('/projects', { body })));
    expect(answers.map(({ response }) => response.status).sort()).toEqual([201, 409]);
  }
});

test('what both add to one agent at once is all there', async () => {
  const params = { path: { project_name: 'default' } };
  const agent = { path: { project_name: 'default', agent_name: 'analyst' } };
  const [{ roster }] = both;
  await roster.POST('/projects/{project_name}/agents', {
    params,
    body: { agent: { name: 'analyst' } },
  });
  const names = Array.from({ length: 20 }, (_, index) => `skill_${index}`);
  for (const name of names) {
    await roster.POST('/projects/{project_name}/skills', {
      params,
      body: { skill: { name, type: 'sql' } },
    });
  }
  await Promise.all(
    names.map((name, index) =>
      both[index % 2 === 0 ? 0 : 1].roster.PUT('/projects/{project_name}/agents/{agent_name}', {
        params: agent,
        body: { agent: { skills_to_add: [name], settings: { [name]: index } } },
      }),
    ),
  );
  const { data } = await roster.GET('/projects/{project_name}/agents/{agent_name}', {
    params: agent,
  });
  expect(data?.skills.map(({ name }) => name).sort()).toEqual(names.toSorted());
  expect(Object.keys(data?.settings ?? {}).sort()).toEqual(names.toSorted());
});

describe('a training', () => {
  test('is run by exactly one of them', async () => {
    const models = ['a', 'b', 'c', 'd', 'e', 'f'].map((modelName) => ({ ...path, modelName }));
    const trained = await Promise.all(
      models.map((model, index) =>
        trainPrices(both[index % 2 === 0 ? 0 : 1].roster, model, someDiamonds(500)),
      ),
    );
    expect(trained.map(({ status }) => status)).toEqual(models.map(() => 'ready'));
    const begun = both.flatMap((instance) => logged(instance, 'training'));
    expect(begun.map(({ attempt }) => attempt)).toEqual(models.map(() => 1));
    expect(begun.map(({ model }) => model).sort()).toEqual(
      models.map(({ modelName }) => modelName),
    );
  });

  test('is finished by the other when the instance that runs it is killed', async () => {
    const begun = await train(both[0].roster, slowTable());
    const [dying, other] = await firstToLog(both, 'training');
    await dying.kill();
    expect(await settled(other.roster, path, begun)).toMatchObject({
      status: 'ready',
      serving_version: 1,
    });
    expect(logged(other, 'training')).toMatchObject([{ attempt: 2 }]);
  });

  test('is left to the other by an instance that stops, and that was no attempt', async () => {
    const begun = await train(both[0].roster, slowTable());
    const [stopping, other] = await firstToLog(both, 'training');
    expect(await stopping.stop()).toBe(0);
    expect(await settled(other.roster, path, begun)).toMatchObject({ status: 'ready' });
    expect(logged(other, 'training')).toMatchObject([{ attempt: 1 }]);
  });

  test('shows its progress on the other', async () => {
    await train(both[0].roster, slowTable());
    const [, other] = await firstToLog(both, 'training');
    for (;;) {
      const { data } = await other.roster.GET(MODEL, { params: { path } });
      if (data?.status !== 'training') throw new Error('It ended before it showed any progress');
      if (data.progress > 0) break;
      await pause(20);
    }
  });

  test('is cancelled by deleting the model on the other', async () => {
    await train(both[0].roster, slowTable());
    const [running, other] = await firstToLog(both, 'training');
    const { response } = await other.roster.DELETE(MODEL, { params: { path } });
    expect(response.status).toBe(204);
    await firstToLog([running, running], 'training cancelled');
    expect((await running.roster.GET(MODEL, { params: { path } })).response.status).toBe(404);
    const again = await trainPrices(running.roster, path, someDiamonds(300));
    expect(again).toMatchObject({ status: 'ready', version: 1 });
  });

  test('makes a model that answers on both as soon as it is ready', async () => {
    const [one, other] = both;
    await trainPrices(one.roster, path, someDiamonds(300));
    const first = await price(other);
    expect(first).toEqual(await price(one));

    const table = Array.from({ length: 300 }, (_, row) => `${row / 100},${1_000_000 + row}`);
    await settled(other.roster, path, await train(one.roster, `carat,price\n${table.join('\n')}`));
    expect(await price(other)).toBeGreaterThan(900_000);
    expect(await price(one)).toEqual(await price(other));
  });
});

describe('a database that restarts', () => {
  test('is away to those who ask, and there again without a hand', async () => {
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

  test('does not disturb a training, even where it was away for longer than a lease', async () => {
    const begun = await train(both[0].roster, slowTable());
    await firstToLog(both, 'training');
    await database.stop();
    await pause(2 * LEASE);
    await database.start();
    await Promise.all(both.map((instance) => untilReadiness(instance, 200)));
    expect(await settled(both[1].roster, path, begun)).toMatchObject({ status: 'ready' });
    const attempts = both.flatMap((instance) => logged(instance, 'training'));
    expect(attempts).toMatchObject([{ attempt: 1 }]);
  });
});

test('a database that was not made yet stops the start with a line that says how to make it', async () => {
  const { href } = new URL('/nowhere', await database.create('beside_nowhere'));
  await expect(startServer({ env: { DATABASE_URL: href } })).rejects.toThrow(
    /Roster did not start: .*\/nowhere \(DATABASE_URL\) cannot be opened: the database does not exist; make it with createdb\n?$/,
  );
});
