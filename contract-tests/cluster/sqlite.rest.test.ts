/** Tests that two instances on one SQLite file act as one service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { longTable } from '../../testkit/data/diamonds.js';
import { settled, trainPrices } from '../../testkit/service/train-prices.js';
import { beginTraining, expectLogged, firstToLog, type Instance, startTwo } from './instance.js';

let folder: string;
let both: [Instance, Instance];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-instances-'));
  both = await startTwo({ databaseFile: join(folder, 'roster.db') });
});
afterAll(async () => {
  await Promise.all(both.map((instance) => instance.kill()));
  await rm(folder, { recursive: true });
});

const path = { projectName: 'default', modelName: 'prices' };

test('a training is run by exactly one instance', async () => {
  const models = ['a', 'b', 'c', 'd'].map((modelName) => ({ ...path, modelName }));
  for (const [index, model] of models.entries()) {
    const trained = await trainPrices(both[index % 2 === 0 ? 0 : 1].roster, model);
    expect(trained.status).toBe('ready');
  }
  for (const { modelName } of models) {
    await expectLogged(both, 'training', modelName, [{ attempt: 1 }]);
  }
});

test('a training is finished by the other instance when the instance that runs it is killed', async () => {
  const begun = await beginTraining(both[0], path, longTable);
  const [dying, other] = await firstToLog(both, 'training', path.modelName);
  await dying.kill();
  expect(await settled(other.roster, path, begun)).toMatchObject({ status: 'ready' });
  await expectLogged([other], 'training', path.modelName, [{ attempt: 2 }]);
});
