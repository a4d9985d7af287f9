import { expect, test } from 'vitest';
import { onePromise } from '../../../testkit/prediction/one-promise.js';
import { ClockWatch, DAY_MS } from '../../store/clock-watch.js';
import { forgetOld } from '../../store/forget-rows.js';
import { Store } from '../../store/index.js';
import { newResource } from '../../store/rows.js';
import { addPromises, newAnswerId, PROMISES } from './promise-rows.js';
import { addTruths } from './truth-rows.js';

test('truths read the records of the versions that they belong to, and of no other', async () => {
  const store = await Store.open(':memory:');
  const { work } = store;
  const project = await work.selectFrom('projects').select(['id', 'owner', 'name']).executeTakeFirstOrThrow();
  const { id, created_at } = newResource();
  await work.insertInto('models').values({ id, project_id: project.id, name: 'm', created_at }).execute();
  const add = async (version: number) => {
    const answer = { id: newAnswerId(), owner: project.owner, project: project.name };
    await addPromises(store, { ...answer, version: { model_id: id, version } }, [onePromise()]);
    return { kind: 'answer', id: answer.id, truths: [{ line: version, row: 0, value: 2, isLatest: true }] } as const;
  };
  const first = await add(1);
  const second = await add(2);
  await add(3);
  // A record that cannot be read shows whether it is.
  await work.updateTable('records').set({ state: 'damaged' }).where('version', '=', 3).execute();
  const target = { owner: project.owner, project: project.name, modelId: id };
  expect(await addTruths(store, target, [first, second])).toMatchObject({ matched: 2, unmet: [] });
  await store.close();
});

test('old promises are swept, with what they count as stored, and the record keeps what they came to', async () => {
  const store = await Store.open(':memory:');
  const { work } = store;
  const [project] = await work.selectFrom('projects').select(['id', 'owner', 'name']).execute();
  if (!project) throw new Error('A store has a project');
  const { id, created_at } = newResource();
  await work.insertInto('models').values({ id, project_id: project.id, name: 'm', created_at }).execute();
  const version = { id: 'v', task: 'regression', model_id: id, version: 1 } as const;
  const answer = { id: newAnswerId(), owner: project.owner, project: project.name, version };
  await addPromises(store, answer, [onePromise()]);
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
