/** Tests of `roster-client/tanstack-query` and of its recipe, with TanStack's core and the real server. */
import {
  type DehydratedState,
  dehydrate,
  hydrate,
  InfiniteQueryObserver,
  MutationObserver,
  QueryClient,
  QueryObserver,
} from '@tanstack/query-core';
import { createRoster, isProblem, ProblemError, type Roster } from 'roster-client';
import { keepEtags, type RosterQueries, rosterQueries } from 'roster-client/tanstack-query';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { skillChange } from '../../examples/recipes/tanstack-query.js';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

let server: ServerProcess;
/** The page under test, and another user who changes the same skills. */
let roster: Roster;
let other: Roster;
/** Answers that the page got, as `GET 304`. */
const answers: string[] = [];
/** The skill that the page shows when it sends a change. */
const shownAtChange: unknown[] = [];

let count = 0;
let queries: QueryClient;
let from: RosterQueries;

beforeAll(async () => {
  server = await startServer();
});
beforeEach(async () => {
  count += 1;
  const project = `project_${count}`;
  other = createRoster({ baseUrl: server.url, project });
  roster = createRoster({
    baseUrl: server.url,
    project,
    fetch: async (request) => {
      if (request.method === 'PUT') shownAtChange.push(shown());
      const answer = await fetch(request);
      answers.push(`${request.method} ${answer.status}`);
      return answer;
    },
  });
  await other.projects.create({ name: project });
  await other.skills.create({ name: 'lookup', type: 'lookup' });
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  from = rosterQueries(roster);
  answers.length = 0;
  shownAtChange.length = 0;
});
afterAll(() => server.stop());

const shown = () => queries.getQueryData(from.skills.get('lookup').queryKey);

test('an unchanged skill is not sent again, and stays the same object', async () => {
  const first = await queries.fetchQuery(from.skills.get('lookup'));
  const second = await queries.fetchQuery(from.skills.get('lookup'));
  expect(answers).toEqual(['GET 200', 'GET 304']);
  expect(second).toBe(first);
  await other.skills.update('lookup', { type: 'by_someone_else' });
  const third = await queries.fetchQuery(from.skills.get('lookup'));
  expect(third.type).toBe('by_someone_else');
  expectTypeOf(third.agent_ids).toEqualTypeOf<string[]>();
});

test('data that a server hands to a page as JSON keep their ETags', async () => {
  const options = { defaultOptions: { ...keepEtags, queries: { retry: false } } };
  const ofServer = new QueryClient(options);
  const skill = await ofServer.fetchQuery(from.skills.get('lookup'));
  await ofServer.fetchQuery(from.skills.list());
  const sent: DehydratedState = JSON.parse(JSON.stringify(dehydrate(ofServer)));
  queries = new QueryClient(options);
  hydrate(queries, sent);
  expect(shown()).toEqual(skill);
  expect(queries.getQueryData(from.skills.list().queryKey)).toMatchObject([{ id: skill.id }]);
  await queries.fetchQuery(from.skills.get('lookup'));
  expect(answers).toEqual(['GET 200', 'GET 200', 'GET 304']);
  await other.skills.update('lookup', { type: 'by_someone_else' });
  const change = new MutationObserver(queries, from.skills.update('lookup')).mutate({ type: 'mine' });
  await expect(change).rejects.toSatisfy((error) => isProblem(error, '/problems/precondition-failed'));
});

test('a change is shown at once, and kept with its new ETag', async () => {
  const before = await queries.fetchQuery(from.skills.get('lookup'));
  const change = new MutationObserver(queries, skillChange(roster, queries, 'lookup'));
  const saved = await change.mutate({ type: 'changed' });
  expect(shownAtChange).toEqual([{ ...before, type: 'changed' }]);
  expect(saved.type).toBe('changed');
  expect(shown()).toBe(saved);
  await change.mutate({ type: 'changed_again' });
  expect(answers).toEqual(['GET 200', 'PUT 200', 'PUT 200']);
});

test('changes that follow each other at once do not refuse each other', async () => {
  await queries.fetchQuery(from.skills.get('lookup'));
  const changes = ['first', 'second'].map((type) =>
    new MutationObserver(queries, from.skills.update('lookup')).mutate({ type }),
  );
  await Promise.all(changes);
  expect(answers).toEqual(['GET 200', 'PUT 200', 'PUT 200']);
  expect(shown()).toMatchObject({ type: 'second' });
});

