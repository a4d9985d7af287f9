import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRosterClient, type DeprecatedCall, UnexpectedAnswerError } from './index.js';

interface SeenRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) {
    close();
  }
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  closers.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A string is for pipes only.
  return `http://127.0.0.1:${port}`;
}

/** Starts a server that records its requests and answers each with an empty list. */
async function remember(): Promise<{ url: string; seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const url = await listen(async (request, response) => {
    const chunks: Buffer[] = await request.toArray();
    const body = Buffer.concat(chunks).toString();
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    response.setHeader('Content-Type', 'application/json').end('[]');
  });
  return { url, seen };
}

/** Starts a server that answers every request in the same way. */
function answer(status: number, mediaType: string | null, body: string): Promise<string> {
  return listen((_request, response) => {
    response.writeHead(status, mediaType === null ? {} : { 'Content-Type': mediaType }).end(body);
  });
}

const training = { path: { projectName: 'default', modelName: 'diamond_prices' }, query: { target: 'price' } };
const table = 'carat,price\n0.23,326\n';

test('a 304 has neither data nor an error', async () => {
  const url = await answer(304, null, '');
  const { data, error, response } = await createRosterClient({ baseUrl: url }).GET('/projects/{project_name}', {
    params: { path: { project_name: 'default' }, header: { 'If-None-Match': '"a"' } },
  });
  expect([data, error, response.status]).toEqual([undefined, undefined, 304]);
});

describe('a request that uses something deprecated', () => {
  const answering = (headers: Record<string, string>) => ({
    baseUrl: 'http://roster.example',
    fetch: async () =>
      new Response(JSON.stringify({ type: '/problems/name-taken', title: 'Name taken', status: 409 }), {
        status: 409,
        headers: { 'Content-Type': 'application/problem+json', ...headers },
      }),
  });
  const DATES = { Deprecation: '@1795392000', Sunset: 'Tue, 23 Nov 2027 00:00:00 GMT' };
  const update = (roster: ReturnType<typeof createRosterClient>) =>
    roster.PUT('/projects/{project_name}/agents/{agent_name}', {
      params: { path: { project_name: 'default', agent_name: 'analyst' } },
      body: { agent: { params: {} } },
    });

  test('is reported with its operation and its dates, whatever the answer', async () => {
    const calls: DeprecatedCall[] = [];
    const roster = createRosterClient({ ...answering(DATES), onDeprecated: (call) => calls.push(call) });
    await update(roster);
    await update(roster);
    expect(calls).toEqual(
      Array(2).fill({
        method: 'PUT',
        path: '/projects/{project_name}/agents/{agent_name}',
        deprecated: new Date('2026-11-23'),
        sunset: new Date('2027-11-23'),
      }),
    );
  });

  test('is warned of once for each operation, without a function of the caller', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const roster = createRosterClient(answering(DATES));
    await update(roster);
    await update(roster);
    await roster.GET('/me');
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/PUT .*\/agents\/\{agent_name\} .* until 2027-11-23$/),
      expect.stringContaining('GET /me'),
    ]);
    warn.mockRestore();
  });

  test.each([
    [{ Deprecation: '@0' }, { deprecated: new Date(0), sunset: undefined }],
    [{ Deprecation: '@1795392000', Sunset: 'soon' }, { sunset: undefined }],
    [{}, undefined],
    [{ Deprecation: '', Sunset: '' }, undefined],
    [{ Deprecation: 'true' }, undefined],
    [{ Sunset: 'Tue, 23 Nov 2027 00:00:00 GMT' }, undefined],
  ])('is announced by the header Deprecation: %j', async (headers, expected) => {
    const calls: DeprecatedCall[] = [];
    await update(createRosterClient({ ...answering(headers), onDeprecated: (call) => calls.push(call) }));
    expect(calls).toEqual(expected ? [expect.objectContaining(expected)] : []);
  });
});

