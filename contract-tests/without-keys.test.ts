/** A service for which no key was ever made, as a newcomer starts it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../testkit/service/server-process.js';
import { makeKey } from '../testkit/store/keys.js';
import { checkedFetch } from './checked-fetch.js';
import { RawExchange } from './raw-exchange.js';

let folder: string;
let databaseFile: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-without-keys-'));
  databaseFile = join(folder, 'roster.db');
  server = await startServer({ databaseFile, env: { ALLOWED_ORIGINS: '*,https://app.example' } });
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

/** The headers by which a request names its page, and the right to change something. */
const PAGES: readonly [from: string, headers: (own: URL) => Record<string, string>, status: number][] = [
  ['a program', () => ({}), 404],
  ['its own page', ({ origin }) => ({ Origin: origin, 'Sec-Fetch-Site': 'same-origin' }), 404],
  ['its own page in an old browser', ({ origin }) => ({ Origin: origin }), 404],
  ['a person who types', () => ({ 'Sec-Fetch-Site': 'none' }), 404],
  ['its own page that hides its origin', () => ({ Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }), 404],
  [
    'its own page behind a proxy of another port',
    () => ({ Origin: 'http://localhost:5173', 'Sec-Fetch-Site': 'same-origin' }),
    404,
  ],
  ['its own page behind a proxy that ends TLS', ({ host }) => ({ Origin: `https://${host}` }), 404],
  ['a page of an allowed origin', () => ({ Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' }), 404],
  ['a page elsewhere', () => ({ Origin: 'https://elsewhere.example' }), 403],
  ['a page elsewhere that was redirected', ({ origin }) => ({ Origin: origin, 'Sec-Fetch-Site': 'cross-site' }), 403],
  ['a page elsewhere that hides its origin', () => ({ 'Sec-Fetch-Site': 'cross-site' }), 403],
  ['a page of another port', ({ hostname }) => ({ Origin: `http://${hostname}:1` }), 403],
  ['a page of another port that hides it', () => ({ 'Sec-Fetch-Site': 'same-site' }), 403],
  ['a sandboxed page, or a file', () => ({ Origin: 'null' }), 403],
  ['a page that is not a web page', () => ({ Origin: 'chrome-extension://abc' }), 403],
  ['an origin that only begins like its own', ({ origin }) => ({ Origin: `${origin}0` }), 403],
];

test.each(PAGES)('%s may retrain a model, or gets 403', async (_, headersFrom, status) => {
  const url = `${server.url}/api/projects/default/models/none/retrain`;
  const headers = headersFrom(new URL(server.url));
  const answer = await checkedFetch(new Request(url, { method: 'POST', headers }));
  expect(answer.status).toBe(status);
});

test.each([
  ['HEAD', '/projects', 200],
  ['OPTIONS', '/projects', 204],
  ['GET', '/projects', 200],
])('a page elsewhere may send %s, which changes nothing', async (method, path, status) => {
  const headers = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' };
  const answer = await checkedFetch(new Request(server.url + path, { method, headers }));
  expect(answer.status).toBe(status);
  expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false);
});

test.each([
  ['localhost', 200],
  ['127.0.0.1', 200],
  ['[::1]', 200],
  ['elsewhere.example', 401],
  ['127.0.0.1.elsewhere.example', 401],
  ['localhost.elsewhere.example', 401],
])('it answers as %s, or refuses a name that points at this machine', async (host, status) => {
  const { port } = new URL(server.url);
  const request = { name: 'rebound', method: 'GET', path: '/projects', headers: {} };
  const exchange = await RawExchange.begin(server.url, request, `${host}:${port}`);
  expect((await exchange.finish()).status).toBe(status);
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

  // With `*`, pages of all origins may call MCP, as far as they have a key.
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Origin: 'https://elsewhere.example',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const message = new Request(`${server.url}/mcp`, { method: 'POST', headers, body });
  expect((await checkedFetch(message)).status).toBe(200);
});
