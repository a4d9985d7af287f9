/** Tests of the contract's examples as handlers of MSW, with the client and the real MSW. */
import { type HttpHandler, http } from 'msw';
import { setupServer } from 'msw/node';
import { createRosterClient, items } from 'roster-client';
import { exampleHandlers } from 'roster-client/examples';
import { afterAll, afterEach, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { operations } from '../../testkit/openapi/document.js';
import { examplePath } from '../../testkit/openapi/example-requests.js';

const BASE = 'http://roster.test/some/where';
const params = { path: { project_name: 'default', skill_name: 'sales_questions' } };
const SKILL = '/projects/{project_name}/skills/{skill_name}';

const other = http.all('*', () => new Response('other'));
const server = setupServer(...Object.values(exampleHandlers(http, BASE)), other);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test.each(operations)('the handler of $id answers to it, below the base URL and /api', async (operation) => {
  const { method } = operation;
  const address = examplePath(operation);
  for (const url of [`${BASE}${address}`, `${BASE}/api${address}`]) {
    const { ok, headers } = await fetch(url, { method });
    expect(ok).toBe(true);
    expect(headers.get('X-Request-Id')).not.toBeNull();
  }
});

test('the client cannot tell it from a service', async () => {
  const roster = createRosterClient({ baseUrl: `${BASE}/api/` });
  const { data, response } = await roster.GET(SKILL, { params });
  expect(data?.name).toBe('sales_questions');
  expect(response.headers.get('ETag')).not.toBeNull();
  const names: string[] = [];
  const skills = items(
    (query) => roster.GET('/projects/{project_name}/skills', { params: { path: params.path, query } }),
    { limit: 1 },
  );
  for await (const { name } of skills) names.push(name);
  expect(new Set(names).size).toBe(names.length);
});

test('one handler replaces that of its operation for a test', async () => {
  const { getSkill } = exampleHandlers(http, BASE, { getSkill: { status: 404, example: 'skill' }, listSkills: 503 });
  expectTypeOf(getSkill).toEqualTypeOf<HttpHandler>();
  server.use(getSkill);
  const roster = createRosterClient({ baseUrl: BASE });
  expect((await roster.GET(SKILL, { params })).error?.type).toBe('/problems/skill-not-found');
  const list = await roster.GET('/projects/{project_name}/skills', { params });
  expect(list.response.status).toBe(200);
});

test('other addresses are left to other handlers', async () => {
  for (const address of ['/projects/default/unknown', '/../projects', '/projects.html'])
    expect(await (await fetch(`${BASE}${address}`)).text()).toBe('other');
});

test('a relative base URL is one of any page', async () => {
  const { getSkill } = exampleHandlers(http, '/api', { getSkill: 429 });
  server.use(getSkill);
  const roster = createRosterClient({ baseUrl: 'http://page.test/api' });
  expect((await roster.GET(SKILL, { params })).error?.type).toBe('/problems/too-many-requests');
});
