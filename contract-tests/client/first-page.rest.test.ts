/** Tests that one page works on both mocks and on the service, and only the address of the service changes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { answered, createRosterClient } from 'roster-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { root } from '../../testkit/root.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import { startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';
import { startMock, startStatefulMock } from '../targets/start-mock.js';

type Running = Child & { url: string };

const SITE = fileURLToPath(new URL('examples/browser/serve.js', root));
const EXAMPLES = ['sales_questions', 'care_instructions'] as const;
const path = { project_name: 'default' };
const chromium = browserOfThisMachine();

let folder: string;
let key: string;
let site: Running;
let browser: Browser;
/** Errors in the page that nothing caught. */
const errors: string[] = [];

beforeEach(({ skip }) => skip(chromium === undefined, NO_BROWSER));
beforeAll(async () => {
  if (chromium === undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'roster-first-page-'));
  key = await makeKey(`file:${join(folder, 'roster.db')}`, { name: 'page' });
  const env = { ...process.env, PORT: '0' };
  [site, browser] = await Promise.all([
    startChild(process.execPath, [SITE], env, (line) => /^http:\S+$/.exec(line)?.[0]),
    sharedBrowser(chromium),
  ]);
});
afterAll(async () => {
  if (chromium === undefined) return;
  await closePages();
  await site.stop();
  await rm(folder, { recursive: true });
});

/** Starts the service, with the skills that the mocks have from the contract's examples. */
async function startServiceWithSkills(): Promise<Running> {
  const server = await startServer({ databaseFile: join(folder, 'roster.db'), env: { ALLOWED_ORIGINS: site.url } });
  const roster = createRosterClient({ baseUrl: server.url, apiKey: key });
  for (const name of EXAMPLES) {
    const body = { skill: { name, type: 'note' } };
    await answered(roster.POST('/projects/{project_name}/skills', { params: { path }, body }));
  }
  return server;
}

const TARGETS = {
  Prism: startMock,
  'the mock that remembers': startStatefulMock,
  'the service': startServiceWithSkills,
};

describe.each(Object.entries(TARGETS))('on %s, the page', (_, start) => {
  let service: Running;
  let page: Page;

  beforeAll(async () => {
    if (chromium === undefined) return;
    [service, page] = await Promise.all([start(), browser.newPage()]);
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', ({ message }) => errors.push(message));
    await open();
  });
  afterAll(async () => {
    await page?.close();
    await service?.stop();
  });

  /** Loads the page, and shows the skills. Prism gives the preferred answer; the others ignore it. */
  async function open(prefer = ''): Promise<void> {
    const parameters = new URLSearchParams({ service: service.url, prefer });
    await page.goto(`${site.url}/first-page/?${parameters}`);
    await page.getByLabel('Key').fill(key);
    await page.getByLabel('Skills per page').fill('1');
    await page.getByRole('button', { name: 'Show the skills' }).click();
    await button('Edit sales_questions').waitFor();
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();

  /** Creates a skill through the form. */
  async function create(name: string): Promise<void> {
    const form = page.locator('#new-skill');
    await form.getByLabel('Name').fill(name);
    await form.getByRole('button').click();
  }

  /** Someone else, who changes the same resources. */
  const other = () => createRosterClient({ baseUrl: service.url, apiKey: key });

  test('shows the skills page by page, and ends', async () => {
    await button('More').click();
    await button('Edit care_instructions').waitFor();
    await button('More').waitFor({ state: 'hidden' });
    expect(await page.getByRole('listitem').count()).toBe(2);
  });

  test('creates a skill', async () => {
    await create('lookup');
    await shown('lookup is created.');
  });

  test('shows a fault beside its field', async () => {
    await create('two words');
    await page.locator('#new-skill [name=name][aria-invalid=true]').waitFor();
    expect(await page.locator('#new-skill label output').first().innerText()).toMatch(/^must /);
  });

  test('saves a change', async () => {
    await button('Edit sales_questions').click();
    await page.locator('#edited').getByLabel('Type').fill('note');
    await button('Save').click();
    await shown('sales_questions is saved.');
  });

  test('trains a model from a file, and predicts a row', async () => {
    const file = { name: 'diamonds.csv', mimeType: 'text/csv', buffer: Buffer.from(fewDiamonds) };
    await page.getByLabel('CSV').setInputFiles(file);
    await button('Train').click();
    await shown(/^prices is ready, from \d+ rows\.$/);
    await page.locator('#row').getByLabel('carat').fill('0.7');
    await button('Predict').click();
    await shown(/^price: [\d.]+, from [\d.]+ to [\d.]+, with a confidence of 0\.\d+$/);
  });

  test('shows 409 beside the name that is taken', async () => {
    await open('code=409');
    await create('sales_questions');
    await shown(/There is already a skill named "sales_questions"/);
    await page.locator('#new-skill [name=name][aria-invalid=true]').waitFor();
  });

  test('shows 412 if someone else has changed the skill, and reads it again', async () => {
    await open('code=412');
    await button('Edit sales_questions').click();
    await button('Save').waitFor();
    await other().PUT('/projects/{project_name}/skills/{skill_name}', {
      params: { path: { ...path, skill_name: 'sales_questions' } },
      body: { skill: { type: 'changed' } },
    });
    await page.locator('#edited').getByLabel('Type').fill('mine');
    await button('Save').click();
    await shown(/is no longer the one that If-Match names/);
    await button('Read it again').click();
    await button('Read it again').waitFor({ state: 'hidden' });
    expect(await page.locator('#edited').getByLabel('Type').inputValue()).not.toBe('mine');
  });

  test('shows 404 if someone else has deleted the skill', async () => {
    await open('code=404, example=skill');
    await other().DELETE('/projects/{project_name}/skills/{skill_name}', {
      params: { path: { ...path, skill_name: 'sales_questions' } },
    });
    await button('Edit sales_questions').click();
    await shown(/There is no skill with the name or identifier/);
    expect(await page.locator('#edited').isVisible()).toBe(false);
  });
});

test('the page has no uncaught errors', () => {
  expect(errors).toEqual([]);
});
