/** Tests of the answer of every operation while the service refuses requests or stops, walking over the contract. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../testkit/openapi/document.js';
import { wholeRequest } from '../testkit/openapi/example-requests.js';
import { type ServerProcess, startServer } from '../testkit/service/server-process.js';
import { makeKey } from '../testkit/store/keys.js';
import { checkedFetch } from './checked-fetch.js';
import { RawExchange } from './raw-exchange.js';

type Operation = (typeof operations)[number];

describe('a key that has reached its rate limit', () => {
  const limited = operations.filter(({ place }) => place.find('responses', '429') !== undefined);
  let folder: string;
  let server: ServerProcess;
  let ask: (operation: Operation) => Promise<Response>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-'));
    const databaseFile = join(folder, 'roster.db');
    const key = await makeKey(`file:${databaseFile}`, { name: 'own' });
    server = await startServer({ databaseFile, env: { RATE_LIMIT: '1' } });
    ask = (operation) => {
      const { path, headers, ...init } = wholeRequest(operation);
      const authorized = { ...headers, Authorization: `Bearer ${key}` };
      return checkedFetch(new Request(server.url + path, { ...init, headers: authorized }));
    };
    const [first] = limited;
    if (first !== undefined) await ask(first);
  });
  afterAll(async () => {
    await server.kill();
    await rm(folder, { recursive: true });
  });

  test.each(limited)('gets 429 from $id', async (operation) => {
    let refused = await ask(operation);
    // The first one of another minute is answered.
    if (refused.status !== 429) refused = await ask(operation);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Cache-Control')).toBe('private, no-cache');
    expect(await refused.json()).toMatchObject({ type: '/problems/too-many-requests' });
  });
});

describe('a page of another origin, on a service without keys', () => {
  const changing = operations.filter(({ method }) => method !== 'GET');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.kill());

  test.each(changing)('gets 403 from $id', async (operation) => {
    const { path, headers, ...init } = wholeRequest(operation);
    const sent = { ...headers, Origin: 'https://elsewhere.example' };
    const refused = await checkedFetch(new Request(server.url + path, { ...init, headers: sent }));
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      type: '/problems/other-origin',
      detail: expect.stringContaining('"https://elsewhere.example"'),
    });
  });
});

describe('a request that arrives during shutdown', () => {
  const answers = new Map<string, Response>();

  beforeAll(async () => {
    // It goes on serving for as long as these requests take, on any machine.
    const server = await startServer({ env: { DRAIN_SECONDS: '600' } });
    const begun = await Promise.all(
      operations.map(async (operation) => ({
        id: operation.id,
        exchange: await RawExchange.begin(server.url, wholeRequest(operation)),
      })),
    );
    // A request counts as begun only after its first line has been read.
    await checkedFetch(new Request(`${server.url}/health/live`));
    const stopped = server.stop();
    while (!server.log.some((line) => line.includes('"msg":"stopping"'))) await delay(10);
    await Promise.all(begun.map(async ({ id, exchange }) => answers.set(id, await exchange.finish())));
    await server.kill();
    await stopped;
  });

  test.each(operations.filter(({ id }) => id !== 'getReadiness'))('is answered by $id like any other', ({ id }) => {
    expect(answers.get(id)?.status).toBeGreaterThanOrEqual(200);
    expect(answers.get(id)?.status).toBeLessThan(500);
  });

  test('learns from getReadiness that the service is stopping', async () => {
    const refused = answers.get('getReadiness');
    expect(refused?.status).toBe(503);
    expect(refused?.headers.get('Retry-After')).toBe('1');
    expect(await refused?.json()).toMatchObject({ detail: expect.stringContaining('stopping') });
  });
});
