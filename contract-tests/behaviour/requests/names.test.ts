/**
 * Tests of names: which are valid, which are refused, and what happens if two are the same. Against the server
 * alone.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { ownProject, readObject, send, sendJson } from '../../target.js';
import { kinds } from '../resources/resource-kinds.js';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

const REFUSED = [
  ['that is empty', ''],
  ['of 101 characters', 'a'.repeat(101)],
  ['that begins with a hyphen', '-a'],
  ['that begins with a dot', '.a'],
  ['with a space', 'two words'],
  ['with a slash', 'a/b'],
  ['with a letter of another alphabet', 'größe'],
  ['with a line break at its end', 'a\n'],
  ['in the form of a UUID', '019a2f3d-0b10-7d4a-8c2e-5a7b9c1d3e01'],
  ['in the form of a UUID in capitals', '019A2F3D-0B10-7D4A-8C2E-5A7B9C1D3E01'],
  ['that is a number', 7],
  ['that is null', null],
] as const;

const TAKEN = ['a', '_', '0', 'a.b-c_D', 'a'.repeat(100), '__proto__', 'constructor', 'toString'];

describe.each(kinds)('a $kind', ({ kind, list, required }) => {
  const create = (name: unknown) => sendJson('POST', `/projects/${project}/${list}`, { [kind]: { name, ...required } });

  test.each(REFUSED)('is refused with a name %s', async (_what, name) => {
    const response = await create(name);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: '/problems/invalid-request',
      errors: [{ pointer: `/body/${kind}/name` }],
    });
  });

  test.each(TAKEN)('can be named %s, is found by that name, and can be deleted', async (name) => {
    const created = await create(name);
    expect(created.status).toBe(201);
    const address = created.headers.get('Location');
    expect(address).toBe(`/projects/${project}/${list}/${name}`);
    expect(await (await send(`${address}`)).json()).toEqual(await created.json());
    expect((await send(`${address}`, { method: 'DELETE' })).status).toBe(204);
    expect((await send(`${address}`)).status).toBe(404);
  });

  test('has a case-sensitive name', async () => {
    expect((await create('analyst')).status).toBe(201);
    expect((await create('Analyst')).status).toBe(201);
    expect((await send(`/projects/${project}/${list}/ANALYST`)).status).toBe(404);
  });

  test('cannot get a name that is taken, and nothing changes', async () => {
    const first = await (await create('first')).json();
    await create('second');
    const clash = await create('first');
    expect(clash.status).toBe(409);
    const rename = await sendJson('PUT', `/projects/${project}/${list}/second`, { [kind]: { name: 'first' } });
    expect(rename.status).toBe(409);
    expect(await rename.json()).toMatchObject({ type: '/problems/name-taken' });
    const names = await (await send(`/projects/${project}/${list}`)).json();
    expect(names).toMatchObject([first, { name: 'second' }]);
  });

  test('can be renamed, also to its current name', async () => {
    const { id } = await readObject(await create('before'));
    const rename = (from: string, to: string) =>
      sendJson('PUT', `/projects/${project}/${list}/${from}`, { [kind]: { name: to } });
    expect((await rename('before', 'before')).status).toBe(200);
    expect(await (await rename('before', 'after')).json()).toMatchObject({ id, name: 'after' });
    expect((await send(`/projects/${project}/${list}/before`)).status).toBe(404);
    expect(await (await send(`/projects/${project}/${list}/after`)).json()).toMatchObject({ id });
  });

  test('can have the name of a resource in another project', async () => {
    await create('shared');
    const response = await sendJson('POST', `/projects/${await ownProject()}/${list}`, {
      [kind]: { name: 'shared', ...required },
    });
    expect(response.status).toBe(201);
  });

  test('is created once by 20 concurrent requests with its name', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('contested')));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(19).fill(409)]);
  });
});

describe('a project', () => {
  test.each(REFUSED)('is refused with a name %s', async (_what, name) => {
    const response = await sendJson('POST', '/projects', { project: { name } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/body/project/name' }] });
  });

  test.each(['__proto__', 'constructor', 'toString'])('can be named %s', async (name) => {
    expect((await send(`/projects/${name}`)).status).toBe(404);
    expect((await sendJson('POST', '/projects', { project: { name } })).status).toBe(201);
    expect((await send(`/projects/${name}/skills`)).status).toBe(200);
    expect((await send(`/projects/${name}`, { method: 'DELETE' })).status).toBe(204);
  });
});

describe('a name in an address', () => {
  test.each([
    ['skills/-', '/path/skill_name'],
    ['agents/a%20b', '/path/agent_name'],
    [`chatbots/${'a'.repeat(101)}`, '/path/chatbot_name'],
    ['skills/a%00', '/path/skill_name'],
    ['skills/%zz', '/path'],
  ])('is refused if no resource can have it: %s', async (address, pointer) => {
    const response = await send(`/projects/${project}/${address}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: '/problems/invalid-request', errors: [{ pointer }] });
  });

  test('cannot be a UUID where it would create a chatbot or model', async () => {
    const id = '019a2f3d-0b10-7d4a-8c2e-5a7b9c1d3e01';
    const chatbot = await sendJson('PUT', `/projects/${project}/chatbots/${id}`, { chatbot: {} });
    expect(chatbot.status).toBe(400);
    const rows = Array.from({ length: 100 }, (_, a) => ({ a, b: a }));
    const model = await sendJson('PUT', `/api/projects/${project}/models/${id}?target=b`, rows);
    expect(model.status).toBe(400);
  });
});

test('the error for a taken project name offers both solutions', async () => {
  const clash = await sendJson('POST', '/projects', { project: { name: project } });
  expect((await readObject(clash))['detail']).toBe(
    `There is already a project named "${project}"; choose another name, or use that one.`,
  );
});
