/** Tests that hold at every address, and at addresses that do not exist. Against the server alone. */
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { contract, operations } from '../../testkit/openapi/document.js';
import { examplePath } from '../../testkit/openapi/example-requests.js';
import { baseUrl, ownProject, send, sendAs, sendJson } from '../target.js';

let project: string;
beforeAll(async () => {
  project = await ownProject();
  for (const name of ['first', 'second', 'third']) {
    await sendJson('POST', `/projects/${project}/skills`, { skill: { name, type: 'lookup' } });
  }
});

const addresses = [...new Set(operations.map(({ path }) => path))].map((path) => {
  const here = operations.filter((operation) => operation.path === path);
  const methods = here.map(({ method }) => method);
  return {
    path,
    example: here[0] ? examplePath(here[0]) : path,
    allow: [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort(),
  };
});

const allowOf = (response: Response) => response.headers.get('Allow')?.split(/, */).sort();

describe.each(addresses)('$path', ({ path, example, allow }) => {
  test('answers OPTIONS with the allowed methods', async () => {
    const response = await send(example, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(allowOf(response)).toEqual(allow);
  });

  test('answers other methods with 405 and the allowed methods', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'PROPFIND']) {
      if (allow.includes(method)) {
        continue;
      }
      const response = await send(example, { method });
      expect(response.status).toBe(405);
      expect(allowOf(response)).toEqual(allow);
    }
  });

  if (allow.includes('GET')) {
    test('gives the same answer under /api and with a trailing slash', async () => {
      const [pathname, query = ''] = example.split('?');
      const answerOf = async (address: string) => {
        const response = await send(address);
        return { ...(await withoutRequest(response)), status: response.status };
      };
      const readBare = () => answerOf(`${pathname}${query && `?${query}`}`);
      const prefixes = path.startsWith('/api/') ? [''] : ['', '/api'];
      const others = prefixes.flatMap((prefix) => [prefix + pathname, `${prefix}${pathname}/`]);
      for (const address of others) {
        // Other tests add to what some addresses list, and delete of it.
        const readBoth = async () => [await readBare(), await answerOf(address)];
        await expect.poll(readBoth).toSatisfy(([bare, other]) => isDeepStrictEqual(bare, other));
      }
    });
  }

  if (path.startsWith('/api/')) {
    test('redirects every caller from a doubled prefix, and says until when', async () => {
      for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH']) {
        const response = await sendAs(null, `/api${example}`, { method, redirect: 'manual' });
        expect(response.status).toBe(308);
        expect(response.headers.get('Location')).toBe(example);
        expect(response.headers.get('Deprecation')).toBe('@1795392000');
        expect(response.headers.get('Sunset')).toBe('Tue, 23 Nov 2027 00:00:00 GMT');
        expect(await response.text()).toBe('');
      }
      const options = await sendAs(null, `/api${example}`, { method: 'OPTIONS' });
      expect(options.status).toBe(204);
    });
  }

  test('does not exist in capitals', async () => {
    const segment = path.split('/')[1] ?? '';
    const response = await send(example.replace(segment, segment.toUpperCase()));
    expect(await response.json()).toMatchObject({ type: '/problems/unknown-address' });
  });
});

/**
 * Returns the parts of an answer that do not depend on the request. Metrics count one more request each time.
 */
