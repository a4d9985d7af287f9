/**
 * Tests of which requests the client retries when the connection to the real server fails, and which it does
 * not.
 */
import {
  apiKey,
  createRosterClient,
  idempotencyKeys,
  type RetryOptions,
  type RosterClient,
  retry,
  timeout,
} from 'roster-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { type Fault, type FaultyProxy, openFaultyProxy } from '../../testkit/http/faulty-proxy.js';
import { badGateway, busy, problem, tooMany } from '../../testkit/http/foreign-answers.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

let server: ServerProcess;
let proxy: FaultyProxy;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  proxy = await openFaultyProxy(server.url);
});
afterEach(async () => {
  await proxy.close();
});

const AT_ONCE: RetryOptions = { delay: 1 };

function persistent(options = AT_ONCE): RosterClient {
  const roster = createRosterClient({ baseUrl: proxy.url });
  roster.use(retry(options));
  return roster;
}

let names = 0;
const newName = () => `again_${++names}`;

function create(roster: RosterClient, name: string, headers = {}) {
  return roster.POST('/projects', { body: { project: { name } }, headers });
}

const path = { projectName: 'default', modelName: 'prices' };

function train(roster: RosterClient, body: string | Blob | ReadableStream, headers = {}) {
  return roster.PUT('/api/projects/{projectName}/models/{modelName}', {
    params: { path: { ...path, modelName: newName() }, query: { target: 'price' } },
    body,
    headers: { 'Content-Type': 'text/csv', ...headers },
  });
}

describe('retry', () => {
  test.each<[string, Fault]>([
    ['was lost', 'request lost'],
    ['whose answer was lost', 'answer lost'],
    ['that a proxy answered with an error page', badGateway],
    ['that met a busy service', busy()],
    ['that timed out behind a proxy', { status: 504 }],
    ['that exceeded the rate limit', tooMany()],
  ])('resends a read request %s', async (_what, fault) => {
    proxy.next(fault, fault);
    const { data } = await persistent().GET('/projects');
    expect(data?.[0]?.name).toBe('default');
    expect(proxy.passed).toHaveLength(3);
  });

  test('resends a creation with a key after its answer was lost, and creates one resource', async () => {
    const roster = persistent();
    roster.use(idempotencyKeys());
    proxy.next('answer lost', 'answer lost');
    const name = newName();
    const { data, response } = await create(roster, name);
    expect([response.status, data?.name]).toEqual([201, name]);
    expect(proxy.passed.map(({ body }) => body)).toEqual(Array(3).fill(proxy.passed[0]?.body));
    expect(new Set(proxy.passed.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('resends a creation whose key is in use by a request in progress', async () => {
    proxy.next(problem(409, '/problems/request-in-progress', { 'Retry-After': '0' }));
    const { data } = await create(persistent(), newName(), { 'Idempotency-Key': newName() });
    expect(data).toBeDefined();
  });

  test('resends a creation without a key that was refused before it began', async () => {
    proxy.next(tooMany({ 'Retry-After': '0' }));
    expect((await create(persistent(), newName())).response.status).toBe(201);
  });

  test('resends an update and a deletion', async () => {
    const roster = persistent();
    const params = { path: { project_name: 'default', chatbot_name: newName() } };
    proxy.next('answer lost', 'none', 'request lost', 'none');
    const put = await roster.PUT('/projects/{project_name}/chatbots/{chatbot_name}', {
      params,
      body: { chatbot: { settings: { colour: 'red' } } },
    });
    expect(put.data?.settings).toEqual({ colour: 'red' });
    const gone = await roster.DELETE('/projects/{project_name}/chatbots/{chatbot_name}', { params });
    expect(gone.response.status).toBe(204);
  });

  test('resends a prediction, which changes nothing', async () => {
    proxy.next('request lost');
    const { error } = await persistent().POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: { path },
      body: [{ carat: 1 }],
    });
    expect(error?.type).toBe('/problems/model-not-found');
    expect(proxy.passed).toHaveLength(2);
  });

  test.each([
    ['text', (csv: string) => csv],
    ['a Blob', (csv: string) => new Blob([csv])],
  ])('resends a whole table sent as %s when a condition prevents a second training', async (_, form) => {
    const table = someDiamonds(60);
    proxy.next('request lost');
    const { data } = await train(persistent(), form(table), { 'If-None-Match': '*' });
    expect(data?.version).toBe(1);
    expect(proxy.passed.map(({ body }) => body)).toEqual([table, table]);
  });
});

describe('retry does not resend', () => {
  test('a prediction that has to wait for a training', async () => {
    proxy.next(problem(409, '/problems/model-not-ready', { 'Retry-After': '0' }));
    const { error } = await persistent().POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: { path },
      body: [],
      headers: { 'Idempotency-Key': newName() },
    });
    expect(error?.type).toBe('/problems/model-not-ready');
    expect(proxy.passed).toHaveLength(1);
  });

  test('a creation whose name is taken, whatever the headers say', async () => {
    proxy.next(problem(409, '/problems/name-taken', { 'Retry-After': '0' }));
    const key = { 'Idempotency-Key': newName() };
    const { error } = await create(persistent(), newName(), key);
    expect(error?.type).toBe('/problems/name-taken');
    expect(proxy.passed).toHaveLength(1);
  });

  test('a creation without a key that may have been carried out', async () => {
    proxy.next('answer lost');
    await expect(create(persistent(), newName())).rejects.toThrow(TypeError);
    expect(proxy.passed).toHaveLength(1);
  });

  test('a table that may be training already', async () => {
    proxy.next(busy());
    const { error } = await train(persistent(), someDiamonds(60));
    expect(error?.status).toBe(503);
    expect(proxy.passed).toHaveLength(1);
  });

  test('a body that is a consumed stream', async () => {
    proxy.next(tooMany());
    const { error } = await train(persistent(), new Blob([someDiamonds(60)]).stream());
    expect(error?.status).toBe(429);
    expect(proxy.passed).toHaveLength(1);
  });

  test('a request that the service has answered with a problem', async () => {
    const roster = persistent();
    const name = newName();
    await create(roster, name);
    const { error } = await create(roster, name, { 'Idempotency-Key': newName() });
    expect(error?.type).toBe('/problems/name-taken');
    expect(proxy.passed).toHaveLength(2);
  });
});

test('retry resends headers set by other middleware, registered before or after it', async () => {
  const roster = createRosterClient({ baseUrl: proxy.url });
  roster.use(
    apiKey('roster_first'),
    retry(AT_ONCE),
    { onRequest: ({ request }) => request.headers.set('X-Request-Id', 'mine') },
    timeout(60_000),
  );
  proxy.next(tooMany({ 'Retry-After': '0' }));
  await create(roster, newName());
  expect(proxy.passed).toHaveLength(2);
  expect(proxy.passed[1]).toMatchObject({
    headers: { authorization: 'Bearer roster_first', 'x-request-id': 'mine' },
    body: proxy.passed[0]?.body,
  });
});

test('other middleware sees one request and one response', async () => {
  const seen: string[] = [];
  const roster = createRosterClient({ baseUrl: proxy.url });
  roster.use({
    onRequest: ({ request }) => void seen.push(request.method),
    onResponse: ({ response }) => void seen.push(String(response.status)),
    onError: ({ error }) => void seen.push(String(error)),
  });
  roster.use(retry(AT_ONCE));
  proxy.next('request lost', badGateway);
  await roster.GET('/projects');
  expect(seen).toEqual(['GET', '200']);
});
