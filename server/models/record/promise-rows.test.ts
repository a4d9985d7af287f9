import type { PromisePart, PromiseSubject } from 'roster-prediction/predicting';
import { expect, test } from 'vitest';
import { ClockWatch, DAY_MS } from '../../store/clock-watch.js';
import { forgetOld } from '../../store/forget-rows.js';
import { Store } from '../../store/index.js';
import { newResource } from '../../store/rows.js';
import { addPromises, newAnswerId, PROMISES } from './promise-rows.js';
import { addTruths } from './truth-rows.js';

const subject: PromiseSubject = {
  target: 'price',
  task: 'regression',
  reading: null,
  classes: [],
  columns: [],
  calibration: null,
  calibrated_rows: 0,
};

/** A batch of one row, whose interval is 1 to 3. */
function batch(): PromisePart {
  const promises = Buffer.alloc(16 + 4 * 10);
  promises.writeUInt8(2, 0);
  promises.writeUInt8(1, 1);
  promises.writeUInt32LE(1, 4);
  for (const [at, value] of [2, 1, 3, 0.9].entries()) promises.writeDoubleLE(value, 18 + 10 * at);
  return { kind: 'promises', first: 0, rows: 1, promises, ids: null, subject, hasNext: false };
}

test('old promises are swept, with what they count as stored, and the record keeps what they came to', async () => {
  const store = await Store.open(':memory:');
  const { work } = store;
  const [project] = await work.selectFrom('projects').select(['id', 'owner', 'name']).execute();
  if (!project) throw new Error('A store has a project');
  const { id, created_at } = newResource();
  await work.insertInto('models').values({ id, project_id: project.id, name: 'm', created_at }).execute();
  const version = { id: 'v', task: 'regression', model_id: id, version: 1 } as const;
  const answer = { id: newAnswerId(), owner: project.owner, project: project.name, version };
  await addPromises(store, answer, [batch()]);
  const target = { owner: project.owner, project: project.name, modelId: id };
  const add = (value: number) => {
    const truths = [{ line: 1, row: 0, value, isLatest: true }];
    return addTruths(store, target, [{ kind: 'answer', id: answer.id, truths }]);
  };
  expect(await add(2)).toMatchObject({ matched: 1 });

  const stored = () => work.selectFrom('owner_storage').select('bytes').executeTakeFirstOrThrow();
  const sweep = forgetOld(store, PROMISES, DAY_MS, new ClockWatch());
  expect(await sweep.step()).toBe(false);
  expect((await stored()).bytes).toBeGreaterThan(0);
  await work
    .updateTable('promises')
    .set(({ eb }) => ({ made_at: eb('made_at', '-', 2 * DAY_MS) }))
    .execute();
  expect(await sweep.step()).toBe(true);
  expect(await sweep.step()).toBe(false);
  expect((await stored()).bytes).toBe(0);
  expect(await work.selectFrom('promise_bytes').selectAll().execute()).toEqual([]);
  expect(await add(5)).toMatchObject({ matched: 0, unmet: [[1, 'unknown-id']] });
  const record = await work.selectFrom('records').select('state').executeTakeFirstOrThrow();
  expect(JSON.parse(record.state)).toMatchObject({ truths: 1, kept: 1 });
  await store.close();
});
