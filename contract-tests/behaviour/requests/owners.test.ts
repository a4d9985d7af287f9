/** Tests that an owner sees nothing of another's, operation by operation from the contract. */
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { OWNER_SCOPES } from '../../../contract/scopes.js';
import { operations } from '../../../testkit/openapi/document.js';
import { examplePath, exampleRequests } from '../../../testkit/openapi/example-requests.js';
import { settled } from '../../../testkit/service/train-prices.js';
import { makeKey } from '../../../testkit/store/keys.js';
import { keys, ownProject, readObject, roster, send, sendAs, sendJson } from '../../target.js';

const secured = operations.filter(({ place }) => place.entries('security').length > 0);

describe("another owner's project", () => {
  let project: string;
  const ids: Record<string, string> = {};
  let cursor: string;
  /** A key of the same owner, for another project. */
  let bound: string;

  beforeAll(async () => {
    project = await ownProject();
    for (const [kind, list, body] of [
      ['skill', 'skills', { name: 'sales_questions', type: 'lookup' }],
      ['agent', 'agents', { name: 'analyst', skills: ['sales_questions'] }],
      ['chatbot', 'chatbots', { name: 'help_desk', agent_name: 'analyst' }],
    ] as const) {
      const created = await sendJson('POST', `/projects/${project}/${list}`, { [kind]: body });
      ids[kind] = String((await readObject(created))['id']);
    }
    await sendJson('POST', `/projects/${project}/skills`, { skill: { name: 's2', type: 'lookup' } });
    const rows = Array.from({ length: 60 }, (_, row) => ({ carat: row, price: row * 2 }));
    const trained = await send(`/api/projects/${project}/models/diamond_prices?target=price`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(rows),
    });
    expect(trained.status).toBe(202);
    const model = { projectName: project, modelName: 'diamond_prices' };
    expect(await settled(roster, model)).toMatchObject({ status: 'ready' });
    bound = await makeKey(`${inject('target').databaseUrl}`, {
      name: 'bound',
      project: await ownProject(),
      owner: String((await readObject(await send('/me')))['owner']),
      scopes: OWNER_SCOPES,
    });
    const page = await send(`/projects/${project}/skills?limit=1`);
    cursor = /cursor=([\w-]+)/.exec(`${page.headers.get('Link')}`)?.[1] ?? '';
    expect(cursor).not.toBe('');
  });

  const inProject = secured.filter(({ path }) => /\{(project_name|projectName)\}/.test(path));

  test('is tested with every operation on a single project', () => {
    const others = secured.filter((operation) => !inProject.includes(operation));
    expect(others.map(({ id }) => id)).toEqual([
      'getCaller',
      'listKeys',
      'createKey',
      'getKey',
      'deleteKey',
      'listProjects',
      'createProject',
      'callMcp',
      'getOpenaiModels',
      'getOpenaiModel',
      'completeChat',
      'completeResponse',
      'getResponse',
      'deleteResponse',
      'getMetrics',
      'listAudit',
    ]);
  });

  /** Returns an answer without the parts that differ between any two answers. */
  async function comparable(response: Response, name: string): Promise<unknown> {
    const { request_id: _, ...body } = await readObject(response);
    const headers = [...response.headers.keys()];
    const text = JSON.stringify({ status: response.status, body, headers });
    return JSON.parse(text.replaceAll(name, 'PROJECT'));
  }

  test.each(inProject)('looks to $id as if it had never existed', async (operation) => {
    const [{ headers, path: _, ...init }] = exampleRequests(operation);
    const byId = { skill_name: ids['skill'] ?? '', agent_name: ids['agent'] ?? '' };
    const absent = `never-${project}`;
    for (const key of [keys.stranger, bound]) {
      for (const names of [{}, byId]) {
        const at = (name: string) => examplePath(operation, { ...names, project_name: name, projectName: name });
        const hidden = await sendAs(key, at(project), { ...init, headers });
        const missing = await sendAs(key, at(absent), { ...init, headers });
        expect(hidden.status).toBe(404);
        expect(await comparable(hidden, project)).toEqual(await comparable(missing, absent));
      }
    }
  });

  test('is nowhere for a key that is for another project of the owner', async () => {
    const me = await readObject(await sendAs(bound, '/me'));
    const list = await (await sendAs(bound, '/projects')).json();
    expect(list).toEqual([expect.objectContaining({ name: me['project'] })]);
    expect(me['project']).not.toBe(project);
    const models = await (await sendAs(bound, '/v1/models')).json();
    expect(JSON.stringify(models)).not.toContain(project);

    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `bound-${project}` };
    const create = (key: string, path: string, body: object) =>
      sendAs(key, path, { method: 'POST', headers, body: JSON.stringify(body) });
    const skill = { skill: { name: 'of-all', type: 'lookup' } };
    expect((await create(keys.own, `/projects/${project}/skills`, skill)).status).toBe(201);
    const again = await create(bound, `/projects/${project}/skills`, skill);
    expect(await again.text()).not.toContain('of-all');
    expect(again.ok).toBe(false);
    const other = await sendAs(bound, '/projects', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: { name: 'another' } }),
    });
    expect(other.status).toBe(403);
    expect(other.headers.get('WWW-Authenticate')).toContain('insufficient_scope');
    await sendAs(keys.own, `/projects/${project}/skills/of-all`, { method: 'DELETE' });
  });

  test('is not what a key sees instead of its own project, once that is deleted', async () => {
    const gone = await ownProject();
    const { owner } = await readObject(await send('/me'));
    const key = await makeKey(`${inject('target').databaseUrl}`, {
      name: 'orphan',
      project: gone,
      owner: String(owner),
      scopes: OWNER_SCOPES,
    });
    expect((await sendAs(key, `/projects/${gone}`, { method: 'DELETE' })).status).toBe(204);
    expect(await (await sendAs(key, '/projects')).json()).toEqual([]);
    expect(await readObject(await sendAs(key, '/me'))).toMatchObject({ project: null });
    expect((await sendAs(key, '/projects/default')).status).toBe(404);
  });

  test('still exists afterwards, unchanged', async () => {
    const { data } = await roster.GET('/projects/{project_name}/skills/{skill_name}', {
      params: { path: { project_name: project, skill_name: 'sales_questions' } },
    });
    expect(data).toMatchObject({ id: ids['skill'], agent_ids: [ids['agent']] });
  });

  test('is not in the list of projects, and its name is free for other owners', async () => {
    const list = async () => JSON.stringify(await (await sendAs(keys.stranger, '/projects')).json());
    expect(await list()).not.toContain(project);
    const own = await sendAs(keys.stranger, '/projects', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: { name: project } }),
    });
    expect(own.status).toBe(201);
    const skills = await sendAs(keys.stranger, `/projects/${project}/skills`);
    expect(await skills.json()).toEqual([]);
    expect(await (await send(`/projects/${project}/skills`)).json()).toHaveLength(2);
  });

  test('cannot be reached by identifiers, filters or cursors through a project of the same name', async () => {
    const at = `/projects/${project}`;
    for (const address of [`${at}/skills/${ids['skill']}`, `${at}/agents/${ids['agent']}`]) {
      expect((await sendAs(keys.stranger, address)).status, address).toBe(404);
    }
    for (const query of [`agent=${ids['agent']}`, 'agent=analyst', `limit=1&cursor=${cursor}`]) {
      const filtered = await sendAs(keys.stranger, `${at}/skills?${query}`);
      expect(await filtered.json(), query).toEqual([]);
    }
    const json = { 'Content-Type': 'application/json' };
    const agent = await sendAs(keys.stranger, `${at}/agents`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ agent: { name: 'a', skills: [ids['skill']] } }),
    });
    expect(agent.status).toBe(422);
    const chatbot = await sendAs(keys.stranger, `${at}/chatbots`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ chatbot: { name: 'c', agent_id: ids['agent'] } }),
    });
    expect(chatbot.status).toBe(422);
  });
});

test('every owner begins with an empty project named default', async () => {
  const { data } = await roster.GET('/projects');
  expect(data?.map(({ name }) => name)).toContain('default');
  const theirs = await sendAs(keys.stranger, '/projects/default');
  expect(theirs.status).toBe(200);
  expect((await readObject(theirs))['id']).not.toBe((await readObject(await send('/projects/default')))['id']);
});
