import { expect, test } from 'vitest';
import { StoreBusyError } from './database/unavailable.js';
import { KeyedMutex } from './index.js';

/** Work that goes on until it is told to end. */
function heldWork() {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => held, end };
}

test('work under one key runs in order, one after the other; under another key it does not wait', async () => {
  const mutex = new KeyedMutex();
  const ran: string[] = [];
  const note = (what: string) => async () => {
    ran.push(what);
  };
  const first = heldWork();
  const done = [mutex.run('a', first.work), mutex.run('a', note('a2')), mutex.run('a', note('a3'))];
  await mutex.run('b', note('b'));
  expect(ran).toEqual(['b']);
  first.end();
  await Promise.all(done);
  expect(ran).toEqual(['b', 'a2', 'a3']);
});

test('work that fails lets the next begin', async () => {
  const mutex = new KeyedMutex();
  const fail = () => Promise.reject(new Error('failed'));
  const [failed, next] = [mutex.run('a', fail), mutex.run('a', async () => 'next')];
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('what would wait as one of too many is refused at once', async () => {
  const mutex = new KeyedMutex({ count: 1, time: 60_000 });
  const first = heldWork();
  const running = mutex.run('a', first.work);
  const waiting = mutex.run('a', async () => 'waited');
  await expect(mutex.run('a', async () => {})).rejects.toThrow(StoreBusyError);
  expect(await mutex.run('b', async () => 'other')).toBe('other');
  first.end();
  await running;
  expect(await waiting).toBe('waited');
  expect(await mutex.run('a', async () => 'again')).toBe('again');
});

test('what waits for too long is refused, and never begins', async () => {
  const mutex = new KeyedMutex({ count: 10, time: 1 });
  const first = heldWork();
  const running = mutex.run('a', first.work);
  let hasBegun = false;
  const late = mutex.run('a', async () => {
    hasBegun = true;
  });
  await expect(late).rejects.toThrow(StoreBusyError);
  first.end();
  await running;
  expect(await mutex.run('a', async () => 'again')).toBe('again');
  expect(hasBegun).toBe(false);
});
