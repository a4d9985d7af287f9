/** Tests of names that are longer than the page is wide, as people's exports have them. */
import { answered } from 'roster-client';
import { expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { browserAndService, expectGoodView, expectGoodViewInEachWindow } from './console-page.js';
import { chooseFile } from './table-views.js';

const MODEL = 'leases_of_machines_and_vehicles_that_end_within_the_next_twelve_months';
const TARGET = 'expected_remaining_value_of_the_equipment_at_the_end_of_the_lease_in_thousands_of_euros';
const COLUMNS = Array.from({ length: 12 }, (_, column) => `measurement_of_the_sensor_number_${column}_at_the_inlet`);
const TABLE = [
  [...COLUMNS, TARGET],
  ...Array.from({ length: 60 }, (_, row) => [
    ...COLUMNS.map((_, column) => ((row * (column + 3) * 37) % 1000) / 10),
    ((row * 111) % 1000) * 12_345.678,
  ]),
].join('\n');

const on = browserAndService(async (roster) => {
  const path = { projectName: 'default', modelName: MODEL };
  const training = await answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target: TARGET } },
      body: TABLE,
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
  await settled(roster, path, training);
});

test.each([
  ['the list', ''],
  ['the quality', `/${MODEL}`],
  ['the report', `/${MODEL}/report`],
  ['a row to try', `/${MODEL}/try`],
  ['a file to predict', `/${MODEL}/predict`],
  ['the record', `/${MODEL}/record`],
  ['the versions', `/${MODEL}/versions`],
])('long names stay within the page of %s', async (_view, address) => {
  await expectGoodViewInEachWindow(await on.open(`/projects/default/models${address}`));
});

test('long names stay within the pages of a table, of its predictions and of a reason', async () => {
  const look = await on.open(`/projects/default/models/${MODEL}/predict`);
  const { page } = look;
  await chooseFile(page, { name: `${TARGET}.csv`, content: TABLE });
  const predict = page.getByRole('button', { name: 'Predict 60 rows' });
  await predict.waitFor();
  await expectGoodViewInEachWindow(look);
  await predict.click();
  await page.getByRole('heading', { name: '60 rows predicted' }).waitFor();
  await expectGoodViewInEachWindow(look);
  await page.locator('button.why-row').first().click();
  await page.getByText(/^Without any values/).waitFor();
  await expectGoodViewInEachWindow(look);

  await on.open('/projects/default/models/~new');
  await chooseFile(page, { name: `${TARGET}.csv`, content: TABLE });
  await page.getByText(/in the first 60 rows\.$/).waitFor();
  await expectGoodViewInEachWindow(look);
});

test('headers of many columns break between words, and not between letters', async () => {
  const look = await on.open(`/projects/default/models/${MODEL}`, { width: 1680 });
  const { page } = look;
  const head = page.getByRole('region', { name: 'The rows that it misses by most' }).locator('thead');
  await head.waitFor();
  // "measurement_" is the widest part of a name, and each name has at most six lines.
  const [narrowest, height] = await head.evaluate((row) => [
    Math.min(...[...row.querySelectorAll('th')].slice(5).map((cell) => cell.clientWidth)),
    row.clientHeight,
  ]);
  expect(narrowest).toBeGreaterThan(80);
  expect(height).toBeLessThan(180);
  await expectGoodView(look);
});
