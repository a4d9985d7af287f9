/** Steps that the tests of views with tables share. */
import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from 'playwright-core';
import { answered, MEDIA_TYPES, type RosterClient } from 'roster-client';
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
 * @returns a function that shows how many rows the table has, once the page has asked for it
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

/** Chooses a file by the keyboard alone. */
export async function chooseByKeyboard(page: Page, { name, content }: ChosenFile): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), pressByKeyboard(page, 'Choose a file')]);
  await chooser.setFiles({ name, mimeType: '', buffer: Buffer.from(content) });
}

/** Predicts a file with the model of the page by the keyboard alone, and shows the result. */
export async function predictByKeyboard(page: Page, file: ChosenFile, rows: number): Promise<void> {
  await pressByKeyboard(page, 'Predict a file', 'link');
  await chooseByKeyboard(page, file);
  await pressByKeyboard(page, /^Predict (all|\d+) rows$/);
  await page.getByRole('heading', { name: `${rows} rows predicted` }).waitFor();
}

const startDownload = async (page: Page, name: string | RegExp, role: 'button' | 'link'): Promise<Download> => {
  const [started] = await Promise.all([page.waitForEvent('download'), pressByKeyboard(page, name, role)]);
  return started;
};

/** Downloads a file by the keyboard alone, and returns its records. */
export async function downloadByKeyboard(
  page: Page,
  name: string | RegExp,
  role: 'button' | 'link',
): Promise<string[]> {
  const text = await readFile(await (await startDownload(page, name, role)).path(), 'utf8');
  return text.trimEnd().split(/\r?\n/);
}

/**
 * Sorts the rows of a result by a column of numbers, the largest first, and saves them in this order and as a workbook,
 * by the keyboard alone.
 * @param file the name of the file that was predicted, without its ending; it has no quoted cells
 * @returns the saved CSV, and the workbook as the service reads it
 */
export async function sortAndSave(page: Page, roster: RosterClient, column: string, file: string) {
  await pressByKeyboard(page, column);
  const header = page.getByRole('columnheader', { name: column });
  await header.and(page.locator('[aria-sort=descending]')).waitFor();
  const [head = '', ...lines] = await downloadByKeyboard(page, /^Download these \d+ rows in this order$/, 'button');
  const delimiter = head.includes(';') ? ';' : ',';
  const names = head.replace('\ufeff', '').split(delimiter);
  const records = lines.map((line) => line.split(delimiter));
  const values = (name: string) => records.map((cells) => Number(cells[names.indexOf(name)]?.replace(',', '.')));
  const workbook = await startDownload(page, `Download ${file}-predicted.xlsx`, 'button');
  const book = await answered(
    roster.POST('/api/projects/{projectName}/tables/preview', {
      params: { path: { projectName: 'default' } },
      body: new Blob([new Uint8Array(await readFile(await workbook.path()))]),
      headers: { 'Content-Type': MEDIA_TYPES.xlsx },
    }),
  );
  return { sorted: { names, records, values }, book };
}
