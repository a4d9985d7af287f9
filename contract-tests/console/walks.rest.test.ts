/** Walks of people who have a file and no mouse: from the drop to a result that is sorted and saved. */
import type { Page } from 'playwright-core';
import type { Model } from 'roster-client';
import { expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { browserAndService } from './console-page.js';
import {
  chooseByKeyboard,
  downloadByKeyboard,
  focusByKeyboard,
  predictByKeyboard,
  pressByKeyboard,
  sortAndSave,
} from './table-views.js';

const on = browserAndService();

const VIEW = '/projects/default/models/~new';

const train = async (page: Page, modelName: string): Promise<Model> => {
  await pressByKeyboard(page, 'Train');
  await page.getByRole('heading', { level: 1, name: modelName }).waitFor();
  return settled(on.roster, { projectName: 'default', modelName });
};

const isFalling = (values: readonly number[]) =>
  values.every((value, at) => at === 0 || value <= Number(values[at - 1]));

test('US orders with grouped thousands and dollars are sorted by what they will bring, and saved', async () => {
  const grouped = (value: number) => value.toLocaleString('en-US');
  const content = [
    'order,ordered,state,units,amount',
    ...Array.from({ length: 120 }, (_, row) => {
      const units = 20_000 * (1 + ((row * 37) % 60));
      const day = `${String(1 + (row % 12)).padStart(2, '0')}/${13 + (row % 15)}/2025`;
      return `A-${1000 + row},${day},${['TX', 'CA', 'NY'][row % 3]},"${grouped(units)}","$${grouped(units * 12 + (row % 7))}.50"`;
    }),
  ].join('\n');
  const { page } = await on.open(VIEW);
  await chooseByKeyboard(page, { name: 'orders.csv', content });
  await page.getByText(/in the first 120 rows\.$/).waitFor();
  const model = await train(page, 'orders');
  expect(model).toMatchObject({ target: 'amount', target_reading: { kind: 'number', group: ',', unit: '$' } });
  expect(model.columns).toMatchObject([
    { name: 'order', used: false },
    { name: 'ordered', kind: 'date' },
    { name: 'state', kind: 'category' },
    { name: 'units', kind: 'number', min: 20_000, max: 1_200_000 },
  ]);

  // Without the amounts, and with cells that need no quotes.
  const more = content
    .replace(/,"\$[^"]*"$/gm, '')
    .replace(/"(\d+),(\d+)(?:,(\d+))?"/g, '$1$2$3')
    .replaceAll('"', '');
  await predictByKeyboard(page, { name: 'more.csv', content: more.replace(',amount', '') }, 120);
  const { sorted, book } = await sortAndSave(page, on.roster, 'amount', 'more');
  expect(sorted.names.slice(0, 5)).toEqual(['order', 'ordered', 'state', 'units', 'amount']);
  expect(sorted.records).toHaveLength(120);
  expect(isFalling(sorted.values('amount'))).toBe(true);
  expect(sorted.values('units')[0]).toBeGreaterThan(1_000_000);
  expect(book.columns.map(({ name }) => name)).toEqual(sorted.names);
  expect(book.rows[0]?.slice(0, 4)).toEqual(['A-1000', '01/13/2025', 'TX', '20000']);
});

test('a column that gives churn away is left out with one key, and customers are sorted by their risk', async () => {
  const content = [
    'tenure,plan,cancel_reason,churned',
    ...Array.from({ length: 150 }, (_, row) => {
      const tenure = 1 + ((row * 7) % 60);
      const isGone = tenure < 20 && row % 11 !== 0;
      return `${tenure},${'ABC'[row % 3]},${isGone ? `R${1 + (row % 4)}` : ''},${isGone ? 'Yes' : 'No'}`;
    }),
  ].join('\n');
  const { page } = await on.open(VIEW);
  await chooseByKeyboard(page, { name: 'customers.csv', content });
  await pressByKeyboard(page, 'Leave out cancel_reason');
  await page.getByText('Left out: cancel_reason.').waitFor();
  const model = await train(page, 'customers');
  expect(model).toMatchObject({ task: 'classification', target: 'churned' });
  expect(model.columns?.filter(({ used }) => used).map(({ name }) => name)).toEqual(['tenure', 'plan']);

  await predictByKeyboard(page, { name: 'customers.csv', content }, 150);
  const { sorted, book } = await sortAndSave(page, on.roster, 'churned_probability_Yes', 'customers');
  expect(sorted.names.slice(0, 5)).toEqual(['tenure', 'plan', 'cancel_reason', 'churned', 'churned_predicted']);
  expect(isFalling(sorted.values('churned_probability_Yes'))).toBe(true);
  expect(
    sorted
      .values('tenure')
      .slice(0, 10)
      .every((tenure) => tenure < 20),
  ).toBe(true);
  expect(book.rows[0]?.slice(0, 4)).toEqual(['1', 'A', null, 'No']);
});

test('back and forward lead through views, which keep a row, a sorted result and what was chosen', async () => {
  const lines = Array.from({ length: 120 }, (_, row) => `${row % 40},${'ABC'[row % 3]},${(row % 40) * 3 + (row % 3)}`);
  const content = ['size,kind,rent', ...lines].join('\n');
  const { page } = await on.open(VIEW);
  await chooseByKeyboard(page, { name: 'flats.csv', content });
  await page.getByText(/in the first 120 rows\.$/).waitFor();
  await train(page, 'flats');
  await pressByKeyboard(page, 'Try a row', 'link');
  await page.getByLabel('size', { exact: true }).fill('33');
  // Not in the whole address, whose port may have the digits.
  await page.waitForURL(({ search, hash }) => (search + hash).includes('33'));
  await predictByKeyboard(page, { name: 'flats.csv', content }, 120);
  await page.goBack();
  await expect.poll(() => page.getByLabel('size', { exact: true }).inputValue()).toBe('33');
  await page.goForward();
  await page.getByRole('heading', { name: '120 rows predicted' }).waitFor();
  const { sorted } = await sortAndSave(page, on.roster, 'rent_predicted', 'flats');
  expect(isFalling(sorted.values('rent_predicted'))).toBe(true);
  await page.goBack();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'flats' }).waitFor();
  expect(await page.getByRole('link', { name: 'Quality' }).getAttribute('aria-current')).toBe('page');
});

