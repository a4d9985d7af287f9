import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readInTime } from './read-body.js';

const SHORT = 50;
const LONG = 60_000;

test('a silent sender is given up', async () => {
  const stream = new PassThrough();
  stream.write('a');
  const bytes = readInTime(stream, { silence: SHORT, whole: LONG });
  const chunks = bytes[Symbol.asyncIterator]();
  expect((await chunks.next()).value).toEqual(Buffer.from('a'));
  await expect(chunks.next()).rejects.toMatchObject({ type: '/problems/request-timeout' });
  expect(stream.destroyed).toBe(true);
});

test('a sender who never finishes is given up', async () => {
  const stream = new PassThrough();
  const trickle = setInterval(() => stream.write('a'), SHORT / 10);
  const bytes = readInTime(stream, { silence: LONG, whole: SHORT });
  const read = async () => {
    for await (const _ of bytes);
  };
  await expect(read()).rejects.toMatchObject({ type: '/problems/request-timeout' });
  clearInterval(trickle);
});

test('a sender is not given up because of a slow reader', async () => {
  const stream = new PassThrough();
  stream.write('a');
  const bytes = readInTime(stream, { silence: SHORT, whole: LONG });
  const chunks = bytes[Symbol.asyncIterator]();
  await chunks.next();
  await pause(3 * SHORT);
  stream.end('b');
  expect((await chunks.next()).value).toEqual(Buffer.from('b'));
  expect((await chunks.next()).done).toBe(true);
});
