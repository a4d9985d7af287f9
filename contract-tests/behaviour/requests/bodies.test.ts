/** Tests of request bodies, and of the pointers in their errors. Against the server alone. */
import type { Problem } from 'roster-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { ownProject, readObject, send, sendJson } from '../../target.js';
import { kinds } from '../resources/resource-kinds.js';

let project: string;
beforeEach(async () => {
  project = await ownProject();
});

async function pointersOf(response: Response): Promise<string[]> {
  expect(response.status).toBe(400);
  const problem: Problem = JSON.parse(await response.text());
  return problem.type === '/problems/invalid-request'
    ? problem.errors.map(({ pointer }) => pointer).sort()
    : [problem.type];
}

function deep(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

describe.each(kinds)('a $kind', ({ kind, list, required, open }) => {
  const all = () => `/projects/${project}/${list}`;
  const create = (fields: object) => sendJson('POST', all(), { [kind]: { name: 'first', ...required, ...fields } });
  const update = (fields: object) => sendJson('PUT', `${all()}/first`, { [kind]: fields });

  test.each([
    ['an unknown field', { colour: 'red' }, ['colour']],
    ['several unknown fields', { colour: 'red', 'a/b~c': 1 }, ['a~1b~0c', 'colour']],
    ['an open field that is text', { [open]: 'text' }, [open]],
    ['an open field that is an array', { [open]: [] }, [open]],
    ['a name that is a number', { name: 7 }, ['name']],
    ['a read-only field', { id: '7' }, ['id']],
  ])('is refused with %s', async (_what, fields, faults) => {
    const pointers = faults.map((field) => `/body/${kind}/${field}`);
    expect(await pointersOf(await create(fields))).toEqual(pointers);
    expect((await send(`${all()}/first`)).status).toBe(404);
    await create({});
    const before = await (await send(`${all()}/first`)).json();
    expect(await pointersOf(await update(fields))).toEqual(pointers);
    expect(await (await send(`${all()}/first`)).json()).toEqual(before);
  });

  test('is refused without its wrapper, or with more than the wrapper', async () => {
    const bare = await sendJson('POST', all(), { name: 'first', ...required });
    expect(await pointersOf(bare)).toEqual(['/body']);
    const more = await sendJson('POST', all(), { [kind]: { name: 'first', ...required }, colour: 'red' });
    expect(await pointersOf(more)).toEqual(['/body/colour']);
  });

  test.each([null, 7, 'text', [], true])('is refused if the body is %j', async (body) => {
    expect((await sendJson('POST', all(), body)).status).toBe(400);
    expect((await sendJson('POST', all(), { [kind]: body })).status).toBe(400);
  });

  test('is refused without a name', async () => {
    const response = await sendJson('POST', all(), { [kind]: required });
    expect(await pointersOf(response)).toEqual([`/body/${kind}/name`]);
  });

  test('merges its open field one level deep: sent keys replace, null removes, other keys stay', async () => {
    await create({ [open]: { a: 1, b: { c: 1, d: 1 }, e: 1 } });
    const response = await update({ [open]: { a: null, b: { c: 2 }, f: [null], g: null } });
    expect(response.status).toBe(200);
    const merged = { b: { c: 2 }, e: 1, f: [null] };
    expect((await readObject(response))[open]).toEqual(merged);
    expect((await readObject(await send(`${all()}/first`)))[open]).toEqual(merged);
  });

  test('holds at most a thousand keys in its open field, those of earlier writes included', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => [`key_${index}`, index]);
    await create({ [open]: Object.fromEntries(keys) });
    const place = [`/body/${kind}/${open}`];
    expect(await pointersOf(await update({ [open]: { more: 1 } }))).toEqual(place);
    expect((await update({ [open]: { more: 1, key_0: null } })).status).toBe(200);
  });

  test('drops null keys when it is created', async () => {
    const created = await readObject(await create({ [open]: { a: null, b: 1 } }));
    expect(created[open]).toEqual({ b: 1 });
  });

  test('treats null as not sent', async () => {
    expect((await create({ [open]: null })).status).toBe(201);
    await update({ [open]: { a: 1 } });
    const response = await update({ name: null, [open]: null });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ name: 'first', [open]: { a: 1 } });
  });

  test('accepts an update that changes nothing', async () => {
    const created = await readObject(await create({}));
    const response = await update({});
    expect(response.status).toBe(200);
    expect({ ...(await readObject(response)), updated_at: null }).toEqual({ ...created, updated_at: null });
  });

  test('stores and removes keys that every object inherits', async () => {
    const keys = '"__proto__":{"a":1},"constructor":2,"toString":3,"":4,"é\\u0001":5';
    const response = await send(all(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"${kind}":${JSON.stringify({ name: 'first', ...required }).slice(0, -1)},"${open}":{${keys}}}}`,
    });
    expect(response.status).toBe(201);
    const read = async () => {
      const resource = await readObject(await send(`${all()}/first`));
      return Object.entries(Object(resource[open])).sort();
    };
    const expected: [string, unknown][] = [
      ['', 4],
      ['__proto__', { a: 1 }],
      ['constructor', 2],
      ['toString', 3],
      ['é\u0001', 5],
    ];
    expect(await read()).toEqual(expected);
    await send(`${all()}/first`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: `{"${kind}":{"${open}":{"__proto__":null}}}`,
    });
    expect(await read()).toEqual(expected.filter(([key]) => key !== '__proto__'));
  });

  test('keeps numbers and texts unchanged', async () => {
    const values = {
      large: 1e300,
      small: 5e-324,
      precise: 0.1,
      safe: Number.MAX_SAFE_INTEGER,
      text: '💎 "quoted" \\ \u2028',
      empty: {},
    };
    expect((await readObject(await create({ [open]: values })))[open]).toEqual(values);
  });

  test('is refused if it nests 10,000 levels deep', async () => {
    const response = await send(all(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"${kind}":{"name":"first","${open}":{"deep":${deep(10_000)}}}}`,
    });
    expect(response.status).toBe(400);
    expect((await send(`${all()}/first`)).status).toBe(404);
  });

  test.each([
    ['short', ''],
    ['long', 'x'.repeat(64 * 1024)],
  ])('may nest 100 levels in a %s body, and no more', async (_size, filler) => {
    // The body, the resource and its field are three of them.
    const nested = (levels: number) => ({ [open]: { filler, deep: JSON.parse(deep(levels - 3)) } });
    expect(await pointersOf(await create(nested(101)))).toEqual(['/body']);
    expect((await create(nested(100))).status).toBe(201);
  });

  test('shows when it was created and when it last changed', async () => {
    const created = await readObject(await create({}));
    expect(created.updated_at).toBe(created.created_at);
    const changed = await readObject(await update({ [open]: { a: 1 } }));
    expect(changed.created_at).toBe(created.created_at);
    expect(`${changed.updated_at}` >= `${created.updated_at}`).toBe(true);
  });
});

