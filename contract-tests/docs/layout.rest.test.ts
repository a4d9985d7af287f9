/** Tests of how the pages look, and of how one finds an operation. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TOUR } from '../../generated/tour.js';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { allOperations as operations } from '../../testkit/openapi/document.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { findViolations } from '../violations.js';
import { type Look, open } from './browser.js';

const executable = browserOfThisMachine();

/** The other tests of the reference begin in light. */
const WINDOWS = [
  { width: 400, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
] as const;

/** The operations with the largest description, and with the longest address. */
const LARGE = ['models/predict', 'conversations/replyToMessage'];

describe('a page in a browser', () => {
  let browser: Browser;
  let server: ServerProcess;

  beforeAll(async () => {
    if (executable === undefined) return;
    [browser, server] = await Promise.all([sharedBrowser(executable), startServer()]);
  });
  beforeEach(({ skip }) => skip(executable === undefined, NO_BROWSER));
  afterAll(async () => {
    await closePages();
    await server?.stop();
  });

  /** The reference is loaded once for both: that takes longer than what they do in it. */
  let look: Look;

  test('finds an operation by words, and opens it, with the keyboard alone', async () => {
    look = await open(browser, `${server.url}/docs#tour`, WINDOWS[0]);
    const { page } = look;
    expect(await page.locator('#tour li').first().isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Operations', exact: true }).press('Enter');
    await page.getByLabel('Find an operation').pressSequentially('delete agent');
    const found = page.locator('#menu li:visible');
    await expect
      .poll(() => found.allInnerTexts())
      .toEqual([expect.stringMatching(/Delete an agent \(plural/), expect.stringMatching(/Delete an agent$/)]);
    await found.last().getByRole('link').press('Enter');
    await page.locator('#operations-agents-deleteAgent .responses-wrapper').waitFor();
    await expect.poll(() => page.getByLabel('Find an operation').isVisible()).toBe(false);
    await expect.poll(() => page.url()).toBe(`${server.url}/docs#/agents/deleteAgent`);
    const focused = page.locator('#operations-agents-deleteAgent button:focus');
    await expect.poll(() => focused.count()).toBe(1);
  });

  test('has no violation of axe, and nothing wider than the window, with operations open', async () => {
    const { page, faults } = look;
    for (const window of WINDOWS) {
      await resize(page, window);
      expect(await findViolations(page), window.colorScheme).toEqual([]);
    }
    for (const operation of LARGE) await follow(page, operation);
    for (const window of WINDOWS) {
      await resize(page, window);
      expect(await excessWidth(page), window.colorScheme).toBe(0);
    }
    expect(faults.filter((fault) => !OF_AXE.test(fault))).toEqual([]);
  });

  test.each(['/problems', '/problems/invalid-request'])(
    'has no violation of axe, and nothing wider than a narrow window: %s',
    async (address) => {
      const { page } = await open(browser, server.url + address, { width: 400 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findViolations(page)).toEqual([]);
      }
      expect(await excessWidth(page)).toBe(0);
    },
  );

  test('shows operations at once beside prose of a readable width, and the tour in its order', async () => {
    const { page } = await open(browser, `${server.url}/docs#/models/predict`);
    const links = page.locator('#menu li a');
    await expect.poll(() => links.count()).toBe(operations.length);
    await page.evaluate('scrollTo(0, 0)');
    const ends = await page.evaluate<number[]>(
      "[...document.querySelectorAll('#menu li a')].map((link) => link.getBoundingClientRect().bottom)",
    );
    expect(ends.filter((end) => end < 800).length).toBeGreaterThan(15);
    expect(await page.locator('.opblock').first().boundingBox()).toMatchObject({
      y: expect.toSatisfy((y: number) => y < 700),
    });
    const paragraph = page.getByText('Returns one answer row');
    const { width = 0 } = (await paragraph.boundingBox()) ?? {};
    // Of 15 pixels: half of that is the mean width of a letter.
    expect(width / 7.5).toBeGreaterThan(50);
    expect(width / 7.5).toBeLessThan(90);

    await expectTour(page);
  });
});

/** The policy of the page refuses the styles with which axe measures. */
const OF_AXE = /^Applying inline style/;

/** Opens the tour, whose steps each have a link to their operation. */
async function expectTour(page: Page): Promise<void> {
  await page.locator('#menu').getByRole('link', { name: 'Tour' }).click();
  const steps = page.locator('#tour li');
  await steps.first().waitFor();
  const texts = (await steps.allInnerTexts()).map((text) => text.replace(/\n+/g, '\n'));
  expect(texts).toEqual(
    TOUR.map(({ description, method, address, status }) =>
      expect.stringContaining(`${description}\n${method} ${address} answers ${status}`),
    ),
  );
  expect(texts[1]).toContain('"name": "lookup"');
  await steps.last().getByRole('link').click();
  await page.locator('#operations-skills-createSkill .responses-wrapper').waitFor();
}

/** Opens an operation as a link of the menu does. */
async function follow(page: Page, operation: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${operation}'`);
  await page.locator(`#operations-${operation.replace('/', '-')} .responses-wrapper`).waitFor();
}

async function resize(page: Page, { width, colorScheme }: (typeof WINDOWS)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
}

function excessWidth(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}
