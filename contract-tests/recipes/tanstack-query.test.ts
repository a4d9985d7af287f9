/** Tests of the recipe for TanStack Query, with its core and the real server. */
import { InfiniteQueryObserver, MutationObserver, QueryClient } from '@tanstack/query-core';
import { answered, createRosterClient, ProblemError, type RosterClient } from 'roster-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { skillChange, skillQuery, skillsQuery } from '../../examples/recipes/tanstack-query.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

const SKILL = '/projects/{project_name}/skills/{skill_name}';
let server: ServerProcess;
/** The page under test, and another user who changes the same skills. */
let roster: RosterClient;
let other: RosterClient;
/** Answers that the page got, as `GET 304`. */
const answers: string[] = [];
/** The skill that the page shows when it sends a change. */
const shownAtChange: unknown[] = [];

let count = 0;
let queries: QueryClient;
let path: { project_name: string; skill_name: string };

beforeAll(async () => {
  server = await startServer();
  other = createRosterClient({ baseUrl: server.url });
  roster = createRosterClient({
    baseUrl: server.url,
    fetch: async (request) => {
      if (request.method === 'PUT') shownAtChange.push(shown());
      const answer = await fetch(request);
      answers.push(`${request.method} ${answer.status}`);
      return answer;
    },
  });
});
beforeEach(async () => {
  count += 1;
  const project_name = `project_${count}`;
  await answered(other.POST('/projects', { body: { project: { name: project_name } } }));
  path = { project_name, skill_name: 'lookup' };
  await create('lookup');
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  answers.length = 0;
  shownAtChange.length = 0;
});
afterAll(() => server.stop());

async function create(name: string): Promise<void> {
  await answered(
    other.POST('/projects/{project_name}/skills', {
      params: { path },
      body: { skill: { name, type: 'lookup' } },
    }),
  );
}

async function changeElsewhere(type: string): Promise<void> {
  await answered(other.PUT(SKILL, { params: { path }, body: { skill: { type } } }));
}

const shown = () => queries.getQueryData(skillQuery(roster, path).queryKey);

test('an unchanged skill is not sent again, and stays the same object', async () => {
  const first = await queries.fetchQuery(skillQuery(roster, path));
  const second = await queries.fetchQuery(skillQuery(roster, path));
  expect(answers).toEqual(['GET 200', 'GET 304']);
  expect(second).toBe(first);
  await changeElsewhere('by_someone_else');
  const third = await queries.fetchQuery(skillQuery(roster, path));
  expect(third.data.type).toBe('by_someone_else');
});

test('a change is shown at once, and kept with its new ETag', async () => {
  const before = await queries.fetchQuery(skillQuery(roster, path));
  const change = new MutationObserver(queries, skillChange(roster, queries, path));
  const saved = await change.mutate({ type: 'changed' });
  expect(shownAtChange).toEqual([{ ...before, data: { ...before.data, type: 'changed' } }]);
  expect(saved.etag).not.toBe(before.etag);
  expect(shown()).toEqual(saved);
  await change.mutate({ type: 'changed_again' });
  expect(answers).toEqual(['GET 200', 'PUT 200', 'PUT 200']);
});

test('changes that follow each other at once do not refuse each other', async () => {
  await queries.fetchQuery(skillQuery(roster, path));
  const changes = ['first', 'second'].map((type) =>
    new MutationObserver(queries, skillChange(roster, queries, path)).mutate({ type }),
  );
  await Promise.all(changes);
  expect(answers).toEqual(['GET 200', 'PUT 200', 'PUT 200']);
  expect(shown()).toMatchObject({ data: { type: 'second' } });
});

test('a change that comes too late is rolled back, and the skill is read again', async () => {
  const before = await queries.fetchQuery(skillQuery(roster, path));
  await changeElsewhere('by_someone_else');
  const change = new MutationObserver(queries, skillChange(roster, queries, path));
  const refused: unknown = await change.mutate({ type: 'too_late' }).catch((error) => error);
  expect(refused).toBeInstanceOf(ProblemError);
  expect(refused).toMatchObject({ problem: { type: '/problems/precondition-failed' } });
  expect(shown()).toEqual(before);
  expect(queries.getQueryState(skillQuery(roster, path).queryKey)?.isInvalidated).toBe(true);
  expect((await queries.fetchQuery(skillQuery(roster, path))).data.type).toBe('by_someone_else');
});

test('a list is read page by page, and read again after a change in it', async () => {
  for (const name of ['two', 'three']) await create(name);
  const options = { ...skillsQuery(roster, path), initialPageParam: { limit: 2 } };
  const list = new InfiniteQueryObserver(queries, options);
  const unsubscribe = list.subscribe(() => {});
  const names = () =>
    list.getCurrentResult().data?.pages.map(({ items }) => items.map(({ name }) => name));
  await expect.poll(names).toEqual([['lookup', 'two']]);
  expect(list.getCurrentResult().hasNextPage).toBe(true);
  await list.fetchNextPage();
  expect(names()).toEqual([['lookup', 'two'], ['three']]);
  expect(list.getCurrentResult().hasNextPage).toBe(false);

  answers.length = 0;
  await new MutationObserver(queries, skillChange(roster, queries, path)).mutate({ type: 'new' });
  expect(answers).toEqual(['PUT 200', 'GET 200', 'GET 200']);
  expect(list.getCurrentResult().data?.pages[0]?.items[0]).toMatchObject({ type: 'new' });
  unsubscribe();
});
