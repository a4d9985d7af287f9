/** Tests of the browser example, in a real browser, with the client as npm packs it. */
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { createRosterClient } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { installPackedClient } from '../../testkit/packed-client.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const chromium = browserOfThisMachine();

let folder: string;
let server: ServerProcess;
let site: Child & { url: string };
let browser: Browser;
let page: Page;
/** Errors in the page that nothing caught. */
const faults: string[] = [];

beforeAll(async () => {
  if (chromium === undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'roster-'));
  await installed(folder);
  server = await startServer();
  site = await startChild(
    process.execPath,
    [join(folder, 'examples/browser/serve.js')],
    { ...process.env, PORT: '0', ROSTER_URL: server.url },
    (line) => /^http:\S+$/.exec(line)?.[0],
  );
  browser = await sharedBrowser(chromium);
  page = await browser.newPage();
  page.setDefaultTimeout(WAIT_MS);
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(site.url);
});
afterAll(async () => {
  if (chromium === undefined) return;
  await closePages();
  await site.stop();
  await server.stop();
  await rm(folder, { recursive: true });
});
beforeEach(({ skip }) => skip(chromium === undefined, NO_BROWSER));

/** Puts the example and its packages into a folder, as they are after an installation. */
async function installed(folder: string): Promise<void> {
  await cp(join(ROOT, 'examples/browser'), join(folder, 'examples/browser'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const packages = join(folder, 'node_modules');
  for (const name of ['openapi-fetch', 'eventsource-parser'])
    await cp(join(ROOT, 'node_modules', name), join(packages, name), { recursive: true, dereference: true });
  await installPackedClient(packages);
}

/** Waits until an expression is true in the page, and returns its value. */
function shown(expression: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const found = ${expression};
      if (found) resolve(found);
      else setTimeout(look, 20);
    };
    look();
  })`);
}

test('the example creates a skill and lists it', async () => {
  await page.evaluate(`{
    const form = document.querySelector('#new-skill');
    form.elements.name.value = 'lookup';
    form.requestSubmit();
  }`);
  expect(await shown("document.querySelector('#skills').textContent")).toBe('lookup (lookup)');
  const { data } = await createRosterClient({ baseUrl: server.url }).GET('/projects/{project_name}/skills', {
    params: { path: { project_name: 'default' } },
  });
  expect(data).toMatchObject([{ name: 'lookup', type: 'lookup' }]);
});

test('the example shows what is wrong with the form', async () => {
  await page.evaluate(`{
    const form = document.querySelector('#new-skill');
    form.elements.name.value = 'two words';
    form.requestSubmit();
  }`);
  expect(await shown("document.querySelector('#new-skill .problem').value")).toContain('must consist of');
});

test('the example sends a file, follows the training, and shows how good the model is', async () => {
  await page.evaluate(`{
    const form = document.querySelector('#training');
    const files = new DataTransfer();
    files.items.add(new File([${JSON.stringify(someDiamonds(300))}], 'diamonds.csv'));
    form.elements.table.files = files.files;
    form.requestSubmit();
  }`);
  expect(await shown("document.querySelector('[name=result]').value")).toMatch(
    /^Ready: from 300 rows, it explains \d+ % of the variance\.$/,
  );
  expect(await page.evaluate("document.querySelector('progress').value")).toBe(1);
});

test('the page has the origin of the service, so the browser lets it read the answers', async () => {
  const here = 'fetch("/api/projects").then(({ status }) => status)';
  const elsewhere = `fetch(${JSON.stringify(`${server.url}/projects`)}).then(() => 'read', () => 'kept')`;
  expect(await page.evaluate(here)).toBe(200);
  expect(await page.evaluate(elsewhere)).toBe('kept');
});

test('the page has no uncaught errors', () => {
  expect(faults).toEqual([]);
});

test('the service refuses requests by another host name', async () => {
  const asked = request(`${site.url}/api/projects`, { headers: { Host: 'roster.example' } }).end();
  const [answer] = await once(asked, 'response');
  expect(answer.resume().statusCode).toBe(401);
});

/** Runs the body of an asynchronous function in the page, where `client` has the client's exports. */
function inThePage(code: string): Promise<unknown> {
  return page.evaluate(`import('roster-client').then(async (client) => { ${code} })`);
}

describe('the client in this browser', () => {
  test('resends a whole file', async () => {
    const sent = await inThePage(`
      const sent = [];
      const roster = client.createRosterClient({
        baseUrl: '/api',
        fetch: async (request) => {
          sent.push([request.method, request.headers.get('Content-Type'), await request.text()]);
          return new Response('{}', {
            status: sent.length < 3 ? 429 : 202,
            headers: { 'Content-Type': 'application/json' },
          });
        },
      });
      roster.use(client.timeout(60_000), client.retry({ delay: 1 }));
      await roster.PUT('/api/projects/{projectName}/models/{modelName}', {
        params: { path: { projectName: 'default', modelName: 'prices' }, query: { target: 'b' } },
        body: new File(['a,b\\n1,2\\n'], 'table.csv'),
        headers: { 'Content-Type': 'text/csv' },
      });
      return sent;`);
    expect(sent).toEqual(Array(3).fill(['PUT', 'text/csv', 'a,b\n1,2\n']));
  });

  test('gives up after a timeout, or when it is aborted', async () => {
    const ended = await inThePage(`
      const roster = client.createRosterClient({ baseUrl: '/api' });
      roster.use(client.timeout(1), client.retry());
      const late = await roster.GET('/projects', {
        fetch: ({ signal }) => new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      }).catch(({ name }) => name);
      const left = await client.createRosterClient({ baseUrl: '/api' })
        .GET('/projects', { signal: AbortSignal.abort('left') })
        .catch((reason) => reason);
      return [late, left];`);
    expect(ended).toEqual(['TimeoutError', 'left']);
  });

  test('generates keys for creations', async () => {
    const key = await inThePage(`
      let key;
      const roster = client.createRosterClient({ baseUrl: '/api', fetch: async (request) => {
        key = request.headers.get('Idempotency-Key');
        return Response.json({}, { status: 201 });
      } });
      roster.use(client.idempotencyKeys());
      await roster.POST('/projects', { body: { project: { name: 'jewellery' } } });
      return key;`);
    expect(key).toMatch(/^[0-9a-f]{32}$/);
  });
});