describe.each(kinds.filter(({ open }) => open === 'settings'))('$kind', ({ kind, list }) => {
  const write = (method: string, address: string, fields: object) =>
    sendJson(method, `/projects/${project}/${list}${address}`, { [kind]: fields });

  test('accepts and shows params as a synonym of settings', async () => {
    const created = await write('POST', '', { name: 'first', params: { a: 1 } });
    expect(await created.json()).toMatchObject({ settings: { a: 1 }, params: { a: 1 } });
    const updated = await write('PUT', '/first', { params: { a: null, b: 2 } });
    const body = await readObject(updated);
    expect([body.settings, body.params]).toEqual([{ b: 2 }, { b: 2 }]);
  });

  test('is refused with both params and settings, unless one is null', async () => {
    const both = { name: 'first', settings: {}, params: {} };
    expect(await pointersOf(await write('POST', '', both))).toEqual([`/body/${kind}/params`]);
    const created = await write('POST', '', { ...both, params: null });
    expect(created.status).toBe(201);
    expect(await pointersOf(await write('PUT', '/first', { settings: {}, params: {} }))).toEqual([
      `/body/${kind}/params`,
    ]);
    const updated = await write('PUT', '/first', { settings: null, params: { a: 1 } });
    expect(await updated.json()).toMatchObject({ settings: { a: 1 } });
  });
});

describe('a body without its wrapper', () => {
  const errorsOf = async (response: Response) => (await readObject(response))['errors'];
  const skills = () => `/projects/${project}/skills`;

  test('gets one error, which says what belongs inside', async () => {
    const created = await sendJson('POST', skills(), { name: 'x', type: 'lookup' });
    expect(await errorsOf(created)).toEqual([
      { pointer: '/body', message: 'must be wrapped: {"skill": {…}}; name and type belong inside' },
    ]);
    const projects = await sendJson('POST', '/projects', { name: 'x' });
    expect(await errorsOf(projects)).toEqual([
      { pointer: '/body', message: 'must be wrapped: {"project": {…}}; name belongs inside' },
    ]);
    const updated = await sendJson('PUT', `${skills()}/any`, { name: 'x', type: 'y', params: {} });
    expect(await errorsOf(updated)).toEqual([
      { pointer: '/body', message: 'must be wrapped: {"skill": {…}}; name, type and params belong inside' },
    ]);
  });

  test('gets a further error for a field that belongs nowhere', async () => {
    const created = await sendJson('POST', skills(), { name: 'x', colour: 'red' });
    expect(await pointersOf(created)).toEqual(['/body', '/body/colour']);
  });

  test('gets the error that the wrapper is required if none of its fields is there', async () => {
    for (const body of [{}, { colour: 'red' }]) {
      const created = await sendJson('POST', skills(), body);
      expect(await errorsOf(created)).toContainEqual({ pointer: '/body/skill', message: 'is required; add it' });
    }
  });
});
