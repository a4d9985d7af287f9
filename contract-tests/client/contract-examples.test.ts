/** Tests of the contract's examples as answers: every one of them, and the client's own functions over them. */
import fc from 'fast-check';
import {
  agentEvents,
  createRosterClient,
  items,
  type PageQuery,
  predictFile,
  retry,
  TrainingFailedError,
  trainFile,
  UnexpectedAnswerError,
  untilReady,
} from 'roster-client';
import { type ExampleChoices, examples } from 'roster-client/examples';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Operation, operations, type Place } from '../../testkit/openapi/document.js';
import { examplePath } from '../../testkit/openapi/example-requests.js';
import { violations } from '../checked-fetch.js';

const BASE = 'http://roster.test';
const rosterWith = (choices?: ExampleChoices, baseUrl = BASE) =>
  createRosterClient({ baseUrl, fetch: examples(choices) });

/** Choices that the compiler need not know, such as those of a loop over the contract or of JavaScript. */
const loose = (choices: Record<string, unknown>) => choices as ExampleChoices;

describe('every example of the contract', () => {
  /** Most operations share their problems; an answer that was checked need not be checked again. */
  const checked = new Set<string>();

  test.each(operations)('$id answers with each of its examples', async (operation) => {
    const url = `${BASE}${examplePath(operation)}`;
    for (const { status, mediaType, name, value, response } of examplesOf(operation)) {
      const answer = examples(loose({ [operation.id]: { status, example: name } }));
      const got = await answer(url, {
        method: operation.method,
        headers: mediaType ? { Accept: `${mediaType}, application/problem+json` } : {},
      });
      const source = `${response.pointer} ${mediaType} ${name}`;
      if (!checked.has(source)) expect(await violations(operation.method, url, got)).toEqual([]);
      checked.add(source);
      expect(got.status).toBe(status);
      expect(got.headers.get('Content-Type')).toBe(mediaType ?? null);
      expect(Object.fromEntries(got.headers)).toMatchObject(headersOf(response));
      const text = await got.text();
      expect(contentOf(text, mediaType)).toEqual(value);
    }
  });

  test('is as many as the contract has', () => {
    expect(operations.flatMap(examplesOf).length).toBeGreaterThan(700);
  });

  test.each(operations)('$id answers with success if nothing is chosen', async (operation) => {
    const [first] = examplesOf(operation);
    const init = { method: operation.method };
    const got = await examples()(`${BASE}${examplePath(operation)}`, init);
    expect(got.status).toBe(first?.status);
    const text = await got.text();
    expect(contentOf(text, first?.mediaType)).toEqual(first?.value);
  });
});

