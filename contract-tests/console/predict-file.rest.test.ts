import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { answered, MEDIA_TYPES, type RosterClient, untilReady } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { openFaultyProxy } from '../../testkit/http/faulty-proxy.js';
import type { Look } from '../docs/browser.js';
import { browserAndService, expectGoodView, expectGoodViewInEachWindow, openConsole } from './console-page.js';
import { holdAnswer } from './held-answers.js';
import { chooseFile, pressByKeyboard } from './table-views.js';

/** Two classes, of which the name of one is a formula of a spreadsheet. */
const table = [
  'size,weight,kind',
  ...Array.from({ length: 100 }, (_, row) => `${row},${row * 2},${row < 50 ? '=1+1' : 'plain'}`),
].join('\n');

describe('predicting a file in the console', () => {
  const on = browserAndService(train);

  const VIEW = '/projects/default/models/kinds/predict';
  const openFileView = async (opening: Promise<Look>) => {
    const look = await opening;
    // The page keeps the last result.
    const another = look.page.getByRole('button', { name: 'Choose another file' });
    const choose = look.page.getByRole('button', { name: 'Choose a file' });
    await another.or(choose).waitFor();
    if (await another.isVisible()) await another.click();
    await choose.waitFor();
    return look;
  };

  test('compares its columns with the model’s before anything is sent', async () => {
    const look = await openFileView(on.open(VIEW));
    const { page } = look;
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await chooseFile(page, { name: 'none.csv', content: 'a,b\n1,2\n' });
    await page.getByText('This file has none of the model’s columns.').waitFor();
    expect(await page.getByRole('button', { name: /^Predict/ }).count()).toBe(0);

    await page.getByRole('button', { name: 'Choose another file' }).click();
    await chooseFile(page, { name: 'some.csv', content: 'size,wieght,<b>x</b>\n1,2,3\n' });
    await page.getByText('1 of the 2 columns of the model').waitFor();
    await page.getByText('wieght – if this is weight, rename it in the file.').waitFor();
    await page.getByText('<b>x</b>', { exact: true }).waitFor();
    await page.getByText('of what it knows from it').waitFor();
    await expectGoodViewInEachWindow(look);

    await page.getByRole('button', { name: 'Choose another file' }).click();
    await chooseFile(page, { name: 'words.csv', content: 'size,weight\n1,2\n~3,4\n' });
    const unread = page.getByText('texts that are not written as those of the training table');
    await unread.filter({ hasText: /^size: .* in 1 row \(row 2\): “~3”$/ }).waitFor();
    expect(sent).toEqual([]);
  });

  test('says on the page and in the file which columns it lacks, and goes on saying so', async () => {
    const look = await openFileView(on.open(VIEW));
    const { page } = look;
    await chooseFile(page, { name: 'renamed.csv', content: 'sizes,weight\n1,2\n3,4\n' });
    await page.getByLabel('Add the contribution of each column').check();
    await page.getByRole('button', { name: 'Predict 2 rows' }).click();
    await page.getByRole('heading', { name: '2 rows predicted' }).waitFor();
    await page.getByRole('alert').getByText('depends most on size, which this file lacks').waitFor();
    await page.getByText('sizes – if this is size, rename it in the file.').waitFor();
    await page.getByText('Every row has a warning in the last column of the file.').waitFor();
    await expectGoodViewInEachWindow(look);
    const lines = (await download(page)).trimEnd().split(/\r?\n/);
    expect(lines[0]).toContain(',kind_base,kind_base_probability,kind_contribution_size,kind_contribution_weight,');
    expect(lines[1]).toMatch(/(,[-\d.e]+){4},size: missing; sizes: unknown-name$/);
  });

  test('remembers its predictions, by a column of the file, until their true values come', async () => {
    const look = await openFileView(on.open(VIEW));
    const { page } = look;
    const rows = ['kinds,size,weight', 'a-1,10,20', 'a-2,90,180', 'a-3,30,60'];
    await chooseFile(page, { name: 'orders.csv', content: rows.join('\n') });
    await page.getByLabel('Remember these predictions').check();
    await page.getByLabel('Rows are known by').selectOption('kinds');
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Predict 3 rows' }).click();
    await page.getByRole('heading', { name: '3 rows predicted' }).waitFor();
    await page.getByText('add a file with them and kinds under Record').waitFor();
    await expectGoodViewInEachWindow(look);
    const [head = '', first = ''] = (await download(page)).split(/\r?\n/);
    const place = head.split(',').indexOf('__service_row_id');
    expect(first.split(',')[place]).toMatch(/^[0-9a-z]{20}-0$/);

    await page.getByRole('link', { name: 'Record' }).last().click();
    await page.getByText('3 predictions are remembered').waitFor();
    await chooseFile(page, { name: 'came.csv', content: 'kinds,kind\na-1,=1+1\na-3,plain\n' });
    await page.getByLabel('are known by').selectOption('kinds');
    await page.getByRole('button', { name: 'Add the true values' }).click();
    await page.getByText('2 true values added, 0 corrected, 0 known before').waitFor();
  });

  test('warns of values before they are sent, and shows rows to sort, filter and save as a workbook, by keyboard', async () => {
    const look = await openFileView(on.open(VIEW));
    const { page } = look;
    // Row 3 is wrong, row 2 is far outside the table.
    const rows = ['order,size,weight,kind', '007,10,20,=1+1', '008,90000,180,plain', '009,30,60,plain'];
    await chooseFile(page, { name: 'orders.csv', content: rows.join('\n') });
    await page.getByText('numbers far outside the range of the training table, in 1 row (row 2): “90000”').waitFor();
    await expectGoodViewInEachWindow(look);
    await pressByKeyboard(page, 'Predict 3 rows');
    await page.getByRole('heading', { name: '3 rows predicted' }).waitFor();
    const cellsOf = (row: number) => page.locator('tbody tr').nth(row).locator('td').allTextContents();
    expect((await cellsOf(2)).slice(0, 5)).toEqual(['3', '009', 'plain', "'=1+1", 'wrong']);

    await pressByKeyboard(page, 'order');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByRole('columnheader', { name: /order/ }).getAttribute('aria-sort'))
      .toBe('descending');
    await expect.poll(async () => (await cellsOf(0)).slice(0, 2)).toEqual(['3', '009']);
    await page.getByLabel('Show').selectOption('Wrong class');
    await page.getByText('1 to 1 of 1 row').waitFor();
    await page.getByLabel('Show').selectOption('All rows');
    await page.getByLabel('Find in the rows').fill('008');
    await page.getByText('1 to 1 of 1 row').waitFor();
    await expectGoodViewInEachWindow(look);

    const saved = page.waitForEvent('download');
    await pressByKeyboard(page, 'Download orders-predicted.xlsx');
    const book = await readFile(await (await saved).path());
    const preview = await answered(
      on.roster.POST('/api/projects/{projectName}/tables/preview', {
        params: { path: { projectName: 'default' } },
        body: new Blob([new Uint8Array(book)]),
        headers: { 'Content-Type': MEDIA_TYPES.xlsx },
      }),
    );
    expect(preview.columns.slice(0, 5).map(({ name }) => name)).toEqual([
      ...['order', 'size', 'weight', 'kind', 'kind_predicted'],
    ]);
    expect(preview.rows.map((row) => row.slice(0, 5))).toEqual([
      ['007', '10', '20', '=1+1', '=1+1'],
      ['008', '90000', '180', 'plain', 'plain'],
      ['009', '30', '60', 'plain', '=1+1'],
    ]);
    await expectGoodView(look);
  });

  test('reads texts of other formats that a spreadsheet would take for formulas as they stand', async () => {
    const look = await openFileView(on.open(VIEW));
    const { page } = look;
    const rows = [0, 10, 20, 80].map((size) => ({ size, weight: size * 2, kind: size < 50 ? '=1+1' : 'plain' }));
    await chooseFile(page, { name: 'formulas.json', content: JSON.stringify(rows) });
    await page.getByRole('button', { name: 'Predict 4 rows' }).click();
    await page.getByRole('heading', { name: '4 rows predicted' }).waitFor();
    await page
      .getByText(/100(\.0)? ?%/)
      .first()
      .waitFor();
    await page.getByRole('cell', { name: '=1+1', exact: true }).first().waitFor();
    expect(await page.getByRole('cell', { name: 'wrong' }).count()).toBe(0);
    // In the file, an apostrophe keeps a spreadsheet from computing them.
    expect((await download(page)).split(/\r?\n/)[1]).toMatch(/^0,0,'=1\+1,'=1\+1,/);
  });

  test('continues where it stopped, and reports all pieces together', async () => {
    const proxy = await openFaultyProxy(on.server.url);
    const look = await openFileView(openConsole(on.browser, proxy.url, VIEW));
    const { page } = look;
    // Three pieces, in each of which one row is far from all that the model knows. The last 50 rows are of its table.
    const rows = Array.from({ length: 5000 }, (_, row) =>
      row % 2000 === 0 ? '100000,1' : `${row % 100},${row < 4950 ? 1 : 2 * (row % 100)}`,
    );
    await chooseFile(page, { name: 'long.csv', content: `size,weight\n${rows.join('\n')}\n` });
    const predict = page.getByRole('button', { name: 'Predict 5,000 rows' });
    await predict.waitFor();
    // Other views may be looked at while it runs, or after it has stopped.
    const lookElsewhere = async () => {
      await page.getByRole('link', { name: 'Quality' }).click();
      await page.getByRole('link', { name: 'Share or print' }).waitFor();
      await page.getByRole('link', { name: 'Predict a file' }).click();
      await page.getByText('2,000 rows predicted so far').waitFor();
    };
    let pieces = 0;
    const second = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/predict') && ++pieces === 2);
    await predict.click();
    await second.asked;
    await lookElsewhere();
    // No other request meets the faults.
    await look.idle();
    proxy.next({ status: 400, body: 'no answer of the service' });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByText('2,000 rows predicted so far').waitFor();
    await expectGoodViewInEachWindow(look);
    await lookElsewhere();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: '5,000 rows predicted' }).waitFor();
    await page.getByText('far outside the range of the training table, in 3 rows').waitFor();
    await page.getByText('50 of 5,000 rows have the values of rows that the model was').waitFor();
    await expectGoodViewInEachWindow(look);

    const lines = (await download(page)).trimEnd().split('\n');
    expect(lines[0]).toBe(
      'size,weight,kind,kind_confidence,kind_set,kind_probability_=1+1,kind_probability_plain,kind_warnings',
    );
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 2).join(','))).toEqual(rows);
    expect(lines[1]).toMatch(/,size: out-of-range\r?$/);
    // Behind an apostrophe, a spreadsheet shows the text and does not compute it.
    expect(lines[2]).toMatch(/^1,1,'=1\+1,0\.\d+,'=1\+1/);

    // Sorted, the rows of the highest probability of a class come first, and none is lost.
    await page.getByLabel('Order').selectOption('kind_probability_plain, highest first');
    await page.getByText('1 to 50 of 5,000 rows').waitFor();
    await expectGoodViewInEachWindow(look);
    const ranked = page.waitForEvent('download');
    await pressByKeyboard(page, 'Download these 5,000 rows in this order');
    const text = await readFile(await (await ranked).path(), 'utf8');
    const [header, ...records] = text.trimEnd().split('\n');
    expect(header).toBe(lines[0]);
    const probability = (line = '') => Number(line.split(',')[6]);
    expect(records).toEqual(lines.slice(1).sort((one, other) => probability(other) - probability(one)));
    await page.context().close();
    await proxy.close();
  });
});

async function train(roster: RosterClient): Promise<void> {
  const path = { projectName: 'default', modelName: 'kinds' };
  await answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target: 'kind' } },
      body: table,
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
  await untilReady(roster, path);
}

async function download(page: Page): Promise<string> {
  const [started] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download/ }).click(),
  ]);
  return readFile(await started.path(), 'utf8');
}