async function withoutRequest(response: Response): Promise<object> {
  if (response.headers.get('Content-Type')?.startsWith('text/plain')) {
    return { names: [...(await response.text()).matchAll(/^# TYPE .*$/gm)].map(([line]) => line) };
  }
  const body: unknown = await response.json();
  // Other tests add projects to the list.
  // Once a minute, the use of a key is noted.
  if (Array.isArray(body)) return { first: { ...body[0], last_used_at: null } };
  return { ...Object(body), instance: null, request_id: null };
}

/** The headers that differ between requests. fetch closes the connection after HEAD. */
const OF_THE_REQUEST = ['connection', 'keep-alive', 'date', 'x-request-id', 'ratelimit'];

describe('HEAD', () => {
  const compared = ({ status, headers }: Response) => ({
    status,
    headers: [...headers].filter(([name]) => !OF_THE_REQUEST.includes(name)),
  });

  test.each(['skills', 'skills?limit=1', 'skills/first', 'skills/none', 'skills?limit=0'])(
    'answers as GET does, without a body: %s',
    async (address) => {
      const get = await send(`/projects/${project}/${address}`);
      const head = await send(`/projects/${project}/${address}`, { method: 'HEAD' });
      expect(compared(head)).toEqual(compared(get));
      expect(await head.text()).toBe('');
    },
  );
});

describe('an address that the contract does not have', () => {
  test.each([
    '/',
    '/nowhere',
    '/api',
    '/projects/default/skill',
    '/projects/default/skills/a/b',
    '/projects//skills',
    '/api/api/api/projects/default/models',
    '/__proto__',
    '/constructor',
    '/health',
    '/health/',
  ])('answers with a 404 problem: %s', async (address) => {
    const response = await fetch(baseUrl + address, { headers: { Accept: 'application/json' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({
      type: '/problems/unknown-address',
      status: 404,
      instance: address,
      request_id: response.headers.get('X-Request-Id'),
    });
  });
});

describe('a redirect from a doubled prefix', () => {
  const to = async (address: string) => {
    const response = await fetch(baseUrl + address, { redirect: 'manual' });
    return [response.status, response.headers.get('Location')];
  };

  test('keeps the query and the slash', async () => {
    expect(await to('/api/api/projects/default/models/?limit=1&cursor=%2F%2Fa')).toEqual([
      308,
      '/api/projects/default/models/?limit=1&cursor=%2F%2Fa',
    ]);
  });

  test.each([
    '/api/api/projects/..%2f..%2f%2fevil.example/models',
    '/api/api/projects/%5c%5cevil.example/models',
    '/api/api/projects/@evil.example/models?x=//evil.example',
    '/api/api/projects/%0d%0aSet-Cookie:a/models',
  ])('stays on the service: %s', async (address) => {
    expect(await to(address)).toEqual([308, address.slice('/api'.length)]);
  });

  test('leads nowhere from what looks like a prefix', async () => {
    for (const address of ['//api/api/projects/a/models', '/api//api/projects/a/models']) {
      expect(await to(address)).toEqual([404, null]);
    }
  });

  test('does not read the body, which arrives at the address with one prefix', async () => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const response = await send(`/api/api/projects/${project}/models/none/predict`, {
      ...init,
      body: JSON.stringify([{ text: 'x'.repeat(500_000) }]),
    });
    expect(response.redirected).toBe(true);
    expect(await response.json()).toMatchObject({ type: '/problems/model-not-found' });
  });
});

test.each([
  ['limit=0', '/query/limit'],
  ['limit=1001', '/query/limit'],
  ['limit=ten', '/query/limit'],
  ['limit=1.5', '/query/limit'],
  ['limit=1&limit=2', '/query/limit'],
  ['limit=', '/query/limit'],
  ['cursor=made-up', '/query/cursor'],
  ['colour=red', '/query/colour'],
  ['agent=-', '/query/agent/0'],
])('a list is refused with %s', async (query, pointer) => {
  const response = await send(`/projects/${project}/skills?${query}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
});

describe('the page of a problem type', () => {
  const types = contract
    .entries('components', 'schemas')
    .flatMap(([, schema]) => schema.find('properties', 'type', 'const')?.text() ?? [])
    .filter((type) => type.startsWith('/problems/'));

  test.each(types)('%s says what happened and how to fix it', async (type) => {
    const response = await fetch(baseUrl + type, { headers: { Accept: 'text/html' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(await response.text()).toContain('To fix it');
  });
});
