/** Tests of a project that stores as much JSON as it may. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ownProject, send, sendJson } from '../../target.js';
import { kinds } from '../resources/resource-kinds.js';

/** 16 MiB minus 137,216 bytes. */
const SKILLS = 16;
const EACH = 1_040_000;
const MORE = 200_000;

let project: string;
beforeAll(async () => {
  project = await ownProject();
  for (const { kind, list, required } of kinds) {
    const small = { [kind]: { ...required, name: 'small' } };
    expect((await sendJson('POST', `/projects/${project}/${list}`, small)).status).toBe(201);
  }
  const params = { text: 'x'.repeat(EACH - 20) };
  for (let number = 0; number < SKILLS; number += 1) {
    const skill = { name: `large_${number}`, type: 'lookup', params };
    const created = await sendJson('POST', `/projects/${project}/skills`, { skill });
    expect(created.status).toBe(201);
  }
});

describe.each(kinds)('a $kind of a full project', ({ kind, list, required, open }) => {
  const large = { [open]: { text: 'x'.repeat(MORE) } };

  test('is not changed to exceed the limit', async () => {
    const address = `/projects/${project}/${list}/small`;
    const refused = await sendJson('PUT', address, { [kind]: large });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      type: '/problems/limit-reached',
      detail: expect.stringContaining('16 MiB'),
    });
    expect(await (await send(address)).json()).toMatchObject({ [open]: {} });
  });

  test('is not created beyond the limit', async () => {
    const fields = { ...required, ...large, name: 'new' };
    const refused = await sendJson('POST', `/projects/${project}/${list}`, { [kind]: fields });
    expect(refused.status).toBe(409);
    expect((await send(`/projects/${project}/${list}/new`)).status).toBe(404);
  });
});

test('a full project takes no manifest that would exceed the limit', async () => {
  const agent = { name: 'new', settings: { text: 'x'.repeat(MORE) } };
  const refused = await sendJson('PUT', `/projects/${project}/manifest`, [{ agent }]);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({
    type: '/problems/limit-reached',
    detail: expect.stringContaining('16 MiB of params, settings and prompts'),
  });
  expect((await send(`/projects/${project}/agents/new`)).status).toBe(404);
});
