/** Tests of answers that arrive late or in another order, and of what people do meanwhile. */
import type { Page } from 'playwright-core';
import { answered, type Model } from 'roster-client';
import { expect, test } from 'vitest';
import { workbookOfSheets } from '../../testkit/data/workbooks.js';
import { settled } from '../../testkit/service/train-prices.js';
import { browserAndService, goTo } from './console-page.js';
import { holdAnswer } from './held-answers.js';
import { chooseFile } from './table-views.js';

/** Rows of which the last column follows from the first. */
const tableOf = (columns: string, rows = 60) =>
  [columns, ...Array.from({ length: rows }, (_, row) => `${row % 13},${row % 7},${(row % 13) * 2}`)].join('\n');

const trainPlants = async (target: string): Promise<Model> => {
  const path = { projectName: 'default', modelName: 'plants' };
  const training = await answered(
    on.roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target } },
      body: tableOf('light,water,height'),
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
  return settled(on.roster, path, training);
};

// Two versions, which predict different columns.
const on = browserAndService(async () => {
  await trainPlants('light');
  await trainPlants('height');
});

const VIEW = '/projects/default/models/~new';

const sheetOf = (columns: readonly string[]) => [
  [...columns],
  ...Array.from({ length: 60 }, (_, row) => [row % 13, row % 7, (row % 13) * 2]),
];
const BOOK = {
  name: 'book.xlsx',
  content: workbookOfSheets({
    First: sheetOf(['a', 'b', 'first']),
    Second: sheetOf(['a', 'b', 'second']),
    Third: sheetOf(['a', 'b', 'third']),
  }),
};

const isPreviewOf = (sheet: string) => (url: URL) =>
  url.pathname.endsWith('/tables/preview') && url.searchParams.get('sheet') === sheet;

const targetOf = (page: Page) => page.getByLabel('Column to predict').inputValue();

test('the sheet that was chosen last is shown and trained, whichever is read last', async () => {
  const { page, idle } = await on.open(VIEW);
  await chooseFile(page, BOOK);
  const sheet = page.getByLabel('Sheet');
  await expect.poll(() => targetOf(page)).toBe('first');
  const [second, third] = [await holdAnswer(page, isPreviewOf('Second')), await holdAnswer(page, isPreviewOf('Third'))];
  await sheet.selectOption('Second');
  await second.asked;
  await sheet.selectOption('Third');
  await third.asked;
  expect(await sheet.inputValue()).toBe('Third');
  // The page still has the first sheet. It does not train until it has the chosen one.
  expect(await page.getByRole('button', { name: 'Train' }).getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel('Name of the model').press('Enter');
  await third.letThrough();
  await expect.poll(() => targetOf(page)).toBe('third');
  await second.letThrough();
  await idle();
  expect([await sheet.inputValue(), await targetOf(page)]).toEqual(['Third', 'third']);
  expect(new URL(page.url()).hash).toBe(`#${VIEW}`);

  // Another file is chosen meanwhile.
  const again = await holdAnswer(page, isPreviewOf('Second'));
  await sheet.selectOption('Second');
  await again.asked;
  await page.getByRole('button', { name: 'Choose another file' }).click();
  await chooseFile(page, { name: 'other.csv', content: tableOf('x,y,other') });
  await expect.poll(() => targetOf(page)).toBe('other');
  await again.letThrough();
  await idle();
  expect(await targetOf(page)).toBe('other');
});

test('the file that was chosen last is shown, whichever is read last', async () => {
  const { page, idle } = await on.open(VIEW);
  const book = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/tables/preview'));
  await chooseFile(page, BOOK);
  await book.asked;
  await page.getByText('Reading the file …').waitFor();
  await chooseFile(page, { name: 'other.csv', content: tableOf('x,y,other') });
  await expect.poll(() => targetOf(page)).toBe('other');
  await book.letThrough();
  await idle();
  expect(await targetOf(page)).toBe('other');
});

test('findings of the line that was the header before are not shown of another one', async () => {
  const { page } = await on.open(VIEW);
  // The first line may be a title or names.
  const content = tableOf('light,water,height').replace('\n', '\nu,v,w\n');
  await chooseFile(page, { name: 'lines.csv', content });
  const names = page.getByLabel('Names of the columns');
  await names.selectOption('1');
  await page.getByText(/in the first 61 rows\.$/).waitFor();
  const preview = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/tables/preview'));
  await names.selectOption('2');
  await preview.asked;
  await expect.poll(() => targetOf(page)).toBe('w');
  await page.getByText('Reading the table …').waitFor();
  expect(await page.locator('.findings li').count()).toBe(0);
  await preview.letThrough();
  await page.getByText(/in the first 60 rows\.$/).waitFor();
});

test('a new version begins with the target of the model, also if the service is slow', async () => {
  const { page } = await on.open('/projects/default/models/plants');
  const model = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/models/plants'));
  await goTo(page, `${VIEW}?name=plants`, 'Train a new version of plants');
  await chooseFile(page, { name: 'plants.csv', content: tableOf('light,height,water') });
  await model.asked;
  await page.getByText('Reading the file …').waitFor();
  expect(await page.getByRole('button', { name: 'Train' }).count()).toBe(0);
  await model.letThrough();
  await page.getByText('The table trains its version 3').waitFor();
  expect(await targetOf(page)).toBe('height');
});

test('the rows that one version misses are not shown beside another one', async () => {
  const { page } = await on.open('/projects/default/models/plants?version=1');
  await page.getByRole('heading', { name: 'Where it errs' }).waitFor();
  await page.getByText('Loading the largest errors …').waitFor({ state: 'detached' });
  const errors = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/models/plants/errors'));
  await page.getByRole('link', { name: 'Show version 2' }).click();
  await errors.asked;
  await page.getByText('Loading the largest errors …').waitFor();
  await errors.letThrough();
  await page.getByText('Loading the largest errors …').waitFor({ state: 'detached' });
});

test('the row to try is predicted by the version that the page has read, after another one begins to serve', async () => {
  const { page } = await on.open('/projects/default/models/plants/try');
  const prediction = page.getByRole('region', { name: 'Prediction' });
  await expect.poll(() => prediction.innerText()).toMatch(/^height\n+\d/);
  await answered(
    on.roster.PUT('/api/projects/{projectName}/models/{modelName}/serving', {
      params: { path: { projectName: 'default', modelName: 'plants' } },
      body: { serving: { version: 1 } },
    }),
  );
  // The typical row has 6. The height is twice the light.
  await page.getByLabel('light', { exact: true }).fill('12');
  await expect.poll(() => prediction.innerText()).toMatch(/^height\n+2[34]/);
});
