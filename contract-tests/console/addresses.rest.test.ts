import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { expectGoodView, expectGoodViewInEachWindow, goTo, openConsole } from './console-page.js';

const executable = browserOfThisMachine();

describe('the address of the console', () => {
  let browser: Browser;
  let server: ServerProcess;
  let prefixed: ServerProcess;

  beforeAll(async () => {
    if (executable === undefined) return;
    [browser, server, prefixed] = await Promise.all([
      sharedBrowser(executable),
      startServer(),
      startServer({ env: { BASE_PATH: '/teams/v1' } }),
    ]);
  });
  afterAll(async () => {
    await closePages();
    await Promise.all([server, prefixed].map((started) => started?.stop()));
  });
  beforeEach(({ skip }) => skip(executable === undefined, NO_BROWSER));

  test('is the root, with and without a base path', async () => {
    for (const { url } of [server, prefixed]) {
      const look = await openConsole(browser, url);
      await look.page.getByRole('link', { name: 'Roster', exact: true }).waitFor();
      await expectGoodView(look);
      await look.page.context().close();
    }
  });

  test('says that a view does not exist, also of a resource named "." or ".."', async () => {
    const look = await openConsole(browser, server.url, '/nothing/here');
    const { page } = look;
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Not found');
    await expectGoodViewInEachWindow(look);
    for (const name of ['.', '..']) {
      await goTo(page, '/projects', 'Projects');
      await goTo(page, `/projects/default/skills/${name}`, 'Not found');
    }
    await page.context().close();
  });

  test('is followed from the first render on', async () => {
    const { page } = await openConsole(browser, server.url, '/key');
    // Runs after the first render, and before the page listens for changes.
    await page.addInitScript({
      content: `new MutationObserver((_, observer) => {
        if (!document.querySelector('h1')) return;
        observer.disconnect();
        location.hash = '/projects';
      }).observe(document, { childList: true, subtree: true });`,
    });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page.context().close();
  });
});
