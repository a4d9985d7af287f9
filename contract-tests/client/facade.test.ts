/** Tests of the façade, with the real service. */
import { createRoster, isProblem, isSkillOf, type Roster, tagged } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FACADE } from '../../generated/facade.js';
import { operations as contracted } from '../../testkit/openapi/document.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

let server: ServerProcess;
let roster: Roster;
const sent: string[] = [];
beforeAll(async () => {
  server = await startServer();
  roster = createRoster({
    baseUrl: server.url,
    project: 'shop',
    fetch: (request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`);
      return fetch(request);
    },
  });
  await roster.projects.create({ name: 'shop' });
});
afterAll(() => server.stop());

test('there is a method for each operation of the contract, apart from those of OAuth', () => {
  const ids = Object.values(FACADE).flatMap((operations) => Object.values(operations).map(({ id }) => id));
  expect(new Set(ids)).toEqual(new Set(contracted.map(({ id }) => id)));
  const names = Object.entries(FACADE).flatMap(([resource, operations]) =>
    Object.keys(operations).map((name) => `${resource}.${name}`),
  );
  expect(names).toEqual(expect.arrayContaining(['skills.create', 'models.predict', 'messages.replyTo', 'caller.get']));
});

test('a resource is created, read, changed and deleted, in the project of the façade', async () => {
  const created = await roster.skills.create({ name: 'weather', type: 'weather', params: { city: 'Ulm' } });
  expect(created).toMatchObject({ name: 'weather', params: { city: 'Ulm' } });
  const { data, etag } = await tagged(roster.skills.get('weather').result());
  expect(data).toEqual(created);
  const { response } = await roster.skills.get('weather', { ifNoneMatch: etag }).result();
  expect(response.status).toBe(304);
  const changed = await roster.skills.update('weather', { type: 'climate' }, { ifMatch: etag });
  expect(changed.type).toBe('climate');
  expect(isSkillOf(changed, 'sql', 'mcp')).toBe(false);
  expect(isSkillOf({ ...changed, type: 'mcp' }, 'sql', 'mcp')).toBe(true);
  const late = roster.skills.update('weather', { type: 'late' }, { ifMatch: etag });
  await expect(late).rejects.toSatisfy((error) => isProblem(error, '/problems/precondition-failed'));
  expect(await roster.skills.delete('weather')).toBeUndefined();
  expect(await roster.inProject('default').skills.list()).toEqual([]);
});

test('the problem of a request is thrown, or returned by result()', async () => {
  const { error } = await roster.skills.get('nothing').result();
  expect(error).toMatchObject({ type: '/problems/skill-not-found', status: 404 });
  await expect(roster.skills.get('nothing')).rejects.toSatisfy(isProblem);
});

test('a list is read whole, or page by page, and only when it is asked for', async () => {
  for (const name of ['one', 'two', 'three']) await roster.skills.create({ name, type: 'data' });
  sent.length = 0;
  const list = roster.skills.list({ limit: 2, agent: ['analyst'] });
  expect(sent).toEqual([]);
  expect(await list).toEqual([]);
  const names: string[] = [];
  for await (const { name } of roster.skills.list({ limit: 2 })) names.push(name);
  expect(names).toEqual(['one', 'two', 'three']);
  expect(sent.map((address) => address.replace(/cursor=.*/, 'cursor='))).toEqual([
    'GET /projects/shop/skills?limit=2&agent=analyst',
    'GET /projects/shop/skills?limit=2',
    'GET /projects/shop/skills?limit=2&cursor=',
  ]);
});

test('a change is sent at once, and once, however often its outcome is asked for', async () => {
  sent.length = 0;
  const creation = roster.skills.create({ name: 'once', type: 'data' });
  await expect.poll(() => sent).toEqual(['POST /projects/shop/skills']);
  await Promise.all([creation, creation, creation.result()]);
  expect(sent).toHaveLength(1);
});

test('texts are sent and read as they are', async () => {
  await roster.skills.create({ name: 'care', type: 'knowledge_base' });
  await roster.documents.put('care', 'silver.md', '# Silver');
  await roster.documents.put('care', 'gold.txt', 'Gold', { contentType: 'text/plain' });
  expect(await roster.documents.get('care', 'silver.md')).toBe('# Silver');
  expect(await roster.documents.get('care', 'gold.txt')).toBe('Gold');
  expect(await roster.health.getMetrics()).toContain('roster_');
  const [stored] = await roster.audit.list({ operation: 'putDocument', limit: 1 });
  expect(stored?.resource).toMatch(/\/skills\/care\/documents\/silver\.md$/);
});

test('a signal cancels a request', async () => {
  const cancelled = roster.skills.get('care', { signal: AbortSignal.abort() });
  await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
});
