import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { receiveBytes, sendBytes } from './byte-channel.js';
import { gathered } from './gathered.js';

const bytes = (count: number) => Uint8Array.from({ length: count }, (_, index) => index % 251);

test('bytes come through a channel in their order, and as they were', async () => {
  const { port1, port2 } = new MessageChannel();
  const shared = bytes(100);
  const pieces = Array.from({ length: 50 }, (_, index) => shared.subarray(index + 1, 100 - index));
  const expected = pieces.map((piece) => Array.from(piece));
  const sending = sendBytes(port1, pieces);
  const received: number[][] = [];
  for await (const piece of receiveBytes(port2)) received.push(Array.from(piece));
  await sending;
  expect(received).toEqual(expected);
  port1.close();
});

test('a sender goes no further ahead of who takes than a few pieces', async () => {
  const { port1, port2 } = new MessageChannel();
  let made = 0;
  function* pieces() {
    for (; made < 100; made++) yield bytes(1);
  }
  const sending = sendBytes(port1, pieces());
  let taken = 0;
  for await (const _ of receiveBytes(port2)) {
    taken++;
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(made - taken).toBeLessThan(8);
  }
  await sending;
  expect(taken).toBe(100);
  port1.close();
});

test('whoever is left by the other side is told', async () => {
  const one = new MessageChannel();
  const sending = sendBytes(one.port1, [1, 2, 3, 4, 5, 6].map(bytes));
  one.port2.close();
  await expect(sending).rejects.toThrow('ended early');

  const other = new MessageChannel();
  const receiving = receiveBytes(other.port2).next();
  other.port1.close();
  await expect(receiving).rejects.toThrow('ended early');
});

test('a source that breaks off is told to its sender', async () => {
  const { port1, port2 } = new MessageChannel();
  async function* source() {
    yield bytes(1);
    throw new Error('broken off');
  }
  await expect(sendBytes(port1, source())).rejects.toThrow('broken off');
  port2.close();
});

test('chunks of any size are gathered into pieces that are their own', async () => {
  const all = bytes(1_000_000);
  async function* chunks() {
    for (let at = 0; at < all.length; ) {
      const size = 1 + ((at * 7) % 300_000);
      yield all.subarray(at, at + size);
      at += size;
    }
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of await gathered(chunks())) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(all)).toBe(true);
  for (const { buffer, byteLength } of pieces) expect(buffer.byteLength).toBe(byteLength);
  expect(pieces.length).toBe(4);
  async function* nothing() {}
  for await (const _ of await gathered(nothing())) expect.unreachable();
});
