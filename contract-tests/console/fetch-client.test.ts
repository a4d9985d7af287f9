import fc from 'fast-check';
import createLibraryClient, { defaultPathSerializer as libraryPath } from 'openapi-fetch';
import { expect, test } from 'vitest';
import createPageClient, { defaultPathSerializer as pagePath } from '../../console/src/session/fetch-client.js';

/** As roster-client creates its client, of which the page replaces this part. */
const options = (fetch: (request: Request) => Promise<Response>) => ({
  duplex: 'half' as const,
  baseUrl: 'http://roster.test/base',
  fetch,
  Request,
  headers: { Accept: 'application/json, application/problem+json' },
  bodySerializer: (body: unknown, headers?: Headers) =>
    headers?.get('Content-Type') === 'text/csv' ? String(body) : JSON.stringify(body),
});

const CLIENTS = {
  library: (fetch: (request: Request) => Promise<Response>) => {
    const client = createLibraryClient<Record<string, Record<'get' | 'put', Record<string, never>>>>({
      ...options(fetch),
      pathSerializer: libraryPath,
    });
    return {
      call: (method: 'get' | 'put', path: string, init: Init) =>
        client.request(method, path, { body: undefined, ...init }),
      client,
    };
  },
  page: (fetch: (request: Request) => Promise<Response>) => {
    const client = createPageClient({ ...options(fetch), pathSerializer: pagePath });
    const call = (method: 'get' | 'put', path: string, init: Init) =>
      method === 'get' ? client.GET(path, init) : client.PUT(path, init);
    return { call, client };
  },
};

/** roster-client always says how an answer is read. */
type Init = { readonly parseAs: 'text' | 'blob' | 'stream' };

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('$&', 'a b', 'ä/ö', '%41', '{b}'));
const parameter = fc.oneof(text, fc.integer(), fc.boolean(), fc.constantFrom(null, undefined));

const init = fc.record(
  {
    params: fc.record(
      {
        path: fc.record({ a: text, b: fc.oneof(text, fc.integer()) }, { requiredKeys: [] }),
        query: fc.dictionary(
          fc.constantFrom('limit', 'name', 'tag'),
          fc.oneof(parameter, fc.array(fc.oneof(text, fc.integer()))),
        ),
        header: fc.record({ 'If-Match': fc.constantFrom('"1"', undefined) }),
      },
      { requiredKeys: [] },
    ),
    headers: fc.constantFrom({ 'Content-Type': 'text/csv' }, { Accept: 'text/csv' }, {}),
    parseAs: fc.constantFrom('text' as const, 'blob' as const, 'stream' as const),
  },
  { requiredKeys: ['parseAs'] },
);

const reply = fc.record({
  status: fc.constantFrom(200, 201, 204, 400, 404, 503),
  text: fc.constantFrom('', '{"a":[1]}', 'null', 'Not JSON'),
  hasLength: fc.boolean(),
});

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly hasLength: boolean;
}

function respond({ status, text: body, hasLength }: Reply): Response {
  const headers = { 'Content-Type': 'application/json', ...(hasLength && { 'Content-Length': `${body.length}` }) };
  return new Response(status === 204 ? null : body, { status, headers });
}

/** Returns what a call sends and what it answers, as plain values. */
async function outcome(of: keyof typeof CLIENTS, method: 'get' | 'put', sent: Init, answer: Reply): Promise<unknown> {
  let request: Request | undefined;
  const { call } = CLIENTS[of](async (given) => {
    request = given;
    return respond(answer);
  });
  const result: { data?: unknown; error?: unknown } = await call(method, '/x/{a}/y/{b}', sent).catch(
    (error: Error) => ({ error: error.name }),
  );
  const { data } = result;
  const read = data instanceof Blob || data instanceof ReadableStream ? await new Response(data).text() : data;
  return {
    request: request && [request.method, request.url, [...request.headers], await request.text()],
    data: read,
    isBlob: data instanceof Blob,
    error: result.error,
  };
}

test('the page sends what openapi-fetch sends, and reads what it reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('get', 'put'),
      init,
      fc.option(fc.jsonValue()),
      reply,
      async (method, of, body, answer) => {
        const sent = { ...of, ...(method === 'put' && { body }) };
        expect(await outcome('page', method, sent, answer)).toEqual(await outcome('library', method, sent, answer));
      },
    ),
    { numRuns: 150 },
  );
});

test.each([
  ['an answer', () => respond({ status: 200, text: '1', hasLength: true })],
  ['a failure', () => Promise.reject(new TypeError('No network'))],
])('middleware gets a request in its order, and %s in the reverse', async (_, fetch) => {
  const seen = { library: [] as string[], page: [] as string[] };
  for (const of of ['library', 'page'] as const) {
    const { client, call } = CLIENTS[of](async () => fetch());
    for (const name of ['first', 'second', 'third']) {
      client.use({
        onRequest: ({ request }: { request: Request }) => {
          seen[of].push(`${name} ${request.headers.get('X-Seen')}`);
          return name === 'second' ? new Request(request, { headers: { 'X-Seen': name } }) : undefined;
        },
        onResponse: ({ response }: { response: Response }) => {
          seen[of].push(`${name} ${response.status}`);
          return name === 'third' ? new Response('2', { status: 201 }) : undefined;
        },
        onError: ({ error }: { error: unknown }) => {
          seen[of].push(`${name} ${String(error)}`);
          return name === 'second' ? respond({ status: 200, text: '3', hasLength: false }) : undefined;
        },
      });
    }
    const { data } = await call('get', '/', { parseAs: 'text' });
    seen[of].push(String(data));
  }
  expect(seen.page).toEqual(seen.library);
  expect(seen.page.at(-1)).not.toBe('undefined');
});
