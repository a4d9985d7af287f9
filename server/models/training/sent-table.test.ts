import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSentTable } from './train.js';

/** Returns what a body of JSON is, cut into chunks of some size. */
async function sent(text: string, size: number) {
  async function* bytes() {
    const all = Buffer.from(text);
    for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
  }
  const table = await readSentTable({ mediaType: 'application/json', bytes: bytes() });
  if (table.source) return table.source;
  const chunks: Uint8Array[] = [];
  for await (const chunk of table.bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const blanks = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 5 });
const sizes = fc.integer({ min: 1, max: 40 });

test('a body that is not an object stays as it was sent, however it is cut', async () => {
  const noObject = fc.string().filter((text) => !/^[ \n\r\t]*\{/.test(text));
  await fc.assert(
    fc.asyncProperty(blanks, noObject, sizes, async (before, text, size) => {
      expect(await sent(before + text, size)).toBe(before + text);
    }),
  );
});

test('an object names its source, however it is cut', async () => {
  const source = fc.record({
    database: fc.stringMatching(/^[a-z0-9_][a-z0-9_.-]{0,20}$/),
    query: fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')),
  });
  await fc.assert(
    fc.asyncProperty(blanks, source, sizes, async (before, source, size) => {
      expect(await sent(before + JSON.stringify({ source }), size)).toEqual(source);
    }),
  );
});

test('an endless object and endless blanks are not held', async () => {
  let read = 0;
  async function* endless(chunk: string) {
    for (; ; read += chunk.length) yield Buffer.from(chunk);
  }
  const body = { mediaType: 'application/json', bytes: endless('{'.repeat(1000)) };
  await expect(readSentTable(body)).rejects.toMatchObject({ type: '/problems/invalid-request' });
  expect(await readSentTable({ ...body, bytes: endless(' '.repeat(1000)) })).toHaveProperty('bytes');
  expect(read).toBeLessThan(200_000);
});
