/** Tests of the service's pages in a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { createRosterClient } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, PROXIED, sharedBrowser } from '../../testkit/browser.js';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { allOperations as operations } from '../../testkit/openapi/document.js';
import { type ServerOptions, type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { type Look, open } from './browser.js';

const executable = browserOfThisMachine();

describe('in a browser', () => {
  let folder: string;
  let browser: Browser;
  /** A service that only this machine reaches, under a base path; its pages are at the root as well. */
  let local: ServerProcess;
  let root: string;
  const running: ServerProcess[] = [];

  const start = async (options?: ServerOptions) => {
    const server = await startServer(options);
    running.push(server);
    return server;
  };
  beforeAll(async () => {
    if (executable === undefined) return;
    folder = await mkdtemp(join(tmpdir(), 'roster-docs-'));
    browser = await sharedBrowser(executable);
    local = await start({ env: { BASE_PATH: '/teams/v1' } });
    root = new URL(local.url).origin;
  });
  beforeEach(({ skip }) => skip(executable === undefined, NO_BROWSER));
  afterAll(async () => {
    if (executable === undefined) return;
    await closePages();
    await Promise.all(running.map((server) => server.stop()));
    await rm(folder, { recursive: true });
  });

  /** Starts a service with a key. Returns both. */
  async function startWithKey(name: string, env: NodeJS.ProcessEnv = {}) {
    const databaseFile = join(folder, `${name}.db`);
    const key = await makeKey(`file:${databaseFile}`, { name });
    return { key, server: await start({ databaseFile, env }) };
  }

  describe('the page of hosts', () => {
    const shown = (page: Page) => page.locator('pre').allInnerTexts();

    test('has the address of the service and the project, and the key of the tab if asked', async () => {
      const { page, faults, origins } = await open(browser, `${local.url}/connect?project=gems`);
      await expect
        .poll(async () => (await shown(page))[0])
        .toBe(
          `claude mcp add --transport http roster ${local.url}/mcp/gems --header "Authorization: Bearer $ROSTER_KEY"`,
        );
      const [, ...others] = await shown(page);
      for (const text of others) {
        expect(text).toContain(`${local.url}/mcp/gems`);
        expect(text).not.toContain('127.0.0.1:4000');
      }
      expect(await page.getByLabel('Put in the key of this tab').count()).toBe(0);
      await page.evaluate("sessionStorage.setItem('roster-key', 'roster_kept')");
      await page.reload();
      await page.getByLabel('Put in the key of this tab').check();
      await expect.poll(async () => (await shown(page))[0]).toContain('Bearer roster_kept"');
      expect((await shown(page)).join()).not.toContain('ROSTER_KEY}');
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByRole('button', { name: /Copied|Selected/ }).waitFor();
      expect(faults).toEqual([]);
      expect([...origins]).toEqual([root]);
    });

    test('takes no text from a link that a shell could run', async () => {
      const project = encodeURIComponent('x" --header "$(id)');
      const { page } = await open(browser, `${root}/connect?project=${project}`);
      const texts = async () => (await shown(page)).join();
      await expect.poll(texts).toContain(`${root}/mcp --header`);
      expect(await texts()).not.toContain('$(id)');
      await page.getByLabel('Project').fill('a b');
      expect(await texts()).not.toContain('a b');
    });
  });

  describe('the reference', () => {
    /** Loaded with all operations for one test, and with two for the others: each step draws what is open again. */
    let look: Look;

    test('shows every operation of this contract in light and dark, even if the address names another one', async () => {
      const other = encodeURIComponent('https://elsewhere.example/openapi.json');
      look = await open(browser, `${root}/docs?url=${other}&configUrl=${other}&spec=%7B%7D&supportedSubmitMethods=`);
      const { page, faults, origins } = look;
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Roster');
      const paths = page.locator('.opblock-summary-path, .opblock-summary-path__deprecated');
      await expect.poll(() => paths.count()).toBe(operations.length);
      await openOperation(page, 'models', 'predict');
      const coloursOf = (texts: string): Promise<unknown[]> =>
        page.evaluate(
          `[...document.querySelectorAll('.opblock-description-wrapper ${texts}')].map((text) => getComputedStyle(text).color)`,
        );
      const ofParagraphs = new Set();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const [ofText] = await coloursOf('p');
        expect([...new Set(await coloursOf(':is(h1, h2, h3, h4)'))]).toEqual([ofText]);
        ofParagraphs.add(ofText);
      }
      expect(ofParagraphs.size).toBe(2);
      expect(faults).toEqual([]);
      expect([...origins]).toEqual([root]);
    });

    test('sends a prediction from its playground, and shows the answer', async () => {
      await trainPrices(createRosterClient({ baseUrl: local.url }), { projectName: 'default', modelName: 'tried' });
      await look.page.context().close();
      look = await open(browser, `${root}/docs`, { operations: ['predict', 'updateSkill'] });
      const { page, faults, origins } = look;
      await openOperation(page, 'models', 'predict');
      const answer = await tryPrediction(page);
      // The page draws all that is open again with each step.
      await page.locator('#operations-models-predict .opblock-summary-control').click();
      expect(answer).toMatchObject([{ carat: 0.7, price_min: expect.any(Number) }]);
      expect(faults).toEqual([]);
      expect([...origins]).toEqual([root]);
    });

    test('sends only the entered fields: an update is not filled up from the example', async () => {
      const roster = createRosterClient({ baseUrl: local.url });
      await roster.POST('/projects/{project_name}/skills', {
        params: { path: { project_name: 'default' } },
        body: { skill: { name: 'updated', type: 'lookup' } },
      });
      const { page } = look;
      const operation = await openOperation(page, 'skills', 'updateSkill');
      // The parameters shared by all operations of an address.
      const names = await operation.locator('.parameter__name').allInnerTexts();
      expect(names.map((name) => name.replace(/\W/g, ''))).toEqual(
        expect.arrayContaining(['project_name', 'skill_name']),
      );
      expect(await operation.getByText('For example').count()).toBeGreaterThan(0);
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByPlaceholder('project_name').fill('default');
      await operation.getByPlaceholder('skill_name').fill('updated');
      await operation.locator('textarea').fill('{"skill": {"params": {"tried": true}}}');
      expect(await statusOfTried(operation)).toBe('200');
    });

    test('links to the problems, and they link back', async () => {
      const { page, faults, idle } = look;
      await page.setViewportSize({ width: 420, height: 900 });
      await page.getByRole('link', { name: 'Problems' }).click();
      await page.getByRole('link', { name: 'Name taken' }).click();
      await page.getByRole('heading', { name: 'Name taken', exact: true }).waitFor();
      await page.getByText('To fix it').waitFor();
      await page.getByRole('link', { name: 'Reference' }).click();
      await page.waitForURL(`${root}/docs`);
      await page.locator('.opblock').first().waitFor();
      await idle();
      expect(faults).toEqual([]);
    });

    test('runs no script and applies no style that was injected into the page', async () => {
      const { page, faults } = look;
      await page.evaluate(`
        const script = document.createElement('script');
        script.textContent = 'document.title = "slipped in"';
        document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<style>header { display: none }</style><p style="color: red">');
      `);
      expect(await page.title()).toBe('Reference · Roster');
      expect(await page.locator('header').isVisible()).toBe(true);
      await expect.poll(() => faults).toHaveLength(3);
      await expect(page.evaluate('fetch("https://elsewhere.example/")')).rejects.toThrow();
      await expect.poll(() => faults.join()).toContain('connect-src');
    });
  });

  describe('the playground', () => {
    test('sends requests, and tables from files, to the base path when opened at it', async () => {
      const operations = ['listProjects', 'trainModel'];
      const { page, faults } = await open(browser, `${local.url}/docs`, { operations });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      expect(await tryList(page)).toBe('200');
      expect(asked).toContain(`${local.url}/projects`);

      const operation = await openOperation(page, 'models', 'trainModel');
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByLabel('Request content type').selectOption('text/csv');
      await operation.getByPlaceholder('modelName').fill('sent');
      await operation.getByPlaceholder('target').fill('price');
      const table = Buffer.from(fewDiamonds);
      await operation
        .locator('input[type=file]')
        .setInputFiles({ name: 'diamonds.csv', mimeType: 'text/csv', buffer: table });
      expect(await statusOfTried(operation)).toBe('202');
      expect(faults).toEqual([]);
    });

    test('accepts a key, and forgets it when the page is closed', async () => {
      const { key, server } = await startWithKey('kept-in-memory');
      const operations = ['listProjects'];
      const { page, faults } = await open(browser, `${server.url}/docs`, { operations });
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.getByLabel('auth-bearer-value').fill(key);
      await page.locator('.modal-ux .authorize').first().click();
      await page.locator('.modal-ux .btn-done').first().click();
      expect(await tryList(page)).toBe('200');
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
      expect(await page.context().cookies()).toEqual([]);
      expect(faults).toEqual([]);
      await page.goto(`${server.url}/docs`);
      expect(await tryList(page)).toBe('401');
    });

    test('is missing on a service that other machines can reach, and the page gives the reason', async () => {
      const { server } = await startWithKey('reached', { HOST: '0.0.0.0' });
      await expectReadOnly(server.url.replace('0.0.0.0', '127.0.0.1'));
    });

    test('is missing if a proxy lets others reach a service of this machine', async () => {
      await expectReadOnly(root.replace('127.0.0.1', PROXIED));
    });
  });

  async function expectReadOnly(url: string): Promise<void> {
    const operations = ['createProject'];
    const { page, faults } = await open(browser, `${url}/docs`, { operations });
    await page.getByText('Here the reference is to read only').waitFor();
    const operation = await openOperation(page, 'projects', 'createProject');
    await operation.getByText('Creates an empty project.').waitFor();
    expect(await page.getByRole('button', { name: /Try it out|Authorize/ }).count()).toBe(0);
    expect(await page.locator('.authorization__btn').count()).toBe(0);
    expect(faults).toEqual([]);
  }
});

async function openOperation(page: Page, tag: string, operationId: string) {
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.opblock-body .responses-wrapper').waitFor();
  return operation;
}

/** Sends one diamond to the model `tried` from the open operation, and returns the displayed answer. */
async function tryPrediction(page: Page): Promise<unknown> {
  const operation = page.locator('#operations-models-predict');
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByPlaceholder('projectName').fill('default');
  await operation.getByPlaceholder('modelName').fill('tried');
  await operation.locator('textarea').fill('[{"carat": 0.7, "cut": "Ideal", "color": "G"}]');
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table .response').first();
  await answer.waitFor();
  expect(await answer.locator('.response-col_status').innerText()).toMatch(/^200/);
  return JSON.parse(await answer.locator('.highlight-code pre').first().innerText());
}

/** Lists the projects from the page, and returns the displayed status. */
async function tryList(page: Page): Promise<string> {
  const operation = await openOperation(page, 'projects', 'listProjects');
  await operation.getByRole('button', { name: 'Try it out' }).click();
  return statusOfTried(operation);
}

async function statusOfTried(operation: Locator): Promise<string> {
  await operation.getByRole('button', { name: 'Execute' }).click();
  const status = operation.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  return (await status.innerText()).slice(0, 3);
}
