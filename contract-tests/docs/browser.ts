/** Opens the service's pages in a browser, and collects their errors. */
import type { Browser, Page } from 'playwright-core';

/** A script renders the reference; other pages are complete at once. */
const DRAWN = '.opblock, main.text';

/** An open page, and its errors. */
export interface Look {
  readonly page: Page;
  /** Errors and warnings of the console, policy violations among them, and uncaught exceptions. */
  readonly faults: string[];
  readonly origins: Set<string>;
}

/** Opens an address in a new browser context, and waits until the page is complete. */
export async function open(
  browser: Browser,
  url: string,
  options: { colorScheme?: 'light' | 'dark'; width?: number; until?: string } = {},
): Promise<Look> {
  const { colorScheme = 'light', width = 1280, until = DRAWN } = options;
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
  await page.locator(until).first().waitFor();
  return { page, faults, origins };
}