test('a change that comes too late is rolled back, and the skill is read again', async () => {
  const before = await queries.fetchQuery(from.skills.get('lookup'));
  await other.skills.update('lookup', { type: 'by_someone_else' });
  const change = new MutationObserver(queries, skillChange(roster, queries, 'lookup'));
  const refused: unknown = await change.mutate({ type: 'too_late' }).catch((error) => error);
  expect(refused).toBeInstanceOf(ProblemError);
  expect(isProblem(refused, '/problems/precondition-failed')).toBe(true);
  expect(shown()).toEqual(before);
  expect(queries.getQueryState(from.skills.get('lookup').queryKey)?.isInvalidated).toBe(true);
  expect((await queries.fetchQuery(from.skills.get('lookup'))).type).toBe('by_someone_else');
});

test('a list is read page by page, and read again after a change in it', async () => {
  for (const name of ['two', 'three']) await other.skills.create({ name, type: 'data' });
  const list = new InfiniteQueryObserver(queries, from.skills.listPages({ limit: 2 }));
  const unsubscribe = list.subscribe(() => {});
  const names = () => list.getCurrentResult().data?.pages.map(({ items }) => items.map(({ name }) => name));
  await expect.poll(names).toEqual([['lookup', 'two']]);
  expect(list.getCurrentResult().hasNextPage).toBe(true);
  await list.fetchNextPage();
  expect(names()).toEqual([['lookup', 'two'], ['three']]);
  expect(list.getCurrentResult().hasNextPage).toBe(false);

  answers.length = 0;
  await new MutationObserver(queries, from.skills.update('lookup')).mutate({ type: 'new' });
  expect(answers).toEqual(['PUT 200', 'GET 200', 'GET 200']);
  expect(list.getCurrentResult().data?.pages[0]?.items[0]).toMatchObject({ type: 'new' });
  unsubscribe();
});

test('a deleted resource is forgotten, and lists that showed it are read again', async () => {
  await queries.fetchQuery(from.skills.get('lookup'));
  expect((await queries.fetchQuery(from.skills.list())).map(({ name }) => name)).toEqual(['lookup']);
  await new MutationObserver(queries, from.skills.delete('lookup')).mutate();
  expect(shown()).toBeUndefined();
  expect(queries.getQueryState(from.skills.list().queryKey)?.isInvalidated).toBe(true);
  expect(await queries.fetchQuery(from.skills.list())).toEqual([]);
});

test('skills are read again after a change of the agents that they list', async () => {
  await queries.fetchQuery(from.skills.list());
  await new MutationObserver(queries, from.agents.create()).mutate({ name: 'analyst', skills: ['lookup'] });
  expect(queries.getQueryState(from.skills.list().queryKey)?.isInvalidated).toBe(true);
});

test('a query that nobody needs any more is cancelled', async () => {
  const list = new QueryObserver(queries, from.agents.list());
  list.subscribe(() => {})();
  await expect.poll(() => queries.isFetching()).toBe(0);
  expect(queries.getQueryState(from.agents.list().queryKey)?.data).toBeUndefined();
  expect(answers).toEqual([]);
});

test('predictions are queries by their rows, typed by the model, and stale with a new version', async () => {
  interface Models {
    prices: { input: { carat?: number }; target: 'price'; value: number };
  }
  const typed = rosterQueries(createRoster<Models>({ baseUrl: server.url, project: roster.project }));
  const training = new MutationObserver(queries, from.models.train('prices', { target: 'price' }));
  await training.mutate(fewDiamonds);
  await expect.poll(async () => (await queries.fetchQuery(from.models.get('prices'))).status).toBe('ready');
  const query = typed.models.predict('prices', [{ carat: 0.7 }], { confidence: 0.9 });
  const [row] = await queries.fetchQuery(query);
  expectTypeOf(row?.price).toEqualTypeOf<number | undefined>();
  expect(row?.price).toBeGreaterThan(0);
  await new MutationObserver(queries, from.versions.serve('prices')).mutate({ version: 1 });
  expect(queries.getQueryState(query.queryKey)?.isInvalidated).toBe(true);
});
