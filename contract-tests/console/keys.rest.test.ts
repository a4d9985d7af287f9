import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { runRoster } from '../../testkit/service/roster-command.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { makeKey } from '../../testkit/store/keys.js';
import { expectGoodView, expectGoodViewInEachWindow, goTo, openConsole } from './console-page.js';

const executable = browserOfThisMachine();

describe('the key of the console', () => {
  let browser: Browser;
  let folder: string;
  let server: ServerProcess;
  let url: string;
  let reader: string;

  beforeAll(async () => {
    if (executable === undefined) return;
    folder = await mkdtemp(join(tmpdir(), 'roster-console-keys-'));
    const databaseFile = join(folder, 'roster.db');
    url = `file:${databaseFile}`;
    reader = await makeKey(url, { name: 'dashboard <b>', owner: 'acme', scopes: ['read'] });
    [browser, server] = await Promise.all([sharedBrowser(executable), startServer({ databaseFile })]);
  });
  afterAll(async () => {
    await closePages();
    await server?.stop();
    if (folder) await rm(folder, { recursive: true });
  });
  beforeEach(({ skip }) => skip(executable === undefined, NO_BROWSER));

  test('is asked for, and its scopes are shown', async () => {
    const look = await openConsole(browser, server.url, '/key');
    const { page } = look;
    await page.getByRole('dialog').waitFor();
    await expectGoodViewInEachWindow(look);
    await enter(page, reader);
    await page.getByText('dashboard <b> belongs to acme.').waitFor();
    await expect
      .poll(() => page.getByRole('listitem').allTextContents())
      .toEqual([
        expect.stringContaining('May read'),
        expect.stringContaining('May not write'),
        expect.stringContaining('May not predict'),
        expect.stringContaining('May not ask'),
        expect.stringContaining('May not operate'),
        expect.stringContaining('May not keys'),
      ]);
    await expectGoodViewInEachWindow(look);

    await goTo(page, '/projects', 'Projects');
    await page.getByLabel('Name').fill('not_allowed');
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByText('This key may not write.').waitFor();
    await expectGoodViewInEachWindow(look);
    await page.context().close();
  });

  test('without the scope ask gets no answers, and loses no question', async () => {
    const editor = await makeKey(url, { name: 'agents', owner: 'acme' });
    const created = await fetch(`${server.url}/projects/default/agents`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${editor}`, 'Content-Type': 'application/json' },
      body: '{"agent": {"name": "analyst"}}',
    });
    expect(created.status).toBe(201);
    const look = await openConsole(browser, server.url, '/projects/default/agents/analyst/talk');
    const { page } = look;
    await enter(page, reader);
    await page.getByLabel('Message').fill('May I?');
    await page.getByLabel('Message').press('Enter');
    await page.getByText('This key may not ask.').waitFor();
    await expectGoodView(look);
    await page.getByRole('button', { name: 'Edit' }).click();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('May I?');
    await page.context().close();
  });

  test('can be revoked while the page is open, and nothing typed is lost', async () => {
    const key = await makeKey(url, { name: 'editor', owner: 'acme' });
    const other = await makeKey(url, { name: 'editor again', owner: 'acme' });
    const { page } = await openConsole(browser, server.url, '/projects');
    await enter(page, key);
    await goTo(page, '/projects/default/skills/~new', 'New skill');
    await page.getByLabel('Name').fill('mine');
    await page.getByLabel('Type').fill('lookup');
    await page.getByRole('button', { name: 'Create the skill' }).click();
    await page.getByText('The skill is created.').waitFor();
    await page.getByLabel('Type').fill('typed again');

    const [, id = ''] = key.split('_');
    const revoked = await runRoster(['keys', 'revoke', id], { DATABASE_URL: url });
    expect(revoked.code).toBe(0);
    await expect
      .poll(async () => {
        const headers = { Authorization: `Bearer ${key}` };
        return (await fetch(`${server.url}/me`, { headers })).status;
      })
      .toBe(401);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await enter(page, `roster_0000000000000000_${'0'.repeat(43)}`);
    await page.getByRole('dialog').getByText('unknown, revoked or expired').waitFor();
    await enter(page, other);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Type').inputValue()).toBe('typed again');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await page.context().close();
  });
});

/** Enters a key in the dialog that asks for one. */
async function enter(page: Page, key: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Key', { exact: true }).fill(key);
  await dialog.getByRole('button', { name: 'Use this key' }).click();
}
