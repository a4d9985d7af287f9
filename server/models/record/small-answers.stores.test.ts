import type { RememberedPart } from 'roster-prediction/predicting';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testedStore } from '../../../contract-tests/tested-store.js';
import { onePromise } from '../../../testkit/prediction/one-promise.js';
import type { OwnStore } from '../../../testkit/store/own-store.js';
import { createProject } from '../../projects/projects.js';
import { createAct } from '../../store/audit.js';
import { Store } from '../../store/index.js';
import { newResource } from '../../store/rows.js';
import { groupPromises, readDriftRows } from './group-promises.js';
import { newAnswerId, type RememberedAnswer } from './promise-rows.js';
import { readPromisedIds } from './promised-ids.js';
import { SmallAnswers } from './small-answers.js';
import { addTruths } from './truth-rows.js';

const OWNER = 'ann';

let database: OwnStore;
beforeAll(async () => {
  database = await testedStore();
});
afterAll(() => database.remove());

let store: Store;
let small: SmallAnswers;
let modelId: string;
beforeEach(async () => {
  store = await Store.open(await database.empty());
  small = new SmallAnswers(store);
  const project = await createProject(store, OWNER, 'shop');
  const { id, created_at } = newResource();
  await store.work.insertInto('models').values({ id, project_id: project.id, name: 'm', created_at }).execute();
  modelId = id;
});
afterEach(() => store.close());

const describeAnswer = (): Omit<RememberedAnswer, 'id'> => ({
  owner: OWNER,
  project: 'shop',
  act: createAct(OWNER, 'predict', '/projects/shop/models/m/predict'),
  version: { model_id: modelId, version: 1 },
});

/** Remembers a row; returns the id of its answer, and its number there. */
async function remember(make = (first: number): RememberedPart => onePromise(first), hasIds = false) {
  const { place } = await small.add(describeAnswer(), hasIds, async (place) => {
    return { place, promises: [make(place.first)] };
  });
  return place;
}

const addTruth = ({ answer, first }: { answer: string; first: number }, value: number) => {
  const truths = [{ line: 1, row: first, value, isLatest: true }];
  return addTruths(store, { owner: OWNER, project: 'shop', modelId }, [{ kind: 'answer', id: answer, truths }]);
};

const listBatches = async () => {
  const rows = await store.work
    .selectFrom('promises')
    .select(['first_row', 'row_count', 'bytes'])
    .orderBy('id')
    .execute();
  return rows.map(({ first_row, row_count, bytes }) => ({ first_row, row_count, bytes: Number(bytes) }));
};

test('single rows of a model are stored together, count at most 100 bytes each, and have one event', async () => {
  const one = await remember();
  const many = await Promise.all(Array.from({ length: 99 }, () => remember()));
  const places = [one, ...many];
  expect(new Set(places.map(({ answer }) => answer)).size).toBe(1);
  expect(places.map(({ first }) => first)).toEqual(Array.from({ length: 100 }, (_, row) => row));
  const batches = await listBatches();
  expect(batches.reduce((sum, { row_count }) => sum + row_count, 0)).toBe(100);
  const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0);
  expect(bytes).toBeLessThanOrEqual(100 * 100);
  const stored = await store.work.selectFrom('owner_storage').select('bytes').executeTakeFirstOrThrow();
  expect(Number(stored.bytes)).toBe(bytes);
  expect(await store.work.selectFrom('audit_events').select('operation').execute()).toEqual([{ operation: 'predict' }]);
  for (const place of [places[0], places[99]]) {
    expect(place && (await addTruth(place, 2))).toMatchObject({ matched: 1, unmet: [] });
  }
});

test('a row that comes after a truth of its batch meets a truth, too', async () => {
  const first = await remember();
  expect(await addTruth(first, 2)).toMatchObject({ matched: 1 });
  const second = await remember();
  expect(await addTruth(second, 5)).toMatchObject({ matched: 1 });
  expect(await addTruth(first, 2)).toMatchObject({ unchanged: 1 });
  expect(await listBatches()).toMatchObject([{ row_count: 1 }, { first_row: 1, row_count: 1 }]);
});

test('an answer that fails leaves no gap in the numbers', async () => {
  await remember();
  const failed = small.add(describeAnswer(), false, () => Promise.reject(new Error('cannot be read')));
  await expect(failed).rejects.toThrow('cannot be read');
  expect(await remember()).toMatchObject({ first: 1 });
  expect(await listBatches()).toMatchObject([{ first_row: 0, row_count: 2 }]);
});

test('rows that find no room are not stored, and those that follow are', async () => {
  const setStored = (bytes: number) => store.work.updateTable('owner_storage').set({ bytes }).execute();
  await remember();
  await setStored(store.limits.stored);
  await expect(remember()).rejects.toThrow('may hold');
  await setStored(0);
  expect(await remember()).toMatchObject({ first: 2 });
  expect(await listBatches()).toMatchObject([
    { first_row: 0, row_count: 1 },
    { first_row: 2, row_count: 1 },
  ]);
});

test('of rows with one id, the latest is in the latest batch, whatever body it came in', async () => {
  const own = { id: 7 };
  const rememberOwn = () => remember((first) => onePromise(first, own), true);
  await rememberOwn();
  await rememberOwn();
  await small.addLarge({ ...describeAnswer(), id: newAnswerId() }, [onePromise(0, own)]);
  await rememberOwn();
  const sizes: number[] = [];
  for await (const { batches } of readPromisedIds(
    store,
    { modelId, isForecast: false },
    new AbortController().signal,
  )) {
    sizes.push(...batches.map(({ rows }) => rows));
  }
  expect(sizes).toEqual([1, 1, 2]);
});

describe('what reads all promises ends when the caller has gone:', () => {
  const gone = new Error('The caller has gone.');

  test('the ids among which those of truths are looked for', async () => {
    await remember((first) => onePromise(first, { id: 7 }), true);
    const caller = new AbortController();
    const ids = readPromisedIds(store, { modelId, isForecast: false }, caller.signal);
    expect(await ids.next()).toMatchObject({ done: false });
    caller.abort(gone);
    await expect(ids.next()).rejects.toBe(gone);
  });

  test('the groups of a record, and the rows that drift compares', async () => {
    await remember();
    const { subject } = onePromise();
    if (!subject) throw new Error('The first batch has the subject');
    const column = { name: 'x', kind: 'number', part: null, cuts: [], categories: null } as const;
    const compared = { ...subject, columns: [column] };
    const address = { modelId, version: 1 };
    const signal = AbortSignal.abort(gone);
    await expect(groupPromises(store, address, subject, 'day', signal)).rejects.toBe(gone);
    await expect(readDriftRows(store, address, compared, signal)).rejects.toBe(gone);
  });
});
