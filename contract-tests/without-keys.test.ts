/** A service for which no key was ever made, as a newcomer starts it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../testkit/service/server-process.js';
import { makeKey } from '../testkit/store/keys.js';
import { checkedFetch } from './checked-fetch.js';

let folder: string;
let databaseFile: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-without-keys-'));
  databaseFile = join(folder, 'roster.db');
  server = await startServer({ databaseFile });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Returns the answer to a header Authorization: the status, and the detail of a problem. */
function answerTo(authorization?: string): Promise<[number, unknown]> {
  return answerWith({ ...(authorization !== undefined && { Authorization: authorization }) });
}

async function answerWith(headers: Record<string, string>): Promise<[number, unknown]> {
  const answer = await checkedFetch(new Request(`${server.url}/projects`, { headers }));
  return [answer.status, Object(await answer.json())['detail']];
}

test('its caller is the local owner, with all scopes and no rate limit', async () => {
  const answer = await checkedFetch(new Request(`${server.url}/me`));
  expect(await answer.json()).toEqual({
    owner: 'local',
    key: null,
    scopes: ['read', 'write', 'predict', 'ask', 'operate'],
    limits: { max_body: 33_554_432, max_table: 1_073_741_824, rate_limit: null },
  });
});

test('it takes no key, and says so to who sends one; from the first key on it asks for one', async () => {
  const sent = ['Bearer any', `Bearer roster_0000000000000000_${'0'.repeat(43)}`, 'Basic YTpi'];
  expect(await answerTo()).toEqual([200, undefined]);
  for (const authorization of sent) {
    const detail = 'This service has no keys: send none; leave the header Authorization out.';
    expect(await answerTo(authorization)).toEqual([401, detail]);
  }
  expect(await answerWith({ 'X-Api-Key': 'any' })).toEqual([
    401,
    'This service has no keys: send none; leave the header X-Api-Key out.',
  ]);

  const key = await makeKey(`file:${databaseFile}`, { name: 'first' });
  expect((await answerTo(`Bearer ${key}`))[0]).toBe(200);
  await expect.poll(() => answerTo()).toEqual([401, expect.stringContaining('has no key; send')]);
  const [, second, third] = await Promise.all(sent.map(answerTo));
  expect(second).toEqual([401, expect.stringContaining('unknown, revoked or expired')]);
  expect(third).toEqual([401, expect.stringContaining('does not have the form')]);
});
