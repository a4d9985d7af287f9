/** The way through the console that most take first. Its views and states are tested in `*.rest.test.ts`. */
import { expect, test } from 'vitest';
import { browserAndService, expectGoodViewInEachWindow, goTo } from './console-page.js';
import { pressByKeyboard, shortenDemo } from './table-views.js';

const on = browserAndService();

test('leads from an empty store to a thousand predictions by keyboard alone', async () => {
  const look = await on.open('/');
  const { page } = look;
  await page.getByRole('button', { name: 'Try it with 9,000 diamonds' }).waitFor();
  await expectGoodViewInEachWindow(look);
  const rows = await shortenDemo(page, 'diamonds.csv', 300);
  await pressByKeyboard(page, 'Try it with 9,000 diamonds');
  await page.getByRole('heading', { level: 1, name: 'diamond_prices' }).waitFor();
  expect(rows()).toBe(9000);

  await pressByKeyboard(page, 'Predict a file', 'link');
  await pressByKeyboard(page, 'Use 1,000 other diamonds');
  await page.getByText('All 9 columns of the model').waitFor();
  await pressByKeyboard(page, 'Predict 1,000 rows');
  await page.getByRole('heading', { name: '1,000 rows predicted' }).waitFor();
  await expectGoodViewInEachWindow(look);

  await goTo(page, '/', 'Models');
  await page.getByText(/^Off by [\d,.]+ on average; the mean alone by [\d,.]+$/).waitFor();
  await expectGoodViewInEachWindow(look);
});