describe('the request', () => {
  test('carries the key as a bearer token, and says what it accepts', async () => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url, apiKey: 's3cret' }).GET('/projects');
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer s3cret',
      accept: 'application/json, application/problem+json',
    });
  });

  test.each([undefined, ''])('carries no Authorization with the key %j', async (apiKey) => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url, apiKey }).GET('/projects');
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each(['', '/', '//', '/api', '/api/'])('reaches a base URL ending in "%s"', async (end) => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url + end }).GET('/projects');
    expect(seen[0]?.url).toBe(`${end.replace(/\/+$/, '')}/projects`);
  });

  test.each([
    ['', '/api/projects/default/models'],
    ['/api', '/api/projects/default/models'],
    ['/api/', '/api/projects/default/models'],
    ['/v1/api', '/v1/api/projects/default/models'],
    ['/apis', '/apis/api/projects/default/models'],
  ])('has /api once below a base URL ending in "%s"', async (end, expected) => {
    const { url, seen } = await remember();
    const roster = createRosterClient({ baseUrl: url + end });
    await roster.GET('/api/projects/{projectName}/models', { params: { path: { projectName: 'default' } } });
    await roster.GET('/projects/{project_name}', { params: { path: { project_name: 'api' } } });
    await roster.GET('/api/status');
    expect(seen.map((request) => request.url)).toEqual([
      expected,
      `${end.replace(/\/$/, '')}/projects/api`,
      expected.replace('projects/default/models', 'status'),
    ]);
  });

  test('uses the given fetch', async () => {
    const asked: string[] = [];
    const roster = createRosterClient({
      baseUrl: 'http://roster.example',
      fetch: async (request) => {
        asked.push(`${request.method} ${request.url}`);
        return Response.json([]);
      },
    });
    const { data } = await roster.GET('/projects');
    expect(data).toEqual([]);
    expect(asked).toEqual(['GET http://roster.example/projects']);
  });

  test('repeats a query parameter that has several values', async () => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url }).GET('/projects/{project_name}/skills', {
      params: { path: { project_name: 'default' }, query: { agent: ['analyst', 'clerk'] } },
    });
    expect(seen[0]?.url).toBe('/projects/default/skills?agent=analyst&agent=clerk');
  });

  test('escapes names, and refuses those that would lead to another address', async () => {
    const { url, seen } = await remember();
    const roster = createRosterClient({ baseUrl: url });
    const getProject = (name: string) =>
      roster.GET('/projects/{project_name}', { params: { path: { project_name: name } } });
    await getProject('a/b?c');
    expect(seen[0]?.url).toBe('/projects/a%2Fb%3Fc');
    for (const name of ['', '.', '..']) {
      await expect(getProject(name)).rejects.toThrow('project_name');
    }
    expect(seen).toHaveLength(1);
  });
});

describe('a parameter of the address', () => {
  const sent: string[] = [];
  const roster = createRosterClient({
    baseUrl: 'http://roster.example',
    fetch: async ({ url }) => {
      sent.push(url);
      return Response.json([]);
    },
  });
  const list = '/projects/{project_name}/skills';

  test('that has no value fails with its name, before anything is sent', async () => {
    // @ts-expect-error: the parameter is spelled 'project_name' here
    const misspelled = roster.GET(list, { params: { path: { projectName: 'default' } } });
    await expect(misspelled).rejects.toThrow(TypeError);
    await expect(misspelled).rejects.toThrow('needs params.path.project_name');
    // @ts-expect-error: 'params' is missing
    await expect(roster.GET(list)).rejects.toThrow('project_name');
    const half = roster.GET('/projects/{project_name}/skills/{skill_name}', {
      // @ts-expect-error: a name is a string
      params: { path: { project_name: 'default', skill_name: undefined } },
    });
    await expect(half).rejects.toThrow('/projects/default/skills/{skill_name} needs');
    expect(sent).toEqual([]);
  });

  test('may have braces in its value, and so may the query', async () => {
    await roster.GET(list, { params: { path: { project_name: '{a}' }, query: { agent: ['{b}'] } } });
    expect(sent).toEqual(['http://roster.example/projects/%7Ba%7D/skills?agent=%7Bb%7D']);
  });
});

describe('the body', () => {
  test('is JSON by default', async () => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url }).POST('/projects', { body: { project: { name: 'jewellery' } } });
    expect(seen[0]?.headers['content-type']).toBe('application/json');
    expect(seen[0]?.body).toBe('{"project":{"name":"jewellery"}}');
  });

  test.each([
    ['text', () => table],
    ['a Blob', () => new Blob([table])],
    ['a stream', () => new Blob([table]).stream()],
  ])('is sent unchanged if it is CSV as %s', async (_form, body) => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url }).PUT('/api/projects/{projectName}/models/{modelName}', {
      params: training,
      body: body(),
      headers: { 'Content-Type': 'text/csv' },
    });
    expect(seen[0]).toMatchObject({
      method: 'PUT',
      url: '/api/projects/default/models/diamond_prices?target=price',
      body: table,
    });
    expect(seen[0]?.headers['content-type']).toBe('text/csv');
  });

  test('is refused if it is CSV without its Content-Type', async () => {
    const roster = createRosterClient({ baseUrl: 'http://roster.example' });
    const upload = roster.PUT('/api/projects/{projectName}/models/{modelName}', { params: training, body: table });
    await expect(upload).rejects.toThrow('text/csv');
  });
});

