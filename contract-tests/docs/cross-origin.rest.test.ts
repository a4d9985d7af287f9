/** Pages of other origins, in a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, PROXIED, sharedBrowser } from '../../testkit/browser.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';

const executable = browserOfThisMachine();

/** The answer that a page got; `blocked` if the browser withheld it. */
type Seen = 'blocked' | { status: number; etag: string | null; deprecation: string | null };

describe.skipIf(executable === undefined)('a page of another origin', () => {
  let folder: string;
  let browser: Browser;
  let key: string;
  const pages = createServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A page</title>');
  });
  let allowed: string;
  let other: string;
  let exact: ServerProcess;
  let any: ServerProcess;
  let closed: ServerProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-origins-'));
    const { port } = await new Promise<{ port: number }>((resolve) => {
      pages.listen(0, '127.0.0.1', () => {
        const address = pages.address();
        resolve({ port: typeof address === 'object' && address !== null ? address.port : 0 });
      });
    });
    allowed = `http://127.0.0.1:${port}`;
    other = `http://${PROXIED}:${port}`;
    const databaseFile = join(folder, 'keys.db');
    key = await makeKey(`file:${databaseFile}`, { name: 'page' });
    [browser, exact, any, closed] = await Promise.all([
      sharedBrowser(`${executable}`),
      startServer({ env: { ALLOWED_ORIGINS: `https://app.example, ${allowed}` } }),
      startServer({ databaseFile, env: { ALLOWED_ORIGINS: '*' } }),
      startServer(),
    ]);
  });
  afterAll(async () => {
    await closePages();
    pages.close();
    await Promise.all([exact, any, closed].map((server) => server?.stop()));
    await rm(folder, { recursive: true });
  });

  /** The open page of each origin. */
  const opened = new Map<string, Page>();

  /** Sends a request from a page at `origin`. */
  async function send(origin: string, url: string, init: RequestInit = {}): Promise<Seen> {
    const page = opened.get(origin) ?? (await browser.newPage());
    if (!opened.has(origin)) await page.goto(origin, { timeout: WAIT_MS });
    opened.set(origin, page);
    const script = `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(
        ({ status, headers }) => ({
          status, etag: headers.get('ETag'), deprecation: headers.get('Deprecation'),
        }), () => 'blocked')`;
    return page.evaluate<Seen>(script);
  }

  const create = (name: string): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ project: { name } }),
  });

  test('reads and writes where its origin is allowed, headers and problems included', async () => {
    const created = await send(allowed, `${exact.url}/projects`, create('allowed'));
    expect(created).toMatchObject({ status: 201, etag: expect.stringMatching(/^"/) });
    expect(await send(allowed, `${exact.url}/projects/none`)).toMatchObject({ status: 404 });
    const refused = await send(allowed, `${exact.url}/projects`, create('two words'));
    expect(refused).toMatchObject({ status: 400 });
  });

  test('learns that it uses something deprecated, and follows a redirect', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ agent: { name: 'dated', params: {} } });
    const agents = `${exact.url}/projects/default/agents`;
    const created = await send(allowed, agents, { method: 'POST', headers, body });
    expect(created).toMatchObject({ status: 201, deprecation: '@1795392000' });
    const models = `${exact.url}/api/api/projects/default/models`;
    expect(await send(allowed, models, { headers })).toMatchObject({ status: 200 });
  });

  test('is blocked where another origin is allowed, and writes nothing', async () => {
    expect(await send(other, `${exact.url}/projects`)).toBe('blocked');
    expect(await send(other, `${exact.url}/projects`, create('sneaked'))).toBe('blocked');
    expect((await fetch(`${exact.url}/projects/sneaked`)).status).toBe(404);
  });

  test.each([
    ['Authorization', 'Bearer '],
    ['X-Api-Key', ''],
  ])('reads with a key in %s, and only that, where * is allowed', async (name, scheme) => {
    const headers = { [name]: scheme + key };
    const read = await send(other, `${any.url}/projects/default`, { headers });
    expect(read).toMatchObject({ status: 200, etag: expect.stringMatching(/^"/) });
    expect(await send(other, `${any.url}/projects/default`)).toBe('blocked');
    const made = create('sneaked');
    const write = { ...made, headers: { ...made.headers, ...headers } };
    expect(await send(other, `${any.url}/projects`, write)).toBe('blocked');
  });

  test('is blocked where no origin is allowed, which is the default', async () => {
    expect(await send(other, `${closed.url}/projects`)).toBe('blocked');
  });

  test('is refused what needs no preflight, and a page of an allowed origin is not', async () => {
    const path = '/api/projects/default/models/none/retrain';
    const retrain: RequestInit = { method: 'POST', mode: 'no-cors' };
    await send(other, closed.url + path, retrain);
    await expect.poll(() => closed.log.filter((line) => line.includes(path))).toHaveLength(1);
    expect(closed.log.find((line) => line.includes(path))).toContain('"statusCode":403');
    expect(await send(allowed, exact.url + path, { method: 'POST' })).toMatchObject({ status: 404 });
  });
});
