/** Tests of going through the lists of the real server with the client. */
import fc from 'fast-check';
import { createRosterClient, items, type PageQuery, ProblemError, pages } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FaultyProxy, openFaultyProxy } from '../../testkit/http/faulty-proxy.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

const project_name = 'default';
const params = { path: { project_name } };
const NAMES = ['one', 'two', 'three', 'four', 'five'];

let server: ServerProcess;
let proxy: FaultyProxy;
beforeAll(async () => {
  server = await startServer();
  proxy = await openFaultyProxy(server.url);
  for (const name of NAMES) {
    await roster().POST('/projects/{project_name}/skills', { params, body: { skill: { name, type: 'lookup' } } });
  }
});
beforeEach(() => {
  proxy.passed.length = 0;
});
afterAll(async () => {
  await proxy.close();
  await server.stop();
});

const roster = () => createRosterClient({ baseUrl: `${proxy.url}/api` });

function listSkills(query: PageQuery) {
  return roster().GET('/projects/{project_name}/skills', { params: { ...params, query } });
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found = [];
  for await (const item of list) found.push(item);
  return found;
}

test('paging yields the pages of a list in order, and ends after the last one', async () => {
  const found = await all(pages(listSkills, { limit: 2 }));
  expect(found.map((page) => page.map(({ name }) => name))).toEqual([['one', 'two'], ['three', 'four'], ['five']]);
});

test('paging yields the same resources in the same order, whatever the page size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 7 }), async (limit) => {
      const found = await all(items(listSkills, { limit }));
      expect(found.map(({ name }) => name)).toEqual(NAMES);
    }),
    { numRuns: 10 },
  );
});

test('an empty list has no items', async () => {
  const list = (query: PageQuery) => roster().GET('/projects/{project_name}/agents', { params: { ...params, query } });
  expect(await all(items(list))).toEqual([]);
});

test('paging works for every list of the contract', async () => {
  const client = roster();
  const found = [
    await all(items((query) => client.GET('/projects', { params: { query } }))),
    await all(items((query) => client.GET('/projects/{project_name}/agents', { params: { ...params, query } }))),
    await all(items((query) => client.GET('/projects/{project_name}/chatbots', { params: { ...params, query } }))),
    await all(
      items((query) =>
        client.GET('/api/projects/{projectName}/models', { params: { path: { projectName: project_name }, query } }),
      ),
    ),
  ];
  expect(found.map((list) => list.length)).toEqual([1, 0, 0, 0]);
});

describe('paging requests no further page', () => {
  test('after a break', async () => {
    for await (const { name } of items(listSkills, { limit: 2 })) {
      if (name === 'two') break;
    }
    expect(proxy.passed).toHaveLength(1);
  });

  test('before its items are consumed', async () => {
    const list = pages(listSkills, { limit: 2 });
    expect(proxy.passed).toHaveLength(0);
    await list.next();
    expect(proxy.passed).toHaveLength(1);
    await list.return();
  });
});

test('paging repeats the other parameters of the list with each page', async () => {
  const list = items(
    (query) =>
      roster().GET('/projects/{project_name}/skills', {
        params: { ...params, query: { agent: ['nobody', 'no-one'], ...query } },
      }),
    { limit: 2 },
  );
  expect(await all(list)).toEqual([]);
  expect(proxy.passed[0]?.path).toContain('agent=nobody&agent=no-one&limit=2');
});

test('paging throws an error when a page links back to itself', async () => {
  const withoutCursor = ({ limit }: PageQuery) => listSkills({ limit });
  await expect(all(items(withoutCursor, { limit: 2 }))).rejects.toThrow('came a second time');
  expect(proxy.passed).toHaveLength(2);
});

test('paging throws a problem, with its type', async () => {
  const list = items((query) =>
    roster().GET('/projects/{project_name}/skills', { params: { path: { project_name: 'nowhere' }, query } }),
  );
  const thrown: unknown = await all(list).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ProblemError);
  expect(thrown).toMatchObject({ problem: { type: '/problems/project-not-found' }, response: { status: 404 } });
});

test.each([
  ['</skills?cursor=b>; rel=next'],
  ['<https://elsewhere.example/skills?cursor=b>; title="next, please"; rel="last next"'],
  ['</skills?cursor=a>; rel="prev", </skills?cursor=b>; REL="next"; type="application/json"'],
])('paging finds the next page in Link: %s', async (link) => {
  const asked: PageQuery[] = [];
  const list = async (page: PageQuery) => {
    asked.push(page);
    const headers = page.cursor === undefined ? { Link: link } : undefined;
    return { data: [asked.length], response: Response.json([], { ...(headers && { headers }) }) };
  };
  expect(await all(items(list))).toEqual([1, 2]);
  expect(asked).toEqual([{ limit: 100 }, { limit: 100, cursor: 'b' }]);
});

test.each([
  [''],
  ['</skills?cursor=b>; rel="prev"'],
  ['</skills?cursor=b>; rel="nextcloud"'],
  ['</skills?cursor=b>; title="rel=next"; rel="prev"'],
])('paging finds no next page in Link: %s', async (link) => {
  const list = async () => ({ data: ['only'], response: Response.json([], { headers: { Link: link } }) });
  expect(await all(items(list))).toEqual(['only']);
});