test('weekly sales of stores are forecast, looked at from the worst series on, and saved', async () => {
  const content = [
    'week,store,sales',
    ...['North', 'South'].flatMap((store, place) =>
      Array.from({ length: 110 }, (_, index) => {
        const week = new Date(Date.UTC(2024, 0, 1 + 7 * index)).toISOString().slice(0, 10);
        return `${week},${store},${Math.round(200 * (place + 1) + 40 * Math.sin((index * Math.PI) / 26) + ((index * 7919) % 17))}`;
      }),
    ),
  ].join('\n');
  const { page } = await on.open(VIEW);
  await chooseByKeyboard(page, { name: 'weekly.csv', content });
  await page.getByText(/in the first 220 rows\.$/).waitFor();
  const task = page.getByLabel('Predict it as');
  await focusByKeyboard(page, task);
  await page.keyboard.press('End');
  await page.getByLabel('Column of time').waitFor();
  expect(await page.getByLabel('Column of time').inputValue()).toBe('week');
  const groups = page.getByRole('group', { name: 'One series for each value of' });
  await focusByKeyboard(page, groups.getByLabel('store'));
  await page.keyboard.press('Space');
  await focusByKeyboard(page, page.getByLabel('Steps to forecast'));
  await page.keyboard.press('Control+a');
  await page.keyboard.type('4');
  expect(await train(page, 'weekly')).toMatchObject({
    ...{ task: 'forecast', target: 'sales', order_by: 'week', group_by: ['store'], horizon: 4 },
  });

  await page.getByRole('heading', { name: 'Series with the largest errors' }).waitFor();
  await pressByKeyboard(page, 'South', 'link');
  await page.getByText('The next 4 steps, from Feb 9, 2026 to Mar 2, 2026.').waitFor();
  const [head, ...steps] = await downloadByKeyboard(page, 'Download weekly-South-forecast.csv', 'button');
  expect(head).toBe('week,store,sales,sales_confidence,sales_min,sales_max');
  expect(steps.map((step) => step.split(',').slice(0, 2))).toEqual([
    ...['2026-02-09', '2026-02-16', '2026-02-23', '2026-03-02'].map((week) => [week, 'South']),
  ]);
  const all = await downloadByKeyboard(page, 'Download all 2 series', 'button');
  const stores = all.slice(1).map((step) => step.split(',')[1]);
  expect(stores.toSorted()).toEqual([...['North', 'North', 'North', 'North', 'South', 'South', 'South', 'South']]);
});
