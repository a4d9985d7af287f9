/** Tests against the mock alone that a resource has the name that a request gives it. */
import { expect, test } from 'vitest';
import { readObject, roster, send, sendJson } from '../target.js';

const ID = '019a2f3d-0b10-7d4a-8c2e-5a7b9c1d3e99';

test('a model that is trained is found at its Location, ready, under its name', async () => {
  const { data, response } = await roster.PUT('/api/projects/{projectName}/models/{modelName}', {
    params: { path: { projectName: 'shop', modelName: 'prices' }, query: { target: 'price' } },
    headers: { 'Content-Type': 'text/csv' },
    body: 'carat,price\n0.23,326\n',
  });
  expect(data?.name).toBe('prices');
  expect(response.headers.get('Location')).toBe('/api/projects/shop/models/prices');
  const model = await readObject(await send(`${response.headers.get('Location')}`));
  expect(model).toMatchObject({ name: 'prices', status: 'ready' });
});

test('a resource that is created has the name in its body', async () => {
  const response = await sendJson('POST', '/projects/shop/skills', {
    skill: { name: 'lookup', type: 'sql', params: { database: 'sales', tables: ['orders'] } },
  });
  expect(response.headers.get('Location')).toBe('/projects/shop/skills/lookup');
  expect(await readObject(response)).toMatchObject({ name: 'lookup' });
});

test('a resource that is renamed has its new name', async () => {
  const response = await sendJson('PUT', '/projects/default/skills/old', { skill: { name: 'new' } });
  expect(await readObject(response)).toMatchObject({ name: 'new' });
});

test.each([
  ['a name', '/projects/default/agents/helper', { name: 'helper' }],
  ['an identifier', `/projects/default/skills/${ID}`, { id: ID, name: 'sales_questions' }],
  ['an identifier', `/projects/default/chatbots/help_desk/conversations/${ID}`, { id: ID }],
  ['a version', '/api/projects/default/models/diamond_prices/versions/7', { version: 7 }],
])('a resource has %s of its address', async (_, path, expected) => {
  expect(await readObject(await send(path))).toMatchObject(expected);
});

test('a retrained model keeps its name, and Location leads to it', async () => {
  const response = await send('/api/projects/shop/models/prices/retrain', { method: 'POST' });
  expect(response.headers.get('Location')).toBe('/api/projects/shop/models/prices');
  expect(await readObject(response)).toMatchObject({ name: 'prices' });
});

test('a model whose serving version is chosen keeps its name', async () => {
  const response = await sendJson('PUT', '/api/projects/shop/models/prices/serving', { serving: { version: 1 } });
  expect(await readObject(response)).toMatchObject({ name: 'prices' });
});

test('a conversation without a name keeps the identifier of the example', async () => {
  const path = '/projects/default/chatbots/desk/conversations';
  const response = await sendJson('POST', path, { conversation: {} });
  const { id } = await readObject(response);
  expect(response.headers.get('Location')).toBe(`${path}/${id}`);
});

test('an example that is preferred by its name is answered as it is', async () => {
  const response = await send('/api/projects/default/models/prices', { headers: { Prefer: 'example=classes' } });
  expect(await readObject(response)).toMatchObject({ name: 'diamond_cuts' });
});
