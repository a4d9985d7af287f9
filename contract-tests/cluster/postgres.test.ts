/** Tests that two instances on one PostgreSQL database act as one service. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneDiamond, slowTable } from '../../testkit/data/diamonds.js';
import { startServer } from '../../testkit/service/server-process.js';
import { settled, trainPrices } from '../../testkit/service/train-prices.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { beginTraining, firstToLog, type Instance, logged, startTwo } from './instance.js';

const MODEL = '/api/projects/{projectName}/models/{modelName}';
const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';
const prices = { projectName: 'default', modelName: 'prices' };

let database: PostgresDatabase;
let both: [Instance, Instance];
beforeAll(async () => {
  database = await startPostgres();
  both = await startTwo({ env: { DATABASE_URL: database.url } });
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await database.remove();
});

async function price({ roster }: Instance): Promise<unknown> {
  const { data } = await roster.POST(PREDICT, { params: { path: prices }, body: [oneDiamond] });
  return data?.[0]?.price;
}

test('two instances that start at the same time on an empty database create its tables once', async () => {
  for (const { roster } of both) {
    const { data } = await roster.GET('/projects');
    expect(data).toMatchObject([{ name: 'default' }]);
  }
});

test('a name that both instances create at the same time is created once', async () => {
  const params = { path: { project_name: 'default' } };
  for (let round = 0; round < 20; round++) {
    const body = { skill: { name: `skill_${round}`, type: 'lookup' } };
    const answers = await Promise.all(
      both.map(({ roster }) => roster.POST('/projects/{project_name}/skills', { params, body })),
    );
    expect(answers.map(({ response }) => response.status).sort()).toEqual([201, 409]);
  }
  const { data } = await both[0].roster.GET('/projects/{project_name}/skills', { params });
  expect(data).toHaveLength(20);
});

test('a project that both instances create at the same time is created once', async () => {
  for (let round = 0; round < 20; round++) {
    const body = { project: { name: `project_${round}` } };
    const answers = await Promise.all(both.map(({ roster }) => roster.POST('/projects', { body })));
    expect(answers.map(({ response }) => response.status).sort()).toEqual([201, 409]);
  }
});

test('changes that both instances make to one agent at the same time are all kept', async () => {
  const params = { path: { project_name: 'default' } };
  const agent = { path: { project_name: 'default', agent_name: 'analyst' } };
  const [{ roster }] = both;
  await roster.POST('/projects/{project_name}/agents', {
    params,
    body: { agent: { name: 'analyst' } },
  });
  const names = Array.from({ length: 20 }, (_, index) => `added_${index}`);
  for (const name of names) {
    await roster.POST('/projects/{project_name}/skills', {
      params,
      body: { skill: { name, type: 'lookup' } },
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
  test('is run by exactly one instance', async () => {
    const models = ['a', 'b', 'c', 'd', 'e', 'f'].map((modelName) => ({ ...prices, modelName }));
    const trained = await Promise.all(
      models.map((model, index) => trainPrices(both[index % 2 === 0 ? 0 : 1].roster, model)),
    );
    expect(trained.map(({ status }) => status)).toEqual(models.map(() => 'ready'));
    for (const { modelName } of models) {
      const begun = both.flatMap((instance) => logged(instance, 'training', modelName));
      expect(begun).toMatchObject([{ attempt: 1 }]);
    }
  });

  test('shows its progress on the other instance, and is cancelled when the model is deleted there', async () => {
    const path = { ...prices, modelName: 'slow' };
    await beginTraining(both[0], path, slowTable());
    const [running, other] = await firstToLog(both, 'training', path.modelName);
    for (;;) {
      const { data } = await other.roster.GET(MODEL, { params: { path } });
      if (data?.status !== 'training') throw new Error('It ended before it showed any progress');
      if (data.progress > 0) break;
      await pause(20);
    }
    const { response } = await other.roster.DELETE(MODEL, { params: { path } });
    expect(response.status).toBe(204);
    await firstToLog([running, running], 'training cancelled', path.modelName);
    expect((await running.roster.GET(MODEL, { params: { path } })).response.status).toBe(404);
    const again = await trainPrices(running.roster, path);
    expect(again).toMatchObject({ status: 'ready', version: 1 });
  });

  test('makes a model that answers on both instances as soon as it is ready', async () => {
    const [one, other] = both;
    await trainPrices(one.roster, prices);
    const first = await price(other);
    expect(first).toEqual(await price(one));

    const table = Array.from({ length: 300 }, (_, row) => `${row / 100},${1_000_000 + row}`);
    const begun = await beginTraining(one, prices, `carat,price\n${table.join('\n')}`);
    await settled(other.roster, prices, begun);
    expect(await price(other)).toBeGreaterThan(900_000);
    expect(await price(one)).toEqual(await price(other));
  });
});

test('a missing database stops the start, and one line says how to create it', async () => {
  const { href } = new URL('/nowhere', await database.create('beside_nowhere'));
  await expect(startServer({ env: { DATABASE_URL: href } })).rejects.toThrow(
    /Roster did not start: .*\/nowhere \(DATABASE_URL\) cannot be opened: the database does not exist; make it with createdb\n?$/,
  );
});
