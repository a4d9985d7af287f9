/** Two instances on one SQLite file are one service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settled, slowTable, someDiamonds, trainPrices } from '../diamonds.js';
import { firstToLog, type Instance, logged, startTwo } from './instance.js';

let folder: string;
let both: [Instance, Instance];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-instances-'));
  both = await startTwo({ databaseFile: join(folder, 'roster.db') });
});
afterEach(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await rm(folder, { recursive: true });
});

const path = { projectName: 'default', modelName: 'prices' };

test('a training is run by exactly one of them', async () => {
  const models = ['a', 'b', 'c', 'd'].map((modelName) => ({ ...path, modelName }));
  for (const [index, model] of models.entries()) {
    const trained = await trainPrices(
      both[index % 2 === 0 ? 0 : 1].roster,
      model,
      someDiamonds(500),
    );
    expect(trained.status).toBe('ready');
  }
  const begun = both.flatMap((instance) => logged(instance, 'training'));
  expect(begun.map(({ attempt }) => attempt)).toEqual(models.map(() => 1));
});

test('a training is finished by the other when the instance that runs it is killed', async () => {
  const { data } = await both[0].roster.PUT('/api/projects/{projectName}/models/{modelName}', {
    params: { path, query: { target: 'price' } },
    body: slowTable(),
    headers: { 'Content-Type': 'text/csv' },
  });
  if (!data) throw new Error('The training did not begin');
  const [dying, other] = await firstToLog(both, 'training');
  await dying.kill();
  expect(await settled(other.roster, path, data)).toMatchObject({ status: 'ready' });
  expect(logged(other, 'training')).toMatchObject([{ attempt: 2 }]);
});
