import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, findProjectRow } from '../projects/projects.js';
import { Store } from './index.js';
import { hasKeys } from './keys.js';

let folder: string;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-turns-'));
  store = await Store.open(`file:${join(folder, 'roster.db')}`);
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Begins a write that stays open until it is ended explicitly. */
async function openWrite(owner: string, project: string, work = async (_: Store) => {}) {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  let began = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const done = store.transaction(
    async (store) => {
      await work(store);
      began();
      await held;
    },
    { owner, project },
  );
  return { begun, end, done };
}

test('reads do not wait for an open transaction, and see nothing of it until it ends', async () => {
  const write = await openWrite('ann', 'large', async (store) => {
    await createProject(store, 'ann', 'new');
  });
  await write.begun;
  expect(await findProjectRow(store, 'local', 'default')).toMatchObject({ name: 'default' });
  expect(await findProjectRow(store, 'ann', 'new')).toBeUndefined();
  expect(await hasKeys(store)).toBe(false);
  await store.ping();
  write.end();
  await write.done;
  expect(await findProjectRow(store, 'ann', 'new')).toMatchObject({ name: 'new' });
});

test('a write waits for at most one write of each other owner, however many wait', async () => {
  const first = await openWrite('ann', 'one');
  await first.begun;
  const order: string[] = [];
  const note = (owner: string, project: string) =>
    store.transaction(
      async () => {
        order.push(`${owner}/${project}`);
      },
      { owner, project },
    );
  const others = ['two', 'three', 'four'].map((project) => note('ann', project));
  const victim = note('bob', 'default');
  first.end();
  await Promise.all([first.done, victim, ...others]);
  expect(order[0]).toBe('bob/default');
});

test('a write that would wait behind 256 others of its owner is refused, and no other', async () => {
  const first = await openWrite('ann', 'one');
  await first.begun;
  const nothing = async () => {};
  const target = { owner: 'ann', project: 'two' };
  const waiting = Array.from({ length: 256 }, () => store.transaction(nothing, target));
  await expect(store.transaction(nothing, target)).rejects.toMatchObject({
    type: '/problems/service-unavailable',
    message: '256 writes already wait for their turn; try again later.',
  });
  const other = store.transaction(async () => 'done', { owner: 'bob' });
  first.end();
  expect(await other).toBe('done');
  await Promise.all([first.done, ...waiting]);
});
