import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { boundUnreadRest, unreadBody } from './unread-body.js';

const SHORT = 50;
const LONG = 60_000;

test('a sender who keeps silent is given up', async () => {
  const stream = new PassThrough();
  stream.write('a');
  const { bytes } = unreadBody('text/csv', stream, { silence: SHORT, whole: LONG });
  const chunks = bytes[Symbol.asyncIterator]();
  expect((await chunks.next()).value).toEqual(Buffer.from('a'));
  await expect(chunks.next()).rejects.toMatchObject({ type: '/problems/request-timeout' });
  expect(stream.destroyed).toBe(true);
});

test('a sender who never comes to an end is given up', async () => {
  const stream = new PassThrough();
  const trickle = setInterval(() => stream.write('a'), SHORT / 10);
  const { bytes } = unreadBody('text/csv', stream, { silence: LONG, whole: SHORT });
  const read = async () => {
    for await (const _ of bytes);
  };
  await expect(read()).rejects.toMatchObject({ type: '/problems/request-timeout' });
  clearInterval(trickle);
});

test('a sender is not given up because nobody takes what was sent', async () => {
  const stream = new PassThrough();
  stream.write('a');
  const { bytes } = unreadBody('text/csv', stream, { silence: SHORT, whole: LONG });
  const chunks = bytes[Symbol.asyncIterator]();
  await chunks.next();
  await pause(3 * SHORT);
  stream.end('b');
  expect((await chunks.next()).value).toEqual(Buffer.from('b'));
  expect((await chunks.next()).done).toBe(true);
});

/** Sends a body to a service that answers without reading it; resolves with the answer when the connection ends. */
async function refused(most: { bytes: number; time: number }, body: string): Promise<string> {
  const server = createServer((req, res) => {
    boundUnreadRest(req, res, most);
    req.resume();
    res.end('refused');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = connect(Number(Object(address).port), '127.0.0.1');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write('PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n');
  socket.write(body);
  await once(socket, 'close');
  server.close();
  return answer;
}

test('the rest of a body is read for a while after its answer, and then the connection ends', async () => {
  expect(await refused({ bytes: 1000, time: LONG }, 'a'.repeat(2000))).toContain('refused');
  expect(await refused({ bytes: LONG, time: SHORT }, 'a'.repeat(2000))).toContain('refused');
});
