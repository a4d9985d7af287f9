/** Opens the service's pages in a browser, and collects their errors. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page, Request } from 'playwright-core';
import { PAGE_TIMEOUT } from '../../testkit/browser.js';

/** A script renders the reference; other pages are complete at once. */
const DRAWN = '.opblock, main.text';

/** An open page, and its errors. */
export interface Look {
  readonly page: Page;
  /** Errors and warnings of the console, policy violations among them, and uncaught exceptions. */
  readonly faults: string[];
  readonly origins: Set<string>;
  /** Waits until no request is under way, and no other one begins. */
  readonly idle: () => Promise<void>;
}

/** Opens an address in a new browser context, and waits until the page is complete. */
export async function open(
  browser: Browser,
  url: string,
  options: {
    colorScheme?: 'light' | 'dark';
    width?: number;
    locale?: string;
    until?: string;
  } = {},
): Promise<Look> {
  const { colorScheme = 'light', width = 1280, locale = 'en-US', until = DRAWN } = options;
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ colorScheme, locale, viewport });
  context.setDefaultTimeout(PAGE_TIMEOUT);
  const page = await context.newPage();
  const faults: string[] = [];
  const origins = new Set<string>();
  const idle = whenIdle(page);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url);
  await page.locator(until).first().waitFor();
  await idle();
  return { page, faults, origins, idle };
}

/** The time without a request after which a page has what it needs, in milliseconds. Playwright's own is half a second. */
const IDLE = 50;

/** Returns a function that waits until a page has no request under way, and begins no other one. */
function whenIdle(page: Page): () => Promise<void> {
  let underWay = 0;
  let last = performance.now();
  const count = (change: number) => (request: Request) => {
    if (request.url().startsWith('data:')) return;
    underWay += change;
    last = performance.now();
  };
  page.on('request', count(1));
  page.on('requestfinished', count(-1));
  page.on('requestfailed', count(-1));
  return async () => {
    while (!page.isClosed() && (underWay > 0 || performance.now() - last < IDLE)) await pause(10);
  };
}
