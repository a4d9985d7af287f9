/** How the service's pages are looked at in a browser, and what goes wrong in it. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';

/** Where the pages can be looked at after the tests, each by its name. */
const SCREENSHOTS = fileURLToPath(new URL('../../dist/screenshots/', import.meta.url));

/** The reference is drawn by a script; other pages are there at once. */
const DRAWN = '.opblock, main.text';

/** A page, and what went wrong on it. */
export interface Look {
  readonly page: Page;
  /** Errors and warnings of the console, the breaches of a policy among them, and what was thrown. */
  readonly faults: string[];
  /** The origins that anything was asked of. */
  readonly origins: Set<string>;
  /** Keeps what is to be seen of the page, or of a part of it, for people. */
  keep(name: string, part?: Locator): Promise<unknown>;
}

/** Opens an address in a browser that has seen nothing yet, and waits until all is to be seen. */
export async function open(
  browser: Browser,
  url: string,
  options: { colorScheme?: 'light' | 'dark'; width?: number } = {},
): Promise<Look> {
  const { colorScheme = 'light', width = 1280 } = options;
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const faults: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.locator(DRAWN).first().waitFor();
  const keep = (name: string, part: Page | Locator = page) =>
    part.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  return { page, faults, origins, keep };
}
