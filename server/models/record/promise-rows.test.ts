import { joinPromises } from 'roster-prediction/predicting';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onePromise } from '../../../testkit/prediction/one-promise.js';
import { ClockWatch, DAY_MS } from '../../store/clock-watch.js';
import { forgetOld } from '../../store/forget-rows.js';
import { Store } from '../../store/index.js';
import { newResource } from '../../store/rows.js';
import { addPromises, newAnswerId, PROMISES } from './promise-rows.js';
import { addTruths, type TruthTarget } from './truth-rows.js';

let store: Store;
let target: TruthTarget;
beforeEach(async () => {
  store = await Store.open(':memory:');
  const { work } = store;
  const project = await work.selectFrom('projects').select(['id', 'owner', 'name']).executeTakeFirstOrThrow();
  const { id, created_at } = newResource();
  await work.insertInto('models').values({ id, project_id: project.id, name: 'm', created_at }).execute();
  target = { owner: project.owner, project: project.name, modelId: id };
});
afterEach(() => store.close());

/** Remembers a batch of a version; returns the id of its answer. */
async function remember(version = 1, batch = onePromise()): Promise<string> {
  const id = newAnswerId();
  await addPromises(store, { ...target, id, version: { model_id: target.modelId, version } }, [batch]);
  return id;
}

/** The truths of the first rows of an answer. */
function truthsOf(id: string, values: readonly number[]) {
  const truths = values.map((value, row) => ({ line: row + 1, row, value, isLatest: true }));
  return { kind: 'answer', id, truths } as const;
}

test('truths read the records of the versions that they belong to, and of no other', async () => {
  const groups = [truthsOf(await remember(1), [2]), truthsOf(await remember(2), [2])];
  await remember(3);
  // A record that cannot be read shows whether it is.
  await store.work.updateTable('records').set({ state: 'damaged' }).where('version', '=', 3).execute();
  expect(await addTruths(store, target, groups)).toMatchObject({ matched: 2, unmet: [] });
});

test('truths of one batch let other requests run while they are added', async () => {
  const rows = 1024;
  const one = onePromise();
  const promises = joinPromises(Array.from({ length: rows }, () => one.promises));
  if (!promises) throw new Error('Batches of one form can be joined');
  const id = await remember(1, { ...one, rows, promises });
  const pause = vi.fn(() => Promise.resolve());
  const values = Array.from({ length: rows }, () => 2);
  const added = await addTruths(store, target, [truthsOf(id, values)], pause);
  expect(added).toMatchObject({ matched: rows });
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(rows / 64);
});

test('old promises are swept, with what they count as stored, and the record keeps what they came to', async () => {
  const { work } = store;
  const id = await remember();
  const add = (value: number) => addTruths(store, target, [truthsOf(id, [value])]);
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
});