describe('the answer', () => {
  test('is a problem if the service answers with one', async () => {
    const problem = { type: '/problems/project-not-found', title: 'Project not found' };
    const url = await answer(404, 'application/problem+json', JSON.stringify(problem));
    const { data, error, response } = await createRosterClient({ baseUrl: url }).GET('/projects');
    expect(data).toBeUndefined();
    expect(error).toEqual(problem);
    expect(response.status).toBe(404);
  });

  test.each([
    ['a page', 502, 'text/html', '<h1>Bad gateway</h1>'],
    ['nothing', 502, null, ''],
    ['JSON of its own', 403, 'application/json', '{"message":"Forbidden"}'],
    ['a problem cut short', 500, 'application/problem+json', '{"type":'],
    ['a page that calls itself a success', 200, 'text/html', '<h1>Log in</h1>'],
  ])('throws an UnexpectedAnswerError if a proxy answers %s', async (_what, status, mediaType, body) => {
    const url = await answer(status, mediaType, body);
    const listing = createRosterClient({ baseUrl: url }).GET('/projects');
    const error: unknown = await listing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({ body, response: { status } });
    expect(String(error)).toContain(`status ${status}`);
    expect(String(error)).toContain(body);
  });

  test('is empty if the service answers 204', async () => {
    const url = await answer(204, null, '');
    const { data, error, response } = await createRosterClient({ baseUrl: url }).DELETE('/projects/{project_name}', {
      params: { path: { project_name: 'jewellery' } },
    });
    expect([data, error, response.status]).toEqual([undefined, undefined, 204]);
  });
});

describe('a base URL', () => {
  test.each([
    [undefined, 'no address'],
    [null, 'no address'],
    ['file:///etc/passwd', 'no address'],
    ['FTP://roster.example', 'no address'],
    ['http://roster.example/?key=1', 'a query'],
    ['http://roster.example#top', 'a fragment'],
  ])('%s is refused with what is wrong', (baseUrl, fault) => {
    const create = () => Reflect.apply(createRosterClient, undefined, [{ baseUrl }]);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(new RegExp(`^baseUrl .*${fault}`));
  });

  test.each(['', '/api', 'HTTPS://roster.example'])('may be "%s"', (baseUrl) => {
    expect(createRosterClient({ baseUrl })).toHaveProperty('GET');
  });
});

describe('a redirection', () => {
  test('to another origin does not get the key, and one within the origin does', async () => {
    const other = await remember();
    const keys: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      keys.push(request.headers.authorization);
      const Location = request.url === '/projects' ? '/moved' : `${other.url}/projects`;
      response.writeHead(307, { Location }).end();
    });
    await createRosterClient({ baseUrl: url, apiKey: 's3cret' }).GET('/projects');
    expect(keys).toEqual(['Bearer s3cret', 'Bearer s3cret']);
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(JSON.stringify(other.seen)).not.toContain('s3cret');
  });
});

describe('an answer of a gigabyte', () => {
  const CHUNK = Buffer.alloc(64 * 1024, 32);

  test('is read no further than the caller does, as a stream, and ends with its signal', async () => {
    let sent = 0;
    let isClosed = false;
    const url = await listen((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 ** 30 });
      const send = () => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += CHUNK.length;
          if (!response.write(CHUNK)) return response.once('drain', send);
        }
        return undefined;
      };
      response.once('close', () => {
        isClosed = true;
      });
      send();
    });
    const aborting = new AbortController();
    const options = { parseAs: 'stream', signal: aborting.signal } as const;
    const { data } = await createRosterClient({ baseUrl: url }).GET('/projects', options);
    const reader = data?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    aborting.abort();
    await expect.poll(() => isClosed).toBe(true);
    expect(sent).toBeLessThan(2 ** 28);
  });
});
