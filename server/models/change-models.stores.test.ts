import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { testedStore } from '../../contract-tests/tested-store.js';
import { addManyPromises } from '../../testkit/store/many-promises.js';
import type { OwnStore } from '../../testkit/store/own-store.js';
import { createProject, type Project } from '../projects/projects.js';
import { Store } from '../store/index.js';
import { deleteModel, deleteModelPart } from './change-models.js';
import { addVersion } from './training/begin-training.js';

const OWNER = 'ann';
const BATCHES = 600;

let database: OwnStore;
beforeAll(async () => {
  database = await testedStore();
});
afterAll(() => database.remove());

let store: Store;
let project: Project;
let id: string;
let versionId: string;
beforeEach(async () => {
  store = await Store.open(await database.empty());
  project = await createProject(store, OWNER, 'shop');
  const table = { target: 'price', task: 'regression', rowCount: 1, forecast: null } as const;
  const added = await store.transaction((tx) => addVersion(tx, project.id, 'm', table));
  id = added.modelId;
  versionId = added.versionId;
  await addManyPromises(store, { owner: OWNER, modelId: id }, BATCHES);
});
afterEach(() => store.close());

/** Returns the batches of promises that are left, and the bytes that the owner stores. */
async function countLeft() {
  const { count } = await store.work
    .selectFrom('promises')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  const { bytes } = await store.work
    .selectFrom('owner_storage')
    .select('bytes')
    .where('owner', '=', OWNER)
    .executeTakeFirstOrThrow();
  return { batches: Number(count), bytes: Number(bytes) };
}

test('a model of many promises is deleted in transactions of some of them each, which count what they took', async () => {
  const before = await countLeft();
  expect(before.batches).toBe(BATCHES);
  const deletePart = () => store.transaction((tx) => deleteModelPart(tx, project.id, { id, owner: OWNER }));
  expect(await deletePart()).toBeUndefined();
  const left = await countLeft();
  expect(left.batches).toBeGreaterThan(0);
  expect(left.bytes / left.batches).toBeCloseTo(before.bytes / before.batches, 6);
  expect(await deletePart()).toEqual([versionId]);
  expect(await countLeft()).toEqual({ batches: 0, bytes: 0 });
  // Another request has deleted it meanwhile.
  expect(await deletePart()).toEqual([]);
});

test('a model of many promises is deleted within one transaction, too', async () => {
  expect(await store.transaction((tx) => deleteModel(tx, project.id, 'm'))).toEqual([versionId]);
  expect(await countLeft()).toEqual({ batches: 0, bytes: 0 });
});
