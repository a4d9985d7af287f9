/** Steps that the tests of views with tables share. */
import type { Locator, Page } from 'playwright-core';
import { WAIT_MS } from '../../testkit/patience.js';

export interface ChosenFile {
  readonly name: string;
  readonly content: string | Buffer;
}

/** Chooses a file, as by the button "Choose a file". */
export async function chooseFile(page: Page, { name, content }: ChosenFile): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
}

/**
 * Answers the page with the first rows of a table of the demo, which trains in a moment.
 * @returns a function that tells how many rows the table has, once the page has asked for it
 */
export async function shortenDemo(page: Page, file: string, rows: number): Promise<() => number> {
  let all = Number.NaN;
  await page.route(`**/console/${file}`, async (route) => {
    const response = await route.fetch({ timeout: WAIT_MS });
    const lines = (await response.text()).trimEnd().split('\n');
    all = lines.length - 1;
    await route.fulfill({ response, body: lines.slice(0, rows + 1).join('\n') });
  });
  return () => all;
}

/** Presses a control with the keyboard: Tab until it has the focus, then Enter. */
export async function pressByKeyboard(
  page: Page,
  name: string | RegExp,
  role: 'button' | 'link' = 'button',
): Promise<void> {
  await focusByKeyboard(page, page.getByRole(role, { name, exact: true }));
  await page.keyboard.press('Enter');
}

/** Gives a control the focus with the keyboard: Tab until it has it. */
export async function focusByKeyboard(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if ((await control.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${control}`);
}

const MAX_TABS = 120;
