/** Opens the service's pages in a browser, and collects their errors. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page, Request, Route } from 'playwright-core';
import { PROXIED } from '../../testkit/browser.js';
import { WAIT_MS } from '../../testkit/patience.js';

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

/**
 * Opens an address in a new browser context, and waits until the page is complete.
 * @param operations the only ones that the reference is given, for tests of few: it takes seconds to draw all
 */
export async function open(
  browser: Browser,
  url: string,
  options: {
    colorScheme?: 'light' | 'dark';
    width?: number;
    locale?: string;
    until?: string;
    operations?: readonly string[];
  } = {},
): Promise<Look> {
  const { colorScheme = 'light', width = 1280, locale = 'en-US', until = DRAWN } = options;
  const { operations } = options;
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ colorScheme, locale, viewport });
  context.setDefaultTimeout(WAIT_MS);
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
  if (operations) await page.route('**/openapi.json', (route) => answerWith(operations, route));
  await page.goto(url);
  await page.locator(until).first().waitFor();
  await idle();
  return { page, faults, origins, idle };
}

/** Answers with the contract, without the paths that have none of some operations. */
async function answerWith(operations: readonly string[], route: Route): Promise<void> {
  const url = route.request().url().replace(PROXIED, '127.0.0.1');
  const response = await route.fetch({ url, timeout: WAIT_MS });
  const contract = Object(await response.json());
  const isKept = (path: unknown) =>
    Object.values(Object(path)).some((one) => operations.includes(Object(one).operationId));
  const paths = Object.entries(contract.paths).filter(([, path]) => isKept(path));
  await route.fulfill({ response, json: { ...contract, paths: Object.fromEntries(paths) } });
}

/** The time without a request after which a page has what it needs, in milliseconds. Playwright's own is half a second. */
const IDLE = 50;

/**
 * Resolves in a page when it has drawn all that it knows, and has done what it put off until then, also if it is slow.
 * A page of which a browser draws nothing is not waited for.
 */
const DRAWN_ALL = `new Promise((resolve) => {
  requestAnimationFrame(() => requestIdleCallback(() => setTimeout(resolve)));
  setTimeout(resolve, 1000);
})`;

/** Returns a function that waits until a page has no request under way, and begins no other one. */
function whenIdle(page: Page): () => Promise<void> {
  let underWay = 0;
  let changes = 0;
  let last = performance.now();
  const count = (change: number) => (request: Request) => {
    if (request.url().startsWith('data:')) return;
    underWay += change;
    changes += 1;
    last = performance.now();
  };
  page.on('request', count(1));
  page.on('requestfinished', count(-1));
  page.on('requestfailed', count(-1));
  const isQuiet = () => underWay === 0 && performance.now() - last >= IDLE;
  return async () => {
    for (let seen = -1; seen !== changes && !page.isClosed(); ) {
      while (!page.isClosed() && !isQuiet()) await pause(10);
      seen = changes;
      // Another page may come in its place meanwhile.
      await page.evaluate(DRAWN_ALL).catch(() => {});
    }
  };
}
