import { answered, untilReady } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { browserAndService, expectGoodViewInEachWindow } from './console-page.js';
import { chooseFile } from './table-views.js';

const PATH = { projectName: 'default', modelName: 'prices' };
const table = Array.from({ length: 300 }, (_, index) => {
  const size = 20 + ((index * 37) % 100);
  return { size, kind: index % 2 ? 'flat' : 'house', price: 1000 + 30 * size + ((index * 17) % 40) };
});

describe('the record of a model in the console', () => {
  const on = browserAndService(async (roster) => {
    const query = { target: 'price' };
    const address = '/api/projects/{projectName}/models/{modelName}';
    await answered(roster.PUT(address, { params: { path: PATH, query }, body: table }));
    await untilReady(roster, PATH);
  });

  test('says how to begin, takes a file of true values, and shows what was kept', async () => {
    const look = await on.open('/projects/default/models/prices/record');
    const { page } = look;
    await page.getByText('has no promises yet').waitFor();
    await expectGoodViewInEachWindow(look);

    const rows = await answered(
      on.roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
        params: { path: PATH, query: { remember: true, confidence: 0.9 } },
        body: table.slice(0, 60),
      }),
    );
    const truths = rows.slice(0, 50).map(({ __service_row_id: id }, index) => {
      // Five promises are broken by far.
      return `${id},${(table[index]?.price ?? 0) + (index < 5 ? 100_000 : 0)}`;
    });
    await chooseFile(page, {
      name: 'truths.csv',
      content: ['__service_row_id,price', ...truths, 'nobody-7,5'].join('\n'),
    });
    await page.getByLabel('are known by').waitFor();
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Add the true values' }).click();
    await page.getByText('50 true values added, 0 corrected, 0 known before').waitFor();
    await page.getByText('1 row met no prediction').waitFor();
    await page.getByText('Row 51:').waitFor();
    await page.getByText('Of 50 predictions whose true value has come').waitFor();
    await page.getByText('60 predictions are remembered; 10 of them lack a true value').waitFor();
    await page.getByRole('heading', { name: 'Coverage by group' }).waitFor();
    await expectGoodViewInEachWindow(look);

    await page.getByLabel('Group by').selectOption('kind');
    await page.getByRole('heading', { name: 'Coverage by group' }).waitFor();
    await page.getByText('flat', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Compare the latest rows' }).click();
    await page.getByText('There are too few rows to compare').waitFor();
    await expectGoodViewInEachWindow(look);
  });

  test('says what is wrong with a file of true values', async () => {
    const { page } = await on.open('/projects/default/models/prices/record');
    await chooseFile(page, { name: 'truths.csv', content: 'order_no,cost\n7,5' });
    await page.getByText('The file has no column price.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add the true values' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await chooseFile(page, { name: 'truths.csv', content: 'order_no,price\n7,5\n8,dear' });
    await page.getByLabel('are known by').selectOption('order_no');
    await page.getByRole('button', { name: 'Add the true values' }).click();
    await page.getByText('2 rows met no prediction').waitFor();
    await page.getByText('Row 1: unknown id').waitFor();
  });
});
