/** Tests that skills of the types that are tools of agents have the params that the tools need. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ownProject, readObject, send, sendJson } from '../../target.js';

let project: string;
beforeAll(async () => {
  project = await ownProject();
  const rows = Array.from({ length: 60 }, (_, row) => ({ carat: row, price: row * 2 }));
  const trained = await send(`/api/projects/${project}/models/prices?target=price`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(rows),
  });
  // The model may still be training when a skill names it.
  expect(trained.status).toBe(202);
});

let skills = 0;
const create = (type: string, params?: unknown) => {
  skills += 1;
  const skill = { name: `skill_${skills}`, type, ...(params !== undefined && { params }) };
  return sendJson('POST', `/projects/${project}/skills`, { skill });
};
const change = (name: string, skill: Record<string, unknown>) =>
  sendJson('PUT', `/projects/${project}/skills/${name}`, { skill });
const read = async (name: string) => readObject(await send(`/projects/${project}/skills/${name}`));

/** Returns the pointers of a refusal, by their messages. */
async function faultsOf(refused: Response): Promise<[string, string][]> {
  const { type, errors } = await readObject(refused);
  expect([refused.status, type]).toEqual([422, '/problems/unusable-skill']);
  return (Array.isArray(errors) ? errors : []).map(({ pointer, message }) => [pointer, message]);
}

const TABLES = ['orders', 'shop.customers'];

test.each([
  ['model', { model: 'prices' }],
  ['model', { model: 'prices', version: 1, description: 'Prices of diamonds' }],
  ['sql', { database: 'sales', tables: TABLES, limit: 3 }],
  ['sql', { database: 'sales', tables: Array(100).fill('orders'), description: null }],
  ['retrieval', { source: 'care of diamonds', description: 'What to clean with' }],
  ['mcp', { server: 'shop', tools: ['predict_prices'] }],
  ['knowledge_base', {}],
  ['knowledge_base', undefined],
  ['knowledge_base', { source: 'care of diamonds' }],
  ['lookup', { database: 7, tables: 'all', model: [], source: {}, description: 1 }],
  ['SQL', {}],
])('a skill of the type %s takes the params %j', async (type, params) => {
  expect((await create(type, params)).status).toBe(201);
});

test.each<[string, unknown, Record<string, string>]>([
  ['sql', undefined, { '/database': 'is missing; a skill of the type sql names a database', '/tables': 'is missing' }],
  ['sql', { database: null, tables: null }, { '/database': 'is missing', '/tables': 'is missing' }],
  ['sql', { database: ' ', tables: [] }, { '/database': 'must be a text', '/tables': 'must be an array of 1 to 100' }],
  ['sql', { database: ['sales'], tables: 'orders' }, { '/database': 'must be a text', '/tables': 'must be an array' }],
  [
    'sql',
    { database: 'sales', tables: ['orders', '', null, 7] },
    { '/tables/1': 'the name of a table', '/tables/2': 'the name', '/tables/3': 'the name' },
  ],
  ['sql', { database: 'sales', tables: Array(101).fill('orders') }, { '/tables': 'an array of 1 to 100' }],
  ['sql', { database: 'sales', tables: TABLES, description: 7 }, { '/description': 'must be a text, or be left out' }],
  [
    'mcp',
    {},
    {
      '/server': 'is missing; a skill of the type mcp names an MCP server of the service',
      '/tools': 'is missing; a skill of the type mcp has an array of 1 to 64 names of tools',
    },
  ],
  ['mcp', { server: 7, tools: ['add', ''] }, { '/server': 'must be a text', '/tools/1': 'must be the name of a tool' }],
  ['mcp', { server: 'shop', tools: Array(65).fill('add') }, { '/tools': 'an array of 1 to 64 names of tools' }],
  ['retrieval', {}, { '/source': 'is missing; a skill of the type retrieval says' }],
  ['retrieval', { source: ['a'] }, { '/source': 'must be a text' }],
  ['knowledge_base', { source: 7, description: {} }, { '/source': 'must be a text', '/description': 'must be' }],
  ['model', {}, { '/model': 'is missing; a skill of the type model names a model of the project' }],
  ['model', { model: 7 }, { '/model': 'must be a text' }],
  ['model', { model: 'costs' }, { '/model': 'which has none with the name "costs"; train it first' }],
  ['model', { model: 'prices', version: '1' }, { '/version': 'must be the number of a version' }],
  ['model', { model: 'prices', version: 1.5 }, { '/version': 'must be the number of a version' }],
  ['model', { model: 'prices', version: 0 }, { '/version': 'must be the number of a version' }],
  ['model', { model: 'prices', version: 2 }, { '/version': 'which has no version 2; leave it out' }],
  ['model', { model: 'prices', version: 9e15 }, { '/version': 'has no version 9000000000000000' }],
])('a skill of the type %s with the params %j is refused, and not kept', async (type, params, expected) => {
  const refused = await create(type, params);
  const faults = await faultsOf(refused);
  expect(faults.map(([pointer]) => pointer)).toEqual(
    Object.keys(expected).map((place) => `/body/skill/params${place}`),
  );
  for (const [at, words] of Object.values(expected).entries()) {
    expect(faults[at]?.[1]).toContain(words);
  }
  expect((await send(`/projects/${project}/skills/skill_${skills}`)).status).toBe(404);
});

test('a model of another project is none', async () => {
  const other = await ownProject();
  const skill = { name: 'prices', type: 'model', params: { model: 'prices' } };
  const refused = await sendJson('POST', `/projects/${other}/skills`, { skill });
  expect(await faultsOf(refused)).toMatchObject([['/body/skill/params/model', expect.any(String)]]);
});

describe('an update', () => {
  test('is checked with the params that are stored and the type that results', async () => {
    await create('sql', { database: 'sales', tables: TABLES });
    const name = `skill_${skills}`;
    expect((await change(name, { params: { database: 'shop' } })).status).toBe(200);
    const before = await read(name);
    for (const [fields, pointers] of [
      [{ params: { database: null } }, ['/body/skill/params/database']],
      [{ params: { tables: [] } }, ['/body/skill/params/tables']],
      [{ type: 'retrieval' }, ['/body/skill/params/source']],
      [{ type: 'model', params: { model: 'none' } }, ['/body/skill/params/model']],
    ] as const) {
      const faults = await faultsOf(await change(name, fields));
      expect(faults.map(([pointer]) => pointer)).toEqual(pointers);
    }
    expect(await read(name)).toEqual(before);
    expect((await change(name, { type: 'lookup', params: { tables: null } })).status).toBe(200);
    const back = await faultsOf(await change(name, { type: 'sql' }));
    expect(back.map(([pointer]) => pointer)).toEqual(['/body/skill/params/tables']);
  });

  test('may rename a skill whose model was deleted, and nothing else without another model', async () => {
    const rows = Array.from({ length: 60 }, (_, row) => ({ a: row, b: row * 2 }));
    const model = `/api/projects/${project}/models/brief`;
    expect((await sendJson('PUT', `${model}?target=b`, rows)).status).toBe(202);
    expect((await create('model', { model: 'brief' })).status).toBe(201);
    const name = `skill_${skills}`;
    expect((await send(model, { method: 'DELETE' })).status).toBe(204);
    expect((await change(name, { name: 'orphan' })).status).toBe(200);
    await faultsOf(await change('orphan', { params: { description: 'Old' } }));
    expect((await change('orphan', { params: { model: 'prices' } })).status).toBe(200);
  });
});
