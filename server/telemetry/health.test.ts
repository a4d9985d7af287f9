import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Readiness } from './health.js';

let failure: Error | undefined;
let probes: number;
let readiness: Readiness;
beforeEach(() => {
  vi.useFakeTimers();
  failure = undefined;
  probes = 0;
  readiness = new Readiness(async () => {
    probes += 1;
    if (failure) throw failure;
  });
});
afterEach(() => vi.useRealTimers());

/** Returns whether the service reports itself ready. */
const isReady = () =>
  readiness.check().then(
    () => true,
    () => false,
  );
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

test('the first result is reported at once', async () => {
  failure = new Error('down');
  expect(await isReady()).toBe(false);
});

test('however many ask, the store is probed once a second', async () => {
  await Promise.all(Array.from({ length: 50 }, isReady));
  await seconds(0.9);
  await isReady();
  expect(probes).toBe(1);
  await seconds(0.1);
  await isReady();
  expect(probes).toBe(2);
});

test('a request during a probe waits for that probe', async () => {
  let finish = () => {};
  readiness = new Readiness(() => {
    probes += 1;
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  const first = isReady();
  await seconds(10);
  const second = isReady();
  finish();
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(probes).toBe(1);
});

test('one differing result changes nothing', async () => {
  expect(await isReady()).toBe(true);
  failure = new Error('for a moment');
  await seconds(1);
  expect(await isReady()).toBe(true);
  failure = undefined;
  await seconds(1);
  expect(await isReady()).toBe(true);
});

test('a change is reported a second after its first result, even without requests in between', async () => {
  expect(await isReady()).toBe(true);
  failure = new Error('for good');
  await seconds(10);
  expect(await isReady()).toBe(true);
  await seconds(1);
  expect(await isReady()).toBe(false);
  failure = undefined;
  await seconds(1);
  expect(await isReady()).toBe(false);
  await seconds(1);
  expect(await isReady()).toBe(true);
});

test.each([
  [Object.assign(new Error('lock'), { code: '55P03' }), 'it is locked or overloaded'],
  [Object.assign(new Error('full'), { errcode: 13 }), 'its disk is full or read-only;'],
  [Object.assign(new Error('busy'), { errcode: 5 }), 'takes no writes: another program locks it;'],
  [Object.assign(new Error('replica'), { code: '25006' }), 'its disk is full or read-only;'],
  [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'The store does not answer;'],
])('the refusal states the cause: %s', async (error, words) => {
  failure = error;
  await expect(readiness.check()).rejects.toThrow(words);
});

test('a change of the answer is noted once, with what the store said', async () => {
  const noted: unknown[] = [];
  readiness = new Readiness(
    async () => {
      if (failure) throw failure;
    },
    (cause) => noted.push(cause),
  );
  expect(await isReady()).toBe(true);
  failure = new Error('gone');
  for (let second = 0; second < 5; second += 1) {
    await seconds(1);
    await isReady();
  }
  expect(noted).toEqual([failure]);
  const cause = failure;
  failure = undefined;
  for (let second = 0; second < 5; second += 1) {
    await seconds(1);
    await isReady();
  }
  expect(noted).toEqual([cause, undefined]);
});