describe('a choice', () => {
  const path = { project_name: 'default', skill_name: 'sales_questions' };
  const ADDRESS = '/projects/{project_name}/skills/{skill_name}';
  const readWith = (choices: ExampleChoices) => {
    const roster = rosterWith(choices);
    return () => roster.GET(ADDRESS, { params: { path } });
  };

  test('is a name, a status, or both', async () => {
    const model = { projectName: 'default', modelName: 'prices' };
    const roster = rosterWith({ getModel: 'failed', getSkill: { status: 404, example: 'project' }, deleteSkill: 412 });
    const failed = await roster.GET('/api/projects/{projectName}/models/{modelName}', { params: { path: model } });
    expect(failed.data?.status).toBe('failed');
    const missing = await roster.GET(ADDRESS, { params: { path } });
    expect(missing.error?.type).toBe('/problems/project-not-found');
    const changed = await roster.DELETE(ADDRESS, { params: { path } });
    expect(changed.error?.type).toBe('/problems/precondition-failed');
  });

  test('may have its own content, in the form of the contract', async () => {
    const roster = rosterWith({ listSkills: { status: 200, body: [] } });
    const list = await roster.GET('/projects/{project_name}/skills', { params: { path } });
    expect(list.data).toEqual([]);
    expect(list.response.headers.get('X-Request-Id')).not.toBeNull();
  });

  test('of several is used one request after another, and the last one stays', async () => {
    const read = readWith({ getSkill: [503, 429, 200] });
    const answers = await Promise.all([read(), read(), read(), read(), read()]);
    expect(answers.map(({ response }) => response.status)).toEqual([503, 429, 200, 200, 200]);
  });

  test('belongs to its operation, however requests of several arrive', async () => {
    const sequenceOf = (operation: Operation) => {
      const statuses = [...new Set(examplesOf(operation).map(({ status }) => status))];
      const sequence = fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 4 });
      return fc.tuple(fc.constant(operation), sequence);
    };
    const sequences = fc
      .uniqueArray(fc.constantFrom(...operations), { minLength: 1, maxLength: 4 })
      .chain((chosen) => fc.tuple(...chosen.map(sequenceOf)));
    await fc.assert(
      fc.asyncProperty(sequences, fc.array(fc.nat(), { maxLength: 30 }), async (chosen, order) => {
        const answer = examples(loose(Object.fromEntries(chosen.map(([{ id }, sequence]) => [id, sequence]))));
        const requests = order.flatMap((number) => chosen[number % chosen.length]?.[0] ?? []);
        const got = await Promise.all(
          requests.map(async (operation) => {
            const url = `${BASE}${examplePath(operation)}`;
            return (await answer(url, { method: operation.method })).status;
          }),
        );
        for (const [operation, sequence] of chosen) {
          const statuses = got.filter((_, at) => requests[at] === operation);
          const expected = statuses.map((_, at) => sequence[Math.min(at, sequence.length - 1)]);
          expect(statuses).toEqual(expected);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('may depend on the request', async () => {
    const roster = rosterWith({
      getSkill: ({ url }) => (url.endsWith('/missing') ? 404 : undefined),
      createSkill: async (request) => ((await request.clone().text()).includes('taken') ? 'taken' : 201),
    });
    const read = (skill_name: string) => roster.GET(ADDRESS, { params: { path: { ...path, skill_name } } });
    expect((await read('missing')).response.status).toBe(404);
    expect((await read('present')).response.status).toBe(200);
    const create = (name: string) =>
      roster.POST('/projects/{project_name}/skills', { params: { path }, body: { skill: { name, type: 'sql' } } });
    expect((await create('taken')).error?.type).toBe('/problems/name-taken');
    expect((await create('free')).data?.name).toBe('sales_questions');
  });

  test('may be its own response, or no response', async () => {
    const proxy = readWith({ getSkill: () => new Response('<h1>502</h1>', { status: 502 }) });
    await expect(proxy()).rejects.toThrow(UnexpectedAnswerError);
    const offline = readWith({
      getSkill: () => {
        throw new TypeError('fetch failed');
      },
    });
    await expect(offline()).rejects.toThrow('fetch failed');
  });

  test.each([
    [{ getSkil: 404 }, /^There is no operation "getSkil". There are getCaller, .*getSkill, /],
    [
      { getModel: 'trained' },
      /^getModel has no example "trained". It has ready, classes, forecast, failed, training \(200\), /,
    ],
    [
      { updateSkill: 'skill' },
      'updateSkill has an example "skill" for each of 200, 404. Choose one: { status: 200, example: \'skill\' }.',
    ],
    [{ getLiveness: 418 }, 'getLiveness has no status 418. It has 200, 400, 406, 500.'],
    [
      { getSkill: { status: 404, example: 'agent' } },
      'getSkill has no example "agent" for 404. It has skill, project.',
    ],
    [{ deleteSkill: { status: 204, example: 'skill' } }, 'deleteSkill has no example "skill" for 204. It has none.'],
    [{ deleteSkill: { status: 204, body: {} } }, 'The response 204 of deleteSkill has no body.'],
    [{ getSkill: [] }, 'The sequence of getSkill is empty.'],
    [{ getSkill: [200, 'none'] }, /^getSkill has no example "none"/],
  ])('that does not exist is refused at once: %j', (choices, message) => {
    expect(() => examples(loose(choices))).toThrow(message);
  });

  test('that a function makes in vain is refused with the request', async () => {
    const read = readWith(loose({ getSkill: () => 418 }));
    await expect(read()).rejects.toThrow('getSkill has no status 418.');
  });
});

describe('an answer', () => {
  const LIST = '/projects/{project_name}/skills';
  const params = { path: { project_name: 'default' } };

  test.each(['', '/api', '/', '/some/where', '/some/where/api/'])('comes below any base URL: "%s"', async (prefix) => {
    const roster = rosterWith({}, `${BASE}${prefix}`);
    const models = { projectName: 'projects', modelName: 'me' };
    const skill = { project_name: 'me', skill_name: 'projects' };
    const address = `${LIST}/{skill_name}` as const;
    expect((await roster.GET(address, { params: { path: skill } })).data?.params).toBeDefined();
    const model = await roster.GET('/api/projects/{projectName}/models/{modelName}', { params: { path: models } });
    expect(model.data?.status).toBe('ready');
  });

  afterEach(() => vi.unstubAllGlobals());

  test('comes to a relative address, as one of the page', async () => {
    vi.stubGlobal('document', { baseURI: 'http://page.test/app/' });
    const seen: string[] = [];
    const answer = examples({ listSkills: ({ url }) => void seen.push(url) });
    const roster = createRosterClient({ baseUrl: '/api', fetch: answer });
    expect((await roster.GET(LIST, { params })).data).not.toHaveLength(0);
    await answer('/api/projects/default/skills');
    expect(seen).toEqual(Array(2).fill('http://page.test/api/projects/default/skills'));
  });

  test.each([
    ['an address that the contract does not have', '/projects/default/unknown', 'GET', 404, null],
    ['a method that the address does not have', '/projects', 'PATCH', 405, 'GET, HEAD, POST, OPTIONS'],
  ])('to %s is the problem of the service', async (_, address, method, status, allow) => {
    const url = `${BASE}${address}`;
    const got = await examples()(url, { method });
    expect(await violations(method, url, got)).toEqual([]);
    expect(got.status).toBe(status);
    expect(got.headers.get('Allow')).toBe(allow);
  });

  test('to HEAD has no body, and to OPTIONS the methods', async () => {
    const head = await examples({ listProjects: 503 })(`${BASE}/projects`, { method: 'HEAD' });
    expect([head.status, head.headers.get('Content-Type')]).toEqual([503, 'application/problem+json']);
    expect(await head.text()).toBe('');
    const options = await examples()(`${BASE}/projects/`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  test('has the media type that the request accepts, or is 406', async () => {
    const model = operationOf('predict');
    const url = `${BASE}${examplePath(model)}`;
    const accepting = async (Accept: string, choice?: ExampleChoices['predict']) => {
      const answer = examples(choice === undefined ? {} : { predict: choice });
      const { status, headers } = await answer(url, { method: 'POST', headers: { Accept } });
      return `${status} ${headers.get('Content-Type')}`;
    };
    expect(await accepting('text/csv')).toBe('200 text/csv');
    expect(await accepting('*/*')).toBe('200 application/json');
    expect(await accepting('text/*;q=0.5, application/x-ndjson;q=0.8')).toBe('200 application/x-ndjson');
    expect(await accepting('*/*', 'lines')).toBe('200 application/x-ndjson');
    expect(await accepting('text/html')).toBe('406 application/problem+json');
    expect(await accepting('text/html', 429)).toBe('429 application/problem+json');
    const lines = { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: '' };
    expect((await examples()(url, lines)).headers.get('Content-Type')).toBe('application/x-ndjson');
    await expect(accepting('application/vnd.apache.arrow.stream')).rejects.toThrow(
      'predict has no example in application/vnd.apache.arrow.stream. It has one in application/json, application/x-ndjson, text/csv.',
    );
    await expect(accepting('text/csv', 'lines')).rejects.toThrow(
      'predict has no example "lines" in text/csv. It has one in application/x-ndjson.',
    );
  });

  test('is new for each request', async () => {
    const answer = examples();
    const [first, second] = await Promise.all([answer(`${BASE}/me`), answer(`${BASE}/me`)]);
    first.headers.delete('X-Request-Id');
    expect(await first.json()).toEqual(await second.json());
    expect(second.headers.has('X-Request-Id')).toBe(true);
  });

  test('does not come after an abort', async () => {
    const signal = AbortSignal.abort(new Error('left'));
    await expect(examples()(`${BASE}/me`, { signal })).rejects.toThrow('left');
    const leaving = new AbortController();
    const answer = examples({ getCaller: () => new Promise(() => {}) });
    const waiting = answer(`${BASE}/me`, { signal: leaving.signal });
    leaving.abort(new Error('left later'));
    await expect(waiting).rejects.toThrow('left later');
  });
});

describe('over examples, the client', () => {
  const model = { projectName: 'default', modelName: 'diamond_prices' };
  const params = { path: { project_name: 'default' } };
  const rows = () => new File(['[{"carat": 0.7}]'], 'rows.json');

  const isPaged = ({ id, parameters }: (typeof operations)[number]) =>
    /^list/.test(id) && parameters.some((parameter) => parameter.text('name') === 'limit');

  test.each(operations.filter(isPaged))('reads all items of $id, once', async (operation) => {
    const [example] = examplesOf(operation);
    const once = example?.value;
    if (!Array.isArray(once)) throw new Error(`${operation.id} is not a list`);
    const many = [...once, ...once, ...once, ...once];
    const answer = examples(loose({ [operation.id]: { status: 200, body: many } }));
    for (const limit of [1, 3, many.length - 1, many.length, 100]) {
      const read = async ({ cursor }: PageQuery) => {
        const search = new URLSearchParams({ limit: `${limit}`, ...(cursor && { cursor }) });
        const url = `${BASE}${examplePath(operation)}?${search}`;
        const response = await answer(url);
        expect(await violations('GET', url, response)).toEqual([]);
        const data: unknown = await response.json();
        if (!Array.isArray(data)) throw new Error('The page is not a list');
        expect(data.length).toBeLessThanOrEqual(limit);
        return { data, response };
      };
      const found: unknown[] = [];
      for await (const item of items<unknown>(read, { limit })) found.push(item);
      expect(found).toEqual(many);
    }
  });

  test('repeats what is refused for now', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const roster = rosterWith({ createSkill: [429, 201] });
    roster.use(retry());
    const body = { skill: { name: 'sales', type: 'sql' } };
    const creation = roster.POST('/projects/{project_name}/skills', { params, body });
    await vi.runAllTimersAsync();
    expect((await creation).response.status).toBe(201);
  });
  afterEach(() => vi.useRealTimers());

  test('waits for a model, and throws its failure', async () => {
    const training = await rosterWith().PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path: model, query: { target: 'price' } },
      body: 'a,price\n1,2\n',
      headers: { 'Content-Type': 'text/csv' },
    });
    if (training.data === undefined) throw new Error('There is no training');
    const body = training.data;
    const progress: number[] = [];
    const found = await untilReady(rosterWith({ getModel: [{ status: 200, body }, 'ready'] }), model, {
      every: 50,
      onProgress: (state) => progress.push(state.progress),
    });
    expect(found.status).toBe('ready');
    expect(progress).toEqual([body.progress, 1]);
    await expect(untilReady(rosterWith({ getModel: 'failed' }), model)).rejects.toThrow(TrainingFailedError);
  });

  test.each(['json', 'ndjson', 'csv'] as const)('predicts files as %s', async (to) => {
    const { body } = await predictFile(rosterWith(), model, rows(), { to });
    expect(await new Response(body).text()).toContain('2742');
  });

  test('trains from files', async () => {
    const csv = new File(['a,price\n1,2\n'], 'prices.csv');
    const trained = await trainFile(rosterWith(), model, csv, { target: 'price' });
    expect(trained.status).toBe('training');
  });

  test('reads the events of an agent', async () => {
    const path = { project_name: 'default', agent_name: 'analyst' };
    const events = agentEvents((streamed) =>
      rosterWith().POST('/projects/{project_name}/agents/{agent_name}/completions/stream', {
        ...streamed,
        params: { path },
        body: { messages: [{ role: 'user', content: 'What does it cost?' }] },
      }),
    );
    let output = '';
    for await (const event of events) if ('output' in event) output = event.output;
    expect(output).toBe('About 2,742 dollars.');
  });
});

/** An example of the contract, read without the generator. */
interface Example {
  status: number;
  /** Undefined where the response has no body. */
  mediaType?: string;
  name?: string;
  value: unknown;
  response: Place;
}

function contentOf(text: string, mediaType = ''): unknown {
  return /[/+]json$/.test(mediaType) ? JSON.parse(text) : text;
}

function examplesOf(operation: Operation): Example[] {
  return operation.place.entries('responses').flatMap(([code, response]): Example[] => {
    const status = Number(code);
    const contents = response.entries('content');
    if (contents.length === 0) return [{ status, value: '', response }];
    return contents.flatMap(([mediaType, content]) =>
      content
        .entries('examples')
        .map(([name, example]) => ({ status, mediaType, name, response, value: example.at('value').value })),
    );
  });
}

/** Returns the first example of each header, by its name in lower case, without those that are empty: left out. */
function headersOf(response: Place): Record<string, string> {
  const headers = response.entries('headers').map(([name, header]) => {
    const [first] = header.entries('examples');
    return [name.toLowerCase(), `${first?.[1].at('value').value}`] as const;
  });
  return Object.fromEntries(headers.filter(([, value]) => value !== ''));
}

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}`);
  return found;
}
