/** What the client sends again when something on the way to the real server goes wrong, and what it does not. */
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

describe('is sent again', () => {
  test.each<[string, Fault]>([
    ['was lost', 'request lost'],
    ['got no answer, for that was lost', 'answer lost'],
    ['got the page of a proxy', badGateway],
    ['came when the service was busy', busy()],
    ['was not answered in time by what a proxy asked', { status: 504 }],
    ['was one too many', tooMany()],
  ])('a request to read that %s', async (_what, fault) => {
    proxy.next(fault, fault);
    const { data } = await persistent().GET('/projects');
    expect(data?.[0]?.name).toBe('default');
    expect(proxy.passed).toHaveLength(3);
  });

  test('a creation with a key whose answer was lost, and there is one of it', async () => {
    const roster = persistent();
    roster.use(idempotencyKeys());
    proxy.next('answer lost', 'answer lost');
    const name = newName();
    const { data, response } = await create(roster, name);
    expect([response.status, data?.name]).toEqual([201, name]);
    expect(proxy.passed.map(({ body }) => body)).toEqual(Array(3).fill(proxy.passed[0]?.body));
    expect(new Set(proxy.passed.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('a creation with a key that is said to be in progress', async () => {
    proxy.next(problem(409, '/problems/request-in-progress', { 'Retry-After': '0' }));
    const { data } = await create(persistent(), newName(), { 'Idempotency-Key': newName() });
    expect(data).toBeDefined();
  });

  test('a creation without a key that was refused before it was begun', async () => {
    proxy.next(tooMany({ 'Retry-After': '0' }));
    expect((await create(persistent(), newName())).response.status).toBe(201);
  });

  test('an update and a deletion', async () => {
    const roster = persistent();
    const params = { path: { project_name: 'default', chatbot_name: newName() } };
    proxy.next('answer lost', 'none', 'request lost', 'none');
    const put = await roster.PUT('/projects/{project_name}/chatbots/{chatbot_name}', {
      params,
      body: { chatbot: { settings: { colour: 'red' } } },
    });
    expect(put.data?.settings).toEqual({ colour: 'red' });
    const gone = await roster.DELETE('/projects/{project_name}/chatbots/{chatbot_name}', {
      params,
    });
    expect(gone.response.status).toBe(204);
  });

  test('a prediction, which changes nothing', async () => {
    proxy.next('request lost');
    const { error } = await persistent().POST(
      '/api/projects/{projectName}/models/{modelName}/predict',
      { params: { path }, body: [{ carat: 1 }] },
    );
    expect(error?.type).toBe('/problems/model-not-found');
    expect(proxy.passed).toHaveLength(2);
  });

  test.each([
    ['text', (csv: string) => csv],
    ['a Blob', (csv: string) => new Blob([csv])],
  ])('a table as %s, whole, where a condition keeps it from training twice', async (_, form) => {
    const table = someDiamonds(60);
    proxy.next('request lost');
    const { data } = await train(persistent(), form(table), { 'If-None-Match': '*' });
    expect(data?.version).toBe(1);
    expect(proxy.passed.map(({ body }) => body)).toEqual([table, table]);
  });
});

describe('is not sent again', () => {
  test('what asks to wait for a training, which is not waited for here', async () => {
    proxy.next(problem(409, '/problems/model-not-ready', { 'Retry-After': '0' }));
    const { error } = await persistent().POST(
      '/api/projects/{projectName}/models/{modelName}/predict',
      { params: { path }, body: [], headers: { 'Idempotency-Key': newName() } },
    );
    expect(error?.type).toBe('/problems/model-not-ready');
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

  test('a body that is a stream, which is gone', async () => {
    proxy.next(tooMany());
    const { error } = await train(persistent(), new Blob([someDiamonds(60)]).stream());
    expect(error?.status).toBe(429);
    expect(proxy.passed).toHaveLength(1);
  });

  test('what the service has answered, if only with a problem', async () => {
    const roster = persistent();
    const name = newName();
    await create(roster, name);
    const { error } = await create(roster, name, { 'Idempotency-Key': newName() });
    expect(error?.type).toBe('/problems/name-taken');
    expect(proxy.passed).toHaveLength(2);
  });
});

test('what other middleware puts into the request is sent again, wherever it stands', async () => {
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

test('the other middleware sees one request and one answer', async () => {
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
