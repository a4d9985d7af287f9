/** Tests of entity tags: an unchanged resource is not sent again, and a changed one is not overwritten. */
import { beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../testkit/openapi/document.js';
import { examplePath, exampleRequests } from '../../../testkit/openapi/example-requests.js';
import { ownProject, readObject, send, sendJson } from '../../target.js';
import { kinds } from '../resources/resource-kinds.js';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const OTHER = '"o8hHqKZl3mYw2sX0Jt5cVQ"';

function etagOf(response: Response): string {
  return response.headers.get('ETag') ?? '';
}

/**
 * A record is counted anew for each answer, so that its tag would cost as much as itself. Errors and series of a model
 * change with its versions alone. Clients of OpenAI's API send no conditions when they read a model.
 */
const UNCONDITIONAL = ['getErrors', 'getOpenaiModel', 'getRecord', 'getSeries'];

test('every single resource can be read, changed and deleted conditionally', () => {
  const names = (id: string) =>
    operations.find((operation) => operation.id === id)?.parameters.map((p) => p.text('name'));
  for (const { id, place } of operations) {
    if (UNCONDITIONAL.includes(id)) continue;
    if (id.startsWith('get') && place.find('responses', '404')) {
      expect(names(id), id).toEqual(expect.arrayContaining(['If-Match', 'If-None-Match']));
      expect(place.find('responses', '304'), id).toBeDefined();
      expect(place.find('responses', '412'), id).toBeDefined();
    }
    if (/^(update|put|delete|cancel|train)/.test(id)) {
      expect(names(id), id).toContain('If-Match');
      expect(place.find('responses', '412'), id).toBeDefined();
    }
  }
});

describe.each([...kinds, { kind: 'project' as const }])('a $kind', (kindOf) => {
  const isProject = kindOf.kind === 'project';
  const write = { ...(isProject ? {} : kindOf.required), name: 'first' };
  let address: string;
  let created: Response;

  beforeEach(async () => {
    if (isProject) write.name = `${project}-other`;
    const list = isProject ? '/projects' : `/projects/${project}/${kindOf.list}`;
    created = await sendJson('POST', list, { [kindOf.kind]: write });
    address = `${created.headers.get('Location')}`;
  });

  test('keeps the tag of the answer that created it', async () => {
    expect(etagOf(created)).toMatch(/^"[\w-]{22}"$/);
    expect(etagOf(await send(address))).toBe(etagOf(created));
  });

  test.each([
    ['its tag', (tag: string) => tag],
    ['its tag as a weak tag', (tag: string) => `W/${tag}`],
    ['its tag among others', (tag: string) => `${OTHER}, "a,b" ,\t${tag}`],
    ['its tag among empty elements', (tag: string) => `, ,${OTHER},, ${tag} ,\t,`],
    ['any tag', () => '*'],
  ])('is not sent again to a caller who has %s', async (_what, known) => {
    const response = await send(address, { headers: { 'If-None-Match': known(etagOf(created)) } });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
    expect(etagOf(response)).toBe(etagOf(created));
  });

  test('is sent to a caller who has another tag', async () => {
    const response = await send(address, { headers: { 'If-None-Match': OTHER } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(await created.json());
  });

  test('is not sent to a caller who wants another state of it, whatever that caller has', async () => {
    for (const wanted of [OTHER, `W/${etagOf(created)}`]) {
      const headers = { 'If-Match': wanted, 'If-None-Match': '*' };
      const refused = await send(address, { headers });
      expect(refused.status).toBe(412);
      expect(await refused.json()).toMatchObject({ type: '/problems/precondition-failed' });
    }
    for (const wanted of ['*', etagOf(created)]) {
      expect((await send(address, { headers: { 'If-Match': wanted } })).status).toBe(200);
    }
  });

  test('has the same headers and the same 304 for HEAD as for GET', async () => {
    const head = await send(address, { method: 'HEAD' });
    expect(etagOf(head)).toBe(etagOf(created));
    const headers = { 'If-None-Match': etagOf(created) };
    expect((await send(address, { method: 'HEAD', headers })).status).toBe(304);
  });

  test.each([
    ['another tag', () => OTHER],
    ['its tag as a weak tag', (tag: string) => `W/${tag}`],
    ['no tag', () => '"", W/""'],
  ])('is not deleted if the caller names %s', async (_what, known) => {
    const headers = { 'If-Match': known(etagOf(created)) };
    const refused = await send(address, { method: 'DELETE', headers });
    expect(refused.status).toBe(412);
    expect(await refused.json()).toMatchObject({ type: '/problems/precondition-failed' });
    expect(etagOf(await send(address))).toBe(etagOf(created));
  });

  test('is deleted if the caller names its tag', async () => {
    const headers = { 'If-Match': `${OTHER}, ${etagOf(created)}` };
    expect((await send(address, { method: 'DELETE', headers })).status).toBe(204);
    expect((await send(address)).status).toBe(404);
  });

  test.each([
    ['is empty', ''],
    ['has no quotes', 'o8hHqKZl3mYw2sX0Jt5cVQ'],
    ['has one quote', '"a'],
    ['has no comma between two', '"a" "b"'],
    ['has commas alone', ' , ,'],
    ['has a tag without quotes after empty elements', ',,a'],
    ['is a doubled wildcard', '**'],
    ['is huge', `"${'x'.repeat(5000)}"`],
  ])('is not deleted under a malformed condition: it %s', async (_what, garbage) => {
    const headers = { 'If-Match': garbage };
    const refused = await send(address, { method: 'DELETE', headers });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/header/If-Match' }] });
    expect((await send(address)).status).toBe(200);
  });
});

describe.each(kinds)('a $kind', ({ kind, list, required, open }) => {
  const change = (address: string, headers: Record<string, string>) =>
    send(address, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ [kind]: { [open]: { changed: true } } }),
    });

  test('is changed by the first of two callers', async () => {
    const created = await sendJson('POST', `/projects/${project}/${list}`, { [kind]: { ...required, name: 'first' } });
    const address = `${created.headers.get('Location')}`;
    const conditions = { 'If-Match': etagOf(created) };
    const [first, second] = [await change(address, conditions), await change(address, conditions)];
    expect(first.status).toBe(200);
    expect(etagOf(first)).not.toBe(etagOf(created));
    expect(second.status).toBe(412);
    expect(etagOf(await send(address))).toBe(etagOf(first));
  });

  test('is changed by one of ten concurrent callers', async () => {
    const created = await sendJson('POST', `/projects/${project}/${list}`, { [kind]: { ...required, name: 'first' } });
    const conditions = { 'If-Match': etagOf(created) };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => change(`${created.headers.get('Location')}`, conditions)),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array(9).fill(412)]);
  });
});

