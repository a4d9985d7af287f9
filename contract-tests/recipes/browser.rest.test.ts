/**
 * Tests of the recipes for a dev proxy and for files, in a real browser: Vite with the configuration of the
 * recipe serves the page, in front of the real server with a key.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { createRosterClient, type RosterClient } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { freePort } from '../../testkit/http/free-port.js';
import { listen } from '../../testkit/http/listen.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SITE = fileURLToPath(new URL('./site', import.meta.url));
const chromium = browserOfThisMachine();

let folder: string;
let key: string;
let server: ServerProcess;
let vite: Child & { url: string };
let browser: Browser;
let page: Page;
let roster: RosterClient;

beforeAll(async () => {
  if (chromium === undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'roster-'));
  const databaseFile = join(folder, 'roster.db');
  key = await makeKey(`file:${databaseFile}`, { name: 'dev' });
  [server, browser] = await Promise.all([startServer({ databaseFile }), sharedBrowser(chromium)]);
  roster = createRosterClient({ baseUrl: server.url, apiKey: key });
  vite = await startVite({ ROSTER_URL: server.url, ROSTER_KEY: key });
  page = await browser.newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(vite.url);
  await page.waitForFunction('window.files');
});
afterAll(async () => {
  if (chromium === undefined) return;
  await closePages();
  await Promise.all([vite.stop(), server.stop()]);
  await rm(folder, { recursive: true });
});
beforeEach(({ skip }) => skip(chromium === undefined, NO_BROWSER));

async function startVite(env: NodeJS.ProcessEnv): Promise<Child & { url: string }> {
  const config = ['--config', join(ROOT, 'examples/recipes/dev-proxy.ts')];
  const address = ['--host', '127.0.0.1', '--port', `${await freePort()}`, '--strictPort'];
  return startChild(
    join(ROOT, 'node_modules/.bin/vite'),
    [SITE, ...config, ...address],
    { ...process.env, ...env, NO_COLOR: '1' },
    (line) => /Local:\s+(http:\S+?)\/?$/.exec(line)?.[1],
  );
}

/** Runs the body of an asynchronous function in the page, which has `client` and `files`. */
function inThePage<T>(code: string): Promise<T> {
  return page.evaluate(`(async () => { ${code} })()`);
}

describe('the dev proxy', () => {
  test('lets a page without a key read and write, at each kind of address', async () => {
    const statuses = await inThePage(`
      const roster = client.createRosterClient({ baseUrl: '/api' });
      const path = { project_name: 'default' };
      const answers = [
        await roster.GET('/me'),
        await roster.POST('/projects/{project_name}/skills', {
          params: { path }, body: { skill: { name: 'lookup', type: 'lookup' } },
        }),
        await roster.GET('/api/projects/{projectName}/models', {
          params: { path: { projectName: 'default' } },
        }),
      ];
      return answers.map(({ response: { status, url } }) => [status, new URL(url).pathname]);`);
    expect(statuses).toEqual([
      [200, '/api/me'],
      [201, '/api/projects/default/skills'],
      [200, '/api/projects/default/models'],
    ]);
  });

  test('keeps the key out of everything that a browser gets', async () => {
    const loaded = await inThePage<string[]>(`
      const urls = performance.getEntriesByType('resource').map(({ name }) => name);
      return Promise.all([location.href, ...urls].map((url) => fetch(url).then((r) => r.text())));`);
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((text) => text.includes(key) || text.includes('ROSTER_KEY'))).toEqual([]);
  });

  test('gives the key to no page of another origin', async () => {
    const elsewhere = await browser.newPage();
    const site = await listen((_req, res) => {
      res.setHeader('Content-Type', 'text/html').end('<!doctype html>');
    });
    await elsewhere.goto(site);
    const url = JSON.stringify(`${vite.url}/api/projects`);
    expect(await elsewhere.evaluate(`fetch(${url}).then(({ status }) => status)`)).toBe(401);
    await elsewhere.close();
  });
});

describe('files', () => {
  const TABLE = someDiamonds(1000);

  test('a training shows the progress of the upload, then its own', async () => {
    const network = await page.context().newCDPSession(page);
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 200_000,
    });
    const steps = await inThePage<[step: string, share: number][]>(`
      const steps = [];
      const table = new File([${JSON.stringify(TABLE)}], 'diamonds.csv');
      const { signal } = new AbortController();
      await files.train(table, (...step) => steps.push(step), signal);
      return steps;`);
    await network.detach();
    const sent = steps.filter(([step]) => step === 'sent').map(([, share]) => share);
    const trained = steps.filter(([step]) => step === 'trained').map(([, share]) => share);
    expect(steps.map(([step]) => step)).toEqual([...sent.map(() => 'sent'), ...trained.map(() => 'trained')]);
    expect(sent.some((share) => share > 0 && share < 1)).toBe(true);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    expect([sent.at(-1), trained.at(-1)]).toEqual([1, 1]);
  });

  test('predictions are saved as they arrive, complete', async () => {
    const { saved, received } = await inThePage<{ saved: string; received: number[] }>(`
      const folder = await navigator.storage.getDirectory();
      const handle = await folder.getFileHandle('predictions.csv', { create: true });
      const received = [];
      const [header, ...lines] = ${JSON.stringify(TABLE)}.split('\\n');
      // More than the two megabytes that Chromium may hand over at once.
      const rows = new File([header + '\\n', ...Array(40).fill(lines.join('\\n') + '\\n')], 'new.csv');
      const { signal } = new AbortController();
      const onProgress = (_step, bytes) => received.push(bytes);
      await files.predict(rows, await handle.createWritable(), onProgress, signal);
      return { saved: await (await handle.getFile()).text(), received };`);
    expect(saved.trimEnd().split('\r\n')).toHaveLength(1 + 40 * 1000);
    expect(received.length).toBeGreaterThan(1);
    expect(received.at(-1)).toBe(Buffer.byteLength(saved));
  });

  test('a cancelled prediction leaves no half of a file', async () => {
    const { reason, kept } = await inThePage<{ reason: string; kept: number }>(`
      const folder = await navigator.storage.getDirectory();
      const handle = await folder.getFileHandle('half.csv', { create: true });
      const rows = new File([${JSON.stringify(TABLE)}], 'new.csv');
      const cancel = new AbortController();
      const onProgress = () => cancel.abort('enough');
      const reason = await files
        .predict(rows, await handle.createWritable(), onProgress, cancel.signal)
        .catch((reason) => reason);
      return { reason, kept: (await handle.getFile()).size };`);
    expect([reason, kept]).toEqual(['enough', 0]);
  });

  test('a cancelled upload trains nothing', async () => {
    const versions = () =>
      roster.GET('/api/projects/{projectName}/models/{modelName}/versions', {
        params: { path: { projectName: 'default', modelName: 'prices' } },
      });
    const before = (await versions()).data;
    const reason = await inThePage(`
      const table = new File([${JSON.stringify(TABLE)}], 'diamonds.csv');
      const cancel = new AbortController();
      const training = files.train(table, () => {}, cancel.signal);
      cancel.abort('enough');
      return training.catch((reason) => reason);`);
    expect(reason).toBe('enough');
    expect((await versions()).data).toEqual(before);
  });

  test('a refused table is a problem, as with fetch', async () => {
    const problem = await inThePage(`
      const table = new File(['a,b\\n1,2\\n'], 'no-prices.csv');
      return files.train(table, () => {}, new AbortController().signal)
        .catch(({ name, problem, response }) => [name, problem.type, response.status]);`);
    expect(problem).toEqual(['ProblemError', '/problems/unusable-table', 422]);
  });
});
