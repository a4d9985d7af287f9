/** Tests of the documentation pages over HTTP. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOperations, contract, document } from '../../testkit/openapi/document.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';

const FILE = readFileSync(new URL('../../openapi.yaml', import.meta.url));

const VERSION = contract.text('info', 'version');
const IS_RELEASED = existsSync(new URL(`../../docs/contract/${VERSION}.yaml`, import.meta.url));

/** The addresses of the documentation, and their media types. */
const ADDRESSES: readonly (readonly [address: string, type: string])[] = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js.LICENSE.txt', 'text/plain; charset=utf-8'],
  ['/docs/playground.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-plugins.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui-theme.css', 'text/css; charset=utf-8'],
  ['/docs/reference.css', 'text/css; charset=utf-8'],
  ['/docs/pages.css', 'text/css; charset=utf-8'],
  ['/docs/icon.svg', 'image/svg+xml'],
  ['/openapi.yaml', 'application/yaml'],
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/openapi', 'text/html; charset=utf-8'],
  [`/openapi/${VERSION}.yaml`, 'application/yaml'],
  [`/openapi/${VERSION}.json`, 'application/json; charset=utf-8'],
  [`/openapi/${VERSION}.dereferenced.json`, 'application/json; charset=utf-8'],
  ['/problems', 'text/html; charset=utf-8'],
  ['/problems/skill-not-found', 'text/html; charset=utf-8'],
];

let folder: string;
let key: string;
let closed: ServerProcess;
let prefixed: ServerProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-docs-'));
  const databaseFile = join(folder, 'roster.db');
  key = await makeKey(`file:${databaseFile}`, { name: 'docs' });
  closed = await startServer({ databaseFile, env: { RATE_LIMIT: '1' } });
  prefixed = await startServer({ env: { BASE_PATH: '/teams/v1' } });
});
afterAll(async () => {
  await closed.stop();
  await prefixed.stop();
  await rm(folder, { recursive: true });
});

const at = (address: string, init?: RequestInit) => fetch(closed.url + address, { redirect: 'manual', ...init });

