import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Store } from '../store/index.js';
import { Trainings } from './trainings.js';

test('a training begins while a large table is still being removed', async () => {
  const store = await Store.open(':memory:', { onError: () => {} });
  const discarded = await keepTable(store, 2000);
  await store.tables.discard(discarded);
  const tableId = await keepTable(store, 1);
  await store.transaction(async ({ projects, models }) => {
    const project = await projects.lock('local', 'default');
    if (!project) throw new Error('A new store has a project');
    await models.beginTraining(project.id, 'm', {
      target: 'y',
      task: 'regression',
      rowCount: 1,
      tableId,
    });
  });
  const trainings = new Trainings(store, pino({ enabled: false }), () => {});
  trainings.start();
  while ((await store.models.waitingTrainings()) > 0) await nextTurn();
  expect(await store.tables.sweep()).toBe(true);
  await trainings.stop();
  await store.close();
});

/** Writes a table with this number of parts; returns its id. */
async function keepTable({ tables }: Store, parts: number): Promise<string> {
  const tableId = await tables.begin('local');
  for (let position = 0; position < parts; position++) {
    await tables.addPart(tableId, position, new Uint8Array(1));
  }
  return tableId;
}
