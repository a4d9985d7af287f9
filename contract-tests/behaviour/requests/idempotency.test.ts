/** Tests that a creation that is sent again creates nothing twice. */
import { beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../testkit/openapi/document.js';
import { keys, ownProject, readObject, sendAs } from '../../target.js';
import { kinds } from '../resources/resource-kinds.js';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

function create(path: string, body: unknown, key: string, caller = keys.own): Promise<Response> {
  return sendAs(caller, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
}

async function listed(path: string): Promise<unknown> {
  return (await sendAs(keys.own, path)).json();
}

function newKey(): string {
  return crypto.randomUUID();
}

test('every POST that creates a resource accepts an Idempotency-Key', () => {
  const creations = operations.filter(({ id }) => id.startsWith('create'));
  expect(creations.map(({ id }) => id)).toEqual([
    'createKey',
    'createProject',
    'createSkill',
    'createAgent',
    'createChatbot',
    'createConversation',
  ]);
  for (const { id, parameters } of creations) {
    const names = parameters.map((parameter) => parameter.text('name'));
    expect(names, id).toContain('Idempotency-Key');
  }
});

describe.each(kinds)('a $kind', ({ kind, list, required }) => {
  const path = () => `/projects/${project}/${list}`;
  const body = { [kind]: { ...required, name: 'first' } };

  test('is created once, and the first answer is repeated', async () => {
    const key = newKey();
    const first = await create(path(), body, key);
    const second = await create(path(), body, key);
    expect(second.status).toBe(201);
    for (const header of ['Location', 'ETag']) {
      expect(second.headers.get(header)).toBe(first.headers.get(header));
    }
    expect([first, second].map(({ headers }) => headers.get('Idempotent-Replayed'))).toEqual([null, 'true']);
    expect(await second.text()).toBe(await first.text());
    expect(await listed(path())).toHaveLength(1);
  });

  test('is created once by ten concurrent requests, each of which gets that answer or is asked to retry', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(path(), body, key)));
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    const bodies = await Promise.all(answers.filter(({ status }) => status === 201).map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expect(await answer.json()).toMatchObject({ type: '/problems/request-in-progress' });
    }
    expect(await listed(path())).toHaveLength(1);
  });

  test('gets the first answer again even after it was deleted', async () => {
    const key = newKey();
    const first = await create(path(), body, key);
    await sendAs(keys.own, `${path()}/first`, { method: 'DELETE' });
    expect(await (await create(path(), body, key)).text()).toBe(await first.text());
    expect(await listed(path())).toEqual([]);
  });

  test('is not created by a different request under the same key', async () => {
    const key = newKey();
    await create(path(), body, key);
    const other = await create(path(), { [kind]: { ...required, name: 'second' } }, key);
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ type: '/problems/idempotency-key-reused' });
    expect(await listed(path())).toHaveLength(1);
  });

  test('can be created under the key of a request that failed', async () => {
    const key = newKey();
    const wrong = { [kind]: { ...required, name: 'first', colour: 'red' } };
    expect((await create(path(), wrong, key)).status).toBe(400);
    expect((await create(`/projects/nowhere/${list}`, body, key)).status).toBe(404);
    expect((await create(path(), body, key)).status).toBe(201);
  });

  test('is distinguished from one at another address', async () => {
    const key = newKey();
    await create(path(), body, key);
    const elsewhere = `/projects/${await ownProject()}/${list}`;
    expect((await create(elsewhere, body, key)).status).toBe(422);
  });
});

test('a project is created once', async () => {
  const key = newKey();
  const body = { project: { name: `${project}-once` } };
  const first = await create('/projects', body, key);
  expect(first.status).toBe(201);
  expect(await (await create('/projects', body, key)).text()).toBe(await first.text());
  const other = await create('/projects', { project: { name: `${project}-other` } }, key);
  expect(other.status).toBe(422);
  expect(await other.json()).toMatchObject({ type: '/problems/idempotency-key-reused' });
});

test('the same key of another owner is a different key', async () => {
  const key = newKey();
  const body = { project: { name: `${project}-twice` } };
  const own = await readObject(await create('/projects', body, key));
  const theirs = await readObject(await create('/projects', body, key, keys.stranger));
  expect(theirs['name']).toBe(own['name']);
  expect(theirs['id']).not.toBe(own['id']);
});

test('the order of fields in a body does not matter', async () => {
  const key = newKey();
  const path = `/projects/${project}/skills`;
  const request = (text: string) =>
    sendAs(keys.own, path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: text,
    });
  const first = await request('{"skill":{"name":"s","type":"lookup"}}');
  const second = await request('{ "skill": { "type": "lookup", "name": "s", "params": null } }');
  expect(await second.text()).toBe(await first.text());
  const other = await request('{"skill":{"name":"s","type":"lookup","params":{"a":1}}}');
  expect(other.status).toBe(422);
});

test.each([
  ['of 256 characters', 'k'.repeat(256)],
  ['that is empty', ''],
  ['with a space inside', 'two words'],
  ['that is not ASCII', 'schl\u00fcssel'],
])('a key %s is refused, and nothing is created', async (_what, key) => {
  const path = `/projects/${project}/skills`;
  const refused = await create(path, { skill: { name: 's', type: 'lookup' } }, key);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/header/Idempotency-Key' }] });
  expect(await listed(path)).toEqual([]);
});

test.each([
  ['__proto__', (own: string) => `__proto__${own}`],
  ['quoted', (own: string) => `"${own}"`],
  ['255 characters long', (own: string) => own.padEnd(255, 'k')],
])('a key may be %s', async (_what, keyOf) => {
  const path = `/projects/${project}/skills`;
  const body = { skill: { name: 's', type: 'lookup' } };
  const first = await create(path, body, keyOf(project));
  expect(first.status).toBe(201);
  expect(await (await create(path, body, keyOf(project))).text()).toBe(await first.text());
});

test('a project is created once, and the repeated answer is marked', async () => {
  const key = newKey();
  const body = { project: { name: `${project}-twice` } };
  const answers = [await create('/projects', body, key), await create('/projects', body, key)];
  expect(answers.map(({ status, headers }) => [status, headers.get('Idempotent-Replayed')])).toEqual([
    [201, null],
    [201, 'true'],
  ]);
  const [first, second] = await Promise.all(answers.map((answer) => answer.text()));
  expect(second).toBe(first);
});