test('a changed agent is not deleted at its singular address either', async () => {
  await sendJson('POST', `/projects/${project}/agents`, { agent: { name: 'a' } });
  const address = `/projects/${project}/agent/a`;
  const headers = { 'If-Match': OTHER };
  expect((await send(address, { method: 'DELETE', headers })).status).toBe(412);
  expect((await send(address, { method: 'DELETE' })).status).toBe(204);
});

test('an agent gets a new tag when a skill that it uses changes', async () => {
  await sendJson('POST', `/projects/${project}/skills`, { skill: { name: 's', type: 'lookup' } });
  const created = await sendJson('POST', `/projects/${project}/agents`, { agent: { name: 'a', skills: ['s'] } });
  await sendJson('PUT', `/projects/${project}/skills/s`, { skill: { params: { a: 1 } } });
  const agent = await send(`/projects/${project}/agents/a`, { headers: { 'If-None-Match': etagOf(created) } });
  expect(agent.status).toBe(200);
  expect(await readObject(agent)).toMatchObject({ skills: [{ params: { a: 1 } }] });
});

describe('a chatbot that a PUT would create', () => {
  const put = (headers: Record<string, string>) =>
    send(`/projects/${project}/chatbots/c`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ chatbot: {} }),
    });

  test('is not created if the caller expects an existing one', async () => {
    expect((await put({ 'If-Match': '*' })).status).toBe(412);
    expect((await send(`/projects/${project}/chatbots/c`)).status).toBe(404);
  });

  test('is created, but not updated, if the caller expects a new one', async () => {
    expect((await put({ 'If-None-Match': '*' })).status).toBe(201);
    expect((await put({ 'If-None-Match': '*' })).status).toBe(412);
    expect((await put({ 'If-Match': '*' })).status).toBe(200);
  });
});