describe.each(ADDRESSES)('%s', (address, type) => {
  test('is open to everyone, without a key or a rate limit', async () => {
    for (const _time of [1, 2, 3]) {
      const response = await at(address);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe(type);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
    }
  });

  test('is sent again only if it has changed', async () => {
    const first = await at(address);
    const etag = `${first.headers.get('ETag')}`;
    const isImmutable = address.includes(VERSION) && IS_RELEASED;
    expect(first.headers.get('Cache-Control')).toBe(isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    const second = await at(address, { headers: { 'If-None-Match': etag } });
    expect(second.status).toBe(304);
    expect(await second.text()).toBe('');
    const third = await raw('GET', address, `Accept-Encoding: gzip\r\nIf-None-Match: "a", W/${etag}`);
    expect(third.head).toMatch(/^HTTP.1.1 304 /);
    const other = await at(address, { headers: { 'If-None-Match': '"another"' } });
    expect(other.status).toBe(200);
    await other.arrayBuffer();
  });

  test('has the same content compressed, under another entity tag', async () => {
    const zipped = await raw('GET', address, 'Accept-Encoding: gzip');
    const plain = await raw('GET', address, 'Accept-Encoding: gzip;q=0');
    expect(zipped.head).toContain('Content-Encoding: gzip');
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    expect(etagOf(zipped.head)).not.toBe(etagOf(plain.head));
    expect(plain.head).toContain('Vary: Accept-Encoding');
  });

  test('answers HEAD like GET, without a body', async () => {
    const [get, head] = [await raw('GET', address), await raw('HEAD', address)];
    expect(withoutRequest(head.head)).toBe(withoutRequest(get.head));
    expect(head.body).toHaveLength(0);
  });

  test('names its methods', async () => {
    const options = await at(address, { method: 'OPTIONS' });
    expect(options.status).toBe(204);
    expect(options.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await at(address, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
      expect(await response.json()).toMatchObject({ type: '/problems/method-not-allowed' });
    }
  });

  test('ignores the Accept header and the query', async () => {
    for (const accept of ['image/png', 'application/xml', 'nonsense']) {
      const response = await at(`${address}?${'a=b&'.repeat(2000)}`, { headers: { Accept: accept } });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  });

  test('is available under the base path too', async () => {
    const { origin } = new URL(prefixed.url);
    for (const base of [origin, prefixed.url]) {
      const response = await fetch(base + address);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  });
});

describe('a documentation page', () => {
  test.each(['/docs', '/connect', '/openapi', '/problems', '/problems/skill-not-found'])(
    'forbids inline scripts and framing: %s',
    async (address) => {
      const response = await at(address);
      const policy = `${response.headers.get('Content-Security-Policy')}`;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(policy).not.toContain('http');
      expect(await response.text()).not.toMatch(/<style|style=|<script>|javascript:|\son\w+=/i);
    },
  );

  test.each(['/docs/', '/connect/', '/openapi/', '/problems/', '/problems/skill-not-found/'])(
    'redirects to its address without a trailing slash: %s',
    async (address) => {
      const response = await at(address);
      expect(response.status).toBe(308);
      expect(response.headers.get('Location')).toBe(address.replace(/\/$/, ''));
    },
  );
});

describe('the root address', () => {
  const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  test('is the console for a browser, which finds its files there', async () => {
    const response = await at('/', { headers: BROWSER });
    expect(response.headers.get('Content-Type')).toMatch('text/html');
    expect(response.headers.get('Vary')).toMatch('Accept');
    const files = [...(await response.text()).matchAll(/(?:src|href)="\.(\/[^"]+)"/g)];
    expect(files.map(([, path]) => path)).toContain('/console/index.js');
    for (const [, path] of files) expect((await at(`${path}`)).status, path).toBe(200);
  });

  test('redirects to the base path with a slash, where relative links begin', async () => {
    for (const address of [prefixed.url, `${new URL(prefixed.url).origin}/`]) {
      const response = await fetch(address, { headers: BROWSER, redirect: 'manual' });
      expect(response.headers.get('Location'), address).toBe('/teams/v1/');
    }
    const under = await fetch(`${prefixed.url}/`, { headers: BROWSER, redirect: 'manual' });
    expect(under.headers.get('Content-Type')).toMatch('text/html');
  });

  test('has a policy that allows nothing but its own files and requests', async () => {
    const { headers } = await at('/', { headers: BROWSER });
    expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    // Pictures of plots are made from images of their own text, which run nothing and load nothing.
    const others = headers.get('Content-Security-Policy')?.replace("img-src 'self' data:;", '');
    expect(others).not.toMatch(/unsafe|\*|https?:|data:/);
  });

  test.each(['*/*', 'application/json'])('is unknown to other clients: %s', async (accept) => {
    const response = await at('/', { headers: { Accept: accept } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ type: '/problems/unknown-address' });
  });
});

describe('the served contract', () => {
  test('equals the file, byte for byte', async () => {
    const response = await at('/openapi.yaml');
    expect(FILE.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  test('has the same content as JSON', async () => {
    expect(await (await at('/openapi.json')).json()).toEqual(document);
  });

  test('names the servers under the base path in JSON, and is otherwise the same', async () => {
    const { servers, paths, ...others } = await contractOf(`${prefixed.url}/openapi.json`);
    const { servers: _servers, paths: _paths, ...expected } = document;
    expect(paths).toMatchObject({
      '/api/projects/{projectName}/models': {
        servers: [{ url: '/teams/v1' }, { url: '/teams/v1/api' }],
        get: { operationId: 'listModels' },
      },
    });
    expect(Object.keys(Object(paths))).toEqual(contract.entries('paths').map(([path]) => path));
    expect(servers).toMatchObject([{ url: '/teams/v1' }, { url: '/teams/v1/api' }]);
    expect(others).toEqual(expected);
    const [{ url }] = servers as [{ url: string }];
    expect((await fetch(new URL(`${url}/health/live`, prefixed.url))).status).toBe(200);
  });
});

describe('the versions of the contract', () => {
  test('are those of the file, as it was written, as JSON, and without references', async () => {
    const textOf = async (end: string) => (await at(`/openapi/${VERSION}.${end}`)).text();
    expect(await textOf('yaml')).toBe(FILE.toString());
    expect(JSON.parse(await textOf('json'))).toEqual(document);
    expect(await textOf('dereferenced.json')).not.toContain('"$ref"');
  });

  test('have a page that leads to each file', async () => {
    const links = [...(await (await at('/openapi')).text()).matchAll(/href="\.(\/openapi\/[^"]+)"/g)];
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const [, path] of links) expect((await at(`${path}`, { method: 'HEAD' })).status).toBe(200);
  });

  test('are named by the answer to an unknown one', async () => {
    for (const name of ['9.9.9.yaml', `${VERSION}.xml`, 'versions.json', '__proto__']) {
      const response = await at(`/openapi/${name}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        type: '/problems/unknown-address',
        detail: expect.stringContaining(`Its versions are`),
      });
    }
  });

  test('are the same under a base path', async () => {
    const [bare, under] = [
      await at(`/openapi/${VERSION}.json`),
      await fetch(`${prefixed.url}/openapi/${VERSION}.json`),
    ];
    expect(await under.text()).toBe(await bare.text());
  });
});

test('a doubled prefix redirects behind the base path', async () => {
  const address = `${prefixed.url}/api/api/projects/default/models?limit=1`;
  const response = await fetch(address, { redirect: 'manual' });
  expect(response.status).toBe(308);
  expect(response.headers.get('Location')).toBe('/teams/v1/api/projects/default/models?limit=1');
});

describe('no other file is served', () => {
  test.each([
    '/docs/../../etc/passwd',
    '/docs/../package.json',
    '/docs/%2e%2e/%2e%2e/etc/passwd',
    '/docs/..%2f..%2f..%2fetc%2fpasswd',
    '/docs/%2e%2e%5c%2e%2e%5cpackage.json',
    '/docs/%00',
    '/docs/swagger-ui.css%00.html',
    '/docs/swagger-ui.js',
    '/docs/package.json',
    '/docs/browser/playground.js',
    '/docs/constructor',
    '/docs/__proto__',
    '/Docs',
    '/api/docs',
    '/problems/__proto__',
    '/problems/%3Cscript%3E',
    '/problems/..%2fopenapi.yaml',
    '/problems/%ff',
    '//docs/',
    '//elsewhere.example/docs/',
  ])('%s', async (address) => {
    const { head, body } = await raw('GET', address);
    expect(head).toMatch(/^HTTP\/1.1 4(00|04) /);
    expect(JSON.parse(body.toString())).toMatchObject({ type: expect.stringMatching(/^\/problems\//) });
  });
});

test('metrics count the requests for all pages under one name', async () => {
  const headers = { Authorization: `Bearer ${key}` };
  const text = await (await at('/metrics', { headers })).text();
  const names = [...text.matchAll(/^roster_requests_total\{operation="(\w+)"/gm)].map(([, name]) => `${name}`);
  expect(names).toContain('none');
  const known = new Set(['none', ...allOperations.map(({ id }) => id)]);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

async function contractOf(url: string): Promise<Record<string, unknown>> {
  const parsed: unknown = await (await fetch(url)).json();
  return { ...Object(parsed) };
}

/** Sends a request with the address exactly as given; fetch would normalise it. */
async function raw(method: string, address: string, header = 'X-Nothing: 1') {
  const { hostname, port } = new URL(closed.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${method} ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf('\r\n\r\n');
  return { head: answer.subarray(0, end).toString(), body: answer.subarray(end + 4) };
}

function etagOf(head: string): string | undefined {
  return /^ETag: (.*)$/m.exec(head)?.[1];
}

function withoutRequest(head: string): string {
  return head.replace(/^(X-Request-Id|Date): .*$/gm, '');
}
