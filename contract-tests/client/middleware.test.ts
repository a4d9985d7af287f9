/** Tests of the client's middleware that changes a request or ends it, against the real server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKey, createRosterClient, idempotencyKeys, TimeoutError, timeout } from 'roster-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FaultyProxy, openFaultyProxy } from '../../testkit/http/faulty-proxy.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';

let folder: string;
let key: string;
let server: ServerProcess;
let proxy: FaultyProxy;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-'));
  const databaseFile = join(folder, 'roster.db');
  key = await makeKey(`file:${databaseFile}`, { name: 'laptop' });
  server = await startServer({ databaseFile });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  proxy = await openFaultyProxy(server.url);
});
afterEach(async () => {
  await proxy.close();
});

describe('an API key', () => {
  test('is sent with each request', async () => {
    const roster = createRosterClient({ baseUrl: server.url });
    roster.use(apiKey(key));
    expect((await roster.GET('/projects')).response.status).toBe(200);
  });

  test('may change between requests, and be available only later', async () => {
    const keys = [undefined, 'roster_of_yesterday', key];
    const roster = createRosterClient({ baseUrl: proxy.url });
    roster.use(apiKey(async () => keys.shift()));
    const statuses = [];
    for (let asked = 0; asked < 3; asked++) {
      statuses.push((await roster.GET('/projects')).response.status);
    }
    expect(statuses).toEqual([401, 401, 200]);
    expect(proxy.passed[0]?.headers).not.toHaveProperty('authorization');
  });

  test('from the middleware replaces the one that the client was created with', async () => {
    const roster = createRosterClient({ baseUrl: server.url, apiKey: 'roster_of_yesterday' });
    roster.use(apiKey(() => key));
    expect((await roster.GET('/projects')).response.status).toBe(200);
  });
});

describe('a timeout', () => {
  const clientWithTimeout = (ms = 100) => {
    const roster = createRosterClient({ baseUrl: proxy.url, apiKey: key });
    roster.use(timeout(ms));
    return roster;
  };

  test('does not affect an answer that comes in time', async () => {
    expect((await clientWithTimeout(WAIT_MS).GET('/projects')).data).toHaveLength(1);
  });

  test('keeps the body of the request', async () => {
    await clientWithTimeout(WAIT_MS).POST('/projects', { body: { project: { name: 'kept' } } });
    expect(proxy.passed[0]?.body).toBe('{"project":{"name":"kept"}}');
  });

  test.each(['silence', 'half an answer'] as const)('ends %s, and the error says what took how long', async (fault) => {
    proxy.next(fault);
    const ended: unknown = await clientWithTimeout()
      .GET('/projects')
      .catch((error: unknown) => error);
    expect(ended).toBeInstanceOf(TimeoutError);
    expect(ended).toMatchObject({ name: 'TimeoutError', ms: 100 });
    expect(String(ended)).toContain(`GET ${proxy.url}/projects within 100 ms`);
  });

  test("keeps the caller's own signal, with its reason", async () => {
    const reason = new Error('The user has left the page');
    const abort = new AbortController();
    proxy.next('half an answer');
    const listing = clientWithTimeout(WAIT_MS).GET('/projects', { signal: abort.signal });
    await expect.poll(() => proxy.passed).toHaveLength(1);
    abort.abort(reason);
    await expect(listing).rejects.toBe(reason);
    await expect(clientWithTimeout().GET('/projects', { signal: abort.signal })).rejects.toBe(reason);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('of %d ms is rejected', (ms) => {
    expect(() => timeout(ms)).toThrow(RangeError);
  });
});

describe('an Idempotency-Key', () => {
  const careful = () => {
    const roster = createRosterClient({ baseUrl: proxy.url, apiKey: key });
    roster.use(idempotencyKeys());
    return roster;
  };
  const sent = () => proxy.passed.map(({ headers }) => headers['idempotency-key']);

  test('is added to each creation, a new one each time', async () => {
    const roster = careful();
    for (const name of ['first', 'second']) {
      const { response } = await roster.POST('/projects', { body: { project: { name } } });
      expect(response.status).toBe(201);
    }
    expect(new Set(sent()).size).toBe(2);
    expect(sent()).not.toContain(undefined);
  });

  test('that the caller set is kept', async () => {
    await careful().POST('/projects', {
      params: { header: { 'Idempotency-Key': 'mine' } },
      body: { project: { name: 'third' } },
    });
    expect(sent()).toEqual(['mine']);
  });

  test('is not added to other requests', async () => {
    const roster = careful();
    const path = { projectName: 'default', modelName: 'prices' };
    await roster.POST('/api/projects/{projectName}/models/{modelName}/predict', { params: { path }, body: [] });
    await roster.GET('/projects');
    expect(sent()).toEqual([undefined, undefined]);
  });
});