describe('a model', () => {
  const address = () => `/api/projects/${project}/models/m`;
  const table = Array.from({ length: 60 }, (_, row) => ({ x: row, y: row * 2 }));
  const train = (headers: Record<string, string>) =>
    send(`${address()}?target=y`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(table),
    });

  test('is trained again only if the caller knows its current version', async () => {
    expect((await train({ 'If-Match': '*' })).status).toBe(412);
    expect((await train({ 'If-None-Match': '*' })).status).toBe(202);
    await expect.poll(async () => (await readObject(await send(address())))['status']).toBe('ready');
    const known = etagOf(await send(address()));
    expect((await train({ 'If-None-Match': '*' })).status).toBe(412);
    expect((await train({ 'If-Match': OTHER })).status).toBe(412);
    expect(etagOf(await send(address()))).toBe(known);
    expect((await send(address(), { method: 'DELETE', headers: { 'If-Match': OTHER } })).status).toBe(412);
    expect((await train({ 'If-Match': known })).status).toBe(202);
  });
});

describe('a document', () => {
  let address: string;
  const put = (text: string, headers: Record<string, string> = {}) =>
    send(address, { method: 'PUT', headers: { 'Content-Type': 'text/plain', ...headers }, body: text });
  beforeEach(async () => {
    await sendJson('POST', `/projects/${project}/skills`, {
      skill: { name: 's', type: 'retrieval', params: { source: 'care' } },
    });
    address = `/projects/${project}/skills/s/documents/care.txt`;
  });

  test('has the tag of the answer that stored its text, until another text is stored', async () => {
    const tag = etagOf(await put('Warm water.'));
    expect(etagOf(await send(address))).toBe(tag);
    expect(etagOf(await send(address, { method: 'HEAD' }))).toBe(tag);
    const known = await send(address, { headers: { 'If-None-Match': tag } });
    expect([known.status, etagOf(known), await known.text()]).toEqual([304, tag, '']);
    expect((await send(address, { headers: { 'If-Match': OTHER } })).status).toBe(412);
    const replaced = await put('A soft brush.');
    expect(etagOf(await send(address))).toBe(etagOf(replaced));
    expect(await (await send(address, { headers: { 'If-None-Match': tag } })).text()).toBe('A soft brush.');
  });

  test('is replaced by the first of two callers, and deleted only as it is known', async () => {
    const headers = { 'If-Match': etagOf(await put('Warm water.')) };
    const first = await put('A soft brush.', headers);
    expect([first.status, (await put('A hard brush.', headers)).status]).toEqual([200, 412]);
    expect((await send(address, { method: 'DELETE', headers })).status).toBe(412);
    expect(await (await send(address)).text()).toBe('A soft brush.');
    const current = { 'If-Match': etagOf(first) };
    expect((await send(address, { method: 'DELETE', headers: current })).status).toBe(204);
  });

  test('is created or replaced only, as the caller wants', async () => {
    expect((await put('Warm water.', { 'If-Match': '*' })).status).toBe(412);
    expect((await send(address)).status).toBe(404);
    expect((await put('Warm water.', { 'If-None-Match': '*' })).status).toBe(201);
    expect((await put('A soft brush.', { 'If-None-Match': '*' })).status).toBe(412);
  });
});

test.each([
  ['a key', () => ['/keys', { key: { name: 'checkout', scopes: ['read'] } }] as const],
  [
    'a conversation',
    async () => {
      await sendJson('POST', `/projects/${project}/chatbots`, { chatbot: { name: 'c' } });
      return [`/projects/${project}/chatbots/c/conversations`, { conversation: {} }] as const;
    },
  ],
])('%s is deleted only as the caller knows it', async (_what, prepare) => {
  const [list, body] = await prepare();
  const created = await sendJson('POST', list, body);
  const address = `${created.headers.get('Location')}`;
  const remove = (tag: string) => send(address, { method: 'DELETE', headers: { 'If-Match': tag } });
  expect((await remove(OTHER)).status).toBe(412);
  const tag = etagOf(await send(address));
  expect([(await remove(tag)).status, (await remove(tag)).status]).toEqual([204, 404]);
});

test('a condition on a missing resource gets 404, as without the condition', async () => {
  const changes = operations.filter(({ id }) => /^(update(Skill|Agent)|serve|cancel|delete(?!Project))/.test(id));
  expect(changes).toHaveLength(14);
  for (const operation of changes) {
    const [{ headers, ...init }] = exampleRequests(operation);
    const path = examplePath(operation, { project_name: project, projectName: project });
    const response = await send(path, { ...init, headers: { ...headers, 'If-Match': OTHER } });
    expect(response.status, operation.id).toBe(404);
  }
});
