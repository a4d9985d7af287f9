/** Tests that a query is read literally, or refused. Against the server alone. */
import { describe, expect, test } from 'vitest';
import { readObject, send, sendJson } from '../target.js';

async function pointersOf(response: Response): Promise<unknown> {
  expect(response.status).toBe(400);
  const { errors } = await readObject(response);
  return Array.isArray(errors) ? errors.map(({ pointer }) => pointer) : errors;
}

test.each(['limit[]', 'limit[a]', 'agent[]', 'agent[a]', 'agent[__proto__]', '__proto__[a]'])(
  '%s is not a parameter, though some parsers read it as one',
  async (name) => {
    const response = await send(`/projects/default/skills?${encodeURIComponent(name)}=5`);
    expect(await pointersOf(response)).toEqual([`/query/${name}`]);
  },
);

test.each(['0x10', '+5', '05', ' 5', '5.', '1e400', '-1e400', ''])(
  'the text %j is not a whole number',
  async (text) => {
    const response = await send(`/projects/default/skills?limit=${encodeURIComponent(text)}`);
    expect(await pointersOf(response)).toEqual(['/query/limit']);
  },
);

test('a fraction in place of a whole number is reported once', async () => {
  const { errors } = await readObject(await send('/projects/default/skills?limit=1.5'));
  expect(errors).toEqual([{ pointer: '/query/limit', message: 'must be a whole number' }]);
});

test('a whole number may be written in any JSON notation', async () => {
  expect((await send('/projects/default/skills?limit=1e2')).status).toBe(200);
});

describe('the error for a field with an empty name points at it', () => {
  test.each([
    [{ skill: { name: 's', type: 'lookup' }, '': 1 }, 'skills', ['/body/']],
    [{ skill: { name: 's', type: 'lookup', '': 1 } }, 'skills', ['/body/skill/']],
    [{ agent: { name: 'a', data: { '': 1 }, '': 1 } }, 'agents', ['/body/agent/', '/body/agent/data/']],
    [{ agent: { name: 'a', settings: { '': 1 }, '': 1 } }, 'agents', ['/body/agent/']],
  ])('%j', async (body, list, pointers) => {
    const response = await sendJson('POST', `/projects/default/${list}`, body);
    expect(await pointersOf(response)).toEqual(pointers);
  });
});
