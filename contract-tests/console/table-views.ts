/** Steps that the tests of views with tables share. */
import type { Page } from 'playwright-core';
import type { Look } from '../docs/browser.js';
import { expectGoodView, WINDOWS } from './console-page.js';

/** A file to choose. */
export interface ChosenFile {
  readonly name: string;
  readonly content: string | Buffer;
}

/** Chooses a file, as by the button "Choose a file". */
export async function chooseFile(page: Page, { name, content }: ChosenFile): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
}

/** Expects a good view in the windows of each width and colour scheme, without loading it again. */
export async function expectGoodViewInEachWindow(look: Look): Promise<void> {
  const { page } = look;
  const before = page.viewportSize();
  for (const { colorScheme, width } of WINDOWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await expectGoodView(look);
  }
  if (before) await page.setViewportSize(before);
}

/** Presses a control with the keyboard: Tab until it has the focus, then Enter. */
export async function pressByKeyboard(
  page: Page,
  name: string,
  role: 'button' | 'link' = 'button',
): Promise<void> {
  const control = page.getByRole(role, { name, exact: true });
  await control.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if ((await control.and(page.locator(':focus')).count()) > 0) {
      await page.keyboard.press('Enter');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach "${name}"`);
}

const MAX_TABS = 60;
