import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createRosterClient, UnexpectedAnswerError } from './index.js';

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

const training = {
  path: { projectName: 'default', modelName: 'diamond_prices' },
  query: { target: 'price' },
};
const table = 'carat,price\n0.23,326\n';

test('a 304 has neither data nor an error', async () => {
  const url = await answer(304, null, '');
  const { data, error, response } = await createRosterClient({ baseUrl: url }).GET(
    '/projects/{project_name}',
    { params: { path: { project_name: 'default' }, header: { 'If-None-Match': '"a"' } } },
  );
  expect([data, error, response.status]).toEqual([undefined, undefined, 304]);
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

describe('the body', () => {
  test('is JSON by default', async () => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url }).POST('/projects', {
      body: { project: { name: 'jewellery' } },
    });
    expect(seen[0]?.headers['content-type']).toBe('application/json');
    expect(seen[0]?.body).toBe('{"project":{"name":"jewellery"}}');
  });

  test.each([
    ['text', () => table],
    ['a Blob', () => new Blob([table])],
    ['a stream', () => new Blob([table]).stream()],
  ])('is sent unchanged if it is CSV as %s', async (_form, body) => {
    const { url, seen } = await remember();
    await createRosterClient({ baseUrl: url }).PUT(
      '/api/projects/{projectName}/models/{modelName}',
      { params: training, body: body(), headers: { 'Content-Type': 'text/csv' } },
    );
    expect(seen[0]).toMatchObject({
      method: 'PUT',
      url: '/api/projects/default/models/diamond_prices?target=price',
      body: table,
    });
    expect(seen[0]?.headers['content-type']).toBe('text/csv');
  });

  test('is refused if it is CSV without its Content-Type', async () => {
    const roster = createRosterClient({ baseUrl: 'http://roster.example' });
    const upload = roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: training,
      body: table,
    });
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
  ])(
    'throws an UnexpectedAnswerError if a proxy answers %s',
    async (_what, status, mediaType, body) => {
      const url = await answer(status, mediaType, body);
      const listing = createRosterClient({ baseUrl: url }).GET('/projects');
      const error: unknown = await listing.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      expect(error).toMatchObject({ body, response: { status } });
      expect(String(error)).toContain(`status ${status}`);
      expect(String(error)).toContain(body);
    },
  );

  test('is empty if the service answers 204', async () => {
    const url = await answer(204, null, '');
    const { data, error, response } = await createRosterClient({ baseUrl: url }).DELETE(
      '/projects/{project_name}',
      { params: { path: { project_name: 'jewellery' } } },
    );
    expect([data, error, response.status]).toEqual([undefined, undefined, 204]);
  });
});
