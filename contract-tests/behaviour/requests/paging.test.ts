/** Tests that the links of answers lead on: pages to the next page, creations to the resource. Against the server alone. */
import { describe, expect, test } from 'vitest';
import { ownProject, readObject, send, sendJson } from '../../target.js';

describe('the Location of a created resource', () => {
  test.each(['', '/api'])('leads to the resource under the base path "%s"', async (base) => {
    const project = await ownProject();
    const skill = { name: 'first', type: 'lookup' };
    const created = await sendJson('POST', `${base}/projects/${project}/skills`, { skill });
    const location = `${created.headers.get('Location')}`;
    expect(await (await send(location)).json()).toEqual(await created.json());
  });

  test('is the address of the resource, without a slash at its end', async () => {
    const project = await ownProject();
    const at = `/projects/${project}`;
    const rows = Array.from({ length: 60 }, (_, x) => ({ x, y: 2 * x }));
    const locationOf = async (method: string, address: string, body: unknown) => {
      const { status, headers } = await sendJson(method, address, body);
      expect([201, 202], address).toContain(status);
      return headers.get('Location');
    };
    for (const [list, kind, required] of [
      ['/projects', 'project', {}],
      [`${at}/skills`, 'skill', { type: 'lookup' }],
      [`${at}/agents`, 'agent', {}],
      [`${at}/chatbots`, 'chatbot', {}],
    ] as const) {
      const name = `${project}.second`;
      const location = await locationOf('POST', list, { [kind]: { name, ...required } });
      expect(location).toBe(`${list}/${name}`);
    }
    const conversations = `${at}/chatbots/${project}.second/conversations`;
    expect(await locationOf('POST', conversations, { conversation: {} })).toMatch(
      new RegExp(`^${conversations}/[0-9a-f-]{36}$`),
    );
    const model = `/api${at}/models/doubled`;
    expect(await locationOf('PUT', `${model}?target=y`, rows)).toBe(model);
  });
});

describe('paging', () => {
  const namesOf = (resources: unknown) => (Array.isArray(resources) ? resources.map(({ name }) => name) : resources);

  async function idsOf(response: Response): Promise<unknown[]> {
    const resources: unknown = await response.json();
    return Array.isArray(resources) ? resources.map(({ id }) => id) : [];
  }

  test.each(['', '/api'])('ends by following Link, under the base path "%s"', async (base) => {
    const owner = await ownProject();
    const names = Array.from({ length: 7 }, (_, at) => `skill-${at}`);
    for (const name of names) {
      await sendJson('POST', `/projects/${owner}/skills`, { skill: { name, type: 'lookup' } });
    }
    const pages: unknown[] = [];
    let next: string | undefined = `${base}/projects/${owner}/skills?limit=3`;
    while (next !== undefined) {
      const response: Response = await send(next);
      pages.push(namesOf(await response.json()));
      next = /^<(.*)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1];
    }
    expect(pages).toEqual([names.slice(0, 3), names.slice(3, 6), names.slice(6)]);
  });

  test('of keys is in order of creation, also of keys made at once, and goes on where a key was revoked', async () => {
    const made: unknown[] = [];
    for (let batch = 0; batch < 3; batch += 1) {
      const key = { name: `paged-${batch}`, scopes: ['read'] };
      const answers = await Promise.all(Array.from({ length: 3 }, () => sendJson('POST', '/keys', { key })));
      for (const answer of answers) made.push((await readObject(answer))['id']);
    }
    const isOwn = (id: unknown) => made.includes(id);
    const whole = (await idsOf(await send('/keys'))).filter(isOwn);
    expect(whole.toSorted()).toEqual(made.toSorted());
    expect(whole.slice(0, 3).toSorted()).toEqual(made.slice(0, 3).toSorted());
    const pages: unknown[] = [];
    let next: string | undefined = '/keys?limit=2';
    while (next !== undefined) {
      const page: Response = await send(next);
      const ids = await idsOf(page);
      pages.push(...ids);
      if (isOwn(ids.at(-1))) await send(`/keys/${ids.at(-1)}`, { method: 'DELETE' });
      next = /^<(.*)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1];
    }
    expect(pages.filter(isOwn)).toEqual(whole);
    for (const id of made) await send(`/keys/${id}`, { method: 'DELETE' });
  });

  test('of keys takes any cursor of the right form', async () => {
    for (const bytes of [Buffer.alloc(16), Buffer.alloc(16, 255)]) {
      const page = await send(`/keys?limit=1&cursor=${bytes.toString('base64url')}`);
      expect(page.status).toBe(200);
    }
  });

  test('has no Link on the last page, or if the list is complete', async () => {
    const owner = await ownProject();
    for (const name of ['first', 'second']) {
      await sendJson('POST', `/projects/${owner}/chatbots`, { chatbot: { name } });
    }
    for (const query of ['', '?limit=2', '?limit=1000']) {
      const response = await send(`/projects/${owner}/chatbots${query}`);
      expect(namesOf(await response.json())).toEqual(['first', 'second']);
      expect(response.headers.get('Link')).toBeNull();
    }
  });

  test('continues at the same place after the previous resource was deleted and another was added', async () => {
    const owner = await ownProject();
    const agents = `/projects/${owner}/agents`;
    for (const name of ['first', 'second', 'third']) {
      await sendJson('POST', agents, { agent: { name } });
    }
    const page = await send(`${agents}?limit=2`);
    const next = /^<(.*)>/.exec(page.headers.get('Link') ?? '')?.[1];
    await send(`${agents}/second`, { method: 'DELETE' });
    await sendJson('POST', agents, { agent: { name: 'fourth' } });
    expect(namesOf(await (await send(`${next}`)).json())).toEqual(['third', 'fourth']);
  });
});
