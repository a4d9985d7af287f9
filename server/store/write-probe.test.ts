import { expect, test, vi } from 'vitest';
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

test('a lock of another program counts when it is held for five seconds, and no longer when a write succeeds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const locked = Object.assign(new Error('database is locked'), { errcode: 5 });
    const probe = new WriteProbe();
    probe.noteFailure(locked);
    const write = async () => {
      throw locked;
    };
    await probe.run(write);
    vi.advanceTimersByTime(4999);
    await probe.run(write);
    vi.advanceTimersByTime(1);
    await expect(probe.run(write)).rejects.toThrow('database is locked');
    await probe.run(async () => {});
    // Another lock, later, has its own five seconds.
    vi.advanceTimersByTime(60_000);
    probe.noteFailure(locked);
    await probe.run(write);
  } finally {
    vi.useRealTimers();
  }
});
