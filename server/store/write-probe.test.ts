import { expect, test } from 'vitest';
import { WriteProbe } from './index.js';

const fullDisk = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

test('all who ask while a write is tried learn what became of it', async () => {
  const probe = new WriteProbe();
  probe.noteFailure(fullDisk);
  let writes = 0;
  const write = async () => {
    writes += 1;
    await Promise.resolve();
    throw fullDisk;
  };
  const both = await Promise.allSettled([probe.run(write), probe.run(write)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(writes).toBe(1);
  // The store is still suspected, and tried again until it writes.
  await probe.run(async () => {});
  await probe.run(write);
  expect(writes).toBe(1);
});
