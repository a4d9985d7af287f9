/** Tests of tables as people have them: with titles, codes and ids, and in every format. */
import type { Page } from 'playwright-core';
import type { Model } from 'roster-client';
import { expect, test } from 'vitest';
import { FILE_FORMATS, fileOf, type TestColumn } from '../../testkit/data/table-files.js';
import { settled } from '../../testkit/service/train-prices.js';
import { browserAndService, expectGoodViewInEachWindow, goTo } from './console-page.js';
import { chooseFile, focusByKeyboard, pressByKeyboard } from './table-views.js';

const on = browserAndService();

const VIEW = '/projects/default/models/~new';

const train = async (page: Page, modelName: string): Promise<Model> => {
  await pressByKeyboard(page, /^(Train|Try again)$/);
  await page.getByRole('heading', { level: 1, name: modelName }).waitFor();
  return settled(on.roster, { projectName: 'default', modelName });
};

const useOf = (page: Page, column: string) => page.getByLabel(`Use of ${column}`, { exact: true });

test('a German export with a title line and 40 columns is trained by keyboard alone', async () => {
  const others = Array.from({ length: 36 }, (_, index) => `Merkmal ${index + 1}`);
  const lines = Array.from({ length: 200 }, (_, row) => {
    const zip = ['05914', '80331', '10115'][row % 3];
    const price = (row % 3) * 1000 + (row % 10) * 10;
    const cells = others.map((_, index) => `${(row * (index + 3)) % 17},5`);
    return [1000 + row * 7, zip, `0${1 + (row % 9)}`, ...cells, `${price},25`].join(';');
  });
  const content = Buffer.from(
    [
      `Umsätze nach Größe, "Stand: 1.1.2026${';'.repeat(39)}`,
      '',
      `Kunden-Nr;PLZ;Filiale;${others.join(';')};Umsatz`,
      ...lines,
    ].join('\r\n'),
    'latin1',
  );
  const look = await on.open(VIEW);
  const { page } = look;
  await chooseFile(page, { name: 'Export.csv', content });
  await page.getByText('This file is not in UTF-8.').waitFor();
  const names = page.getByLabel('Names of the columns');
  expect(await names.inputValue()).toBe('3');
  expect(await useOf(page, 'Kunden-Nr').inputValue()).toBe('unused');
  expect(await useOf(page, 'PLZ').inputValue()).toBe('category');
  expect(await useOf(page, 'Merkmal 1').inputValue()).toBe('found');
  expect(await page.getByLabel('Column to predict').inputValue()).toBe('Umsatz');
  await page.getByText('Left out: Kunden-Nr. Categories: PLZ, Filiale.').waitFor();
  await expectGoodViewInEachWindow(look);

  // The last line cannot be a header; what was chosen before stays.
  await focusByKeyboard(page, names);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => names.inputValue()).not.toBe('3');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => names.inputValue()).toBe('3');
  await focusByKeyboard(page, useOf(page, 'Filiale'));
  await page.keyboard.press('End');
  expect(await useOf(page, 'Filiale').inputValue()).toBe('unused');
  const model = await train(page, 'Export');
  expect(model).toMatchObject({ status: 'ready', target: 'Umsatz', row_count: 200 });
  expect(model.columns?.slice(0, 4)).toMatchObject([
    { name: 'Kunden-Nr', used: false, chosen: 'unused' },
    { name: 'PLZ', kind: 'category', categories: expect.arrayContaining(['05914']) },
    { name: 'Filiale', chosen: 'unused' },
    { name: 'Merkmal 1', kind: 'number', max: 16.5 },
  ]);

  // The next version begins with what was chosen for this one.
  await goTo(page, `${VIEW}?name=Export`, 'Train a new version of Export');
  await chooseFile(page, { name: 'Export.csv', content });
  await expect.poll(() => useOf(page, 'Filiale').inputValue()).toBe('unused');
});

test('churn with ids is trained without them', async () => {
  const content = [
    'Some notes of the exporter',
    'customerID,zip,tenure,remark,Churn',
    ...Array.from({ length: 150 }, (_, row) => {
      const churns = row % 3 === 0;
      return `${70_000 + row * 11},0${1000 + (row % 4)},${churns ? row % 5 : 10 + (row % 40)},r${row},${churns ? 'Yes' : 'No'}`;
    }),
  ].join('\n');
  const look = await on.open(VIEW);
  const { page } = look;
  await chooseFile(page, { name: 'churn.csv', content });
  for (const [column, use] of [
    ['customerID', 'unused'],
    ['zip', 'category'],
    ['tenure', 'found'],
    ['remark', 'unused'],
  ] as const) {
    expect([column, await useOf(page, column).inputValue()]).toEqual([column, use]);
  }
  await page.getByText('Left out: customerID, remark. Categories: zip.').waitFor();
  await expectGoodViewInEachWindow(look);
  const { columns, target } = await train(page, 'churn');
  expect(target).toBe('Churn');
  expect(columns?.filter(({ used }) => used).map(({ name }) => name)).toEqual(['zip', 'tenure']);

  // The lines of the file are told where a header was chosen that is not one.
  await goTo(page, VIEW, 'Train a model');
  await chooseFile(page, { name: 'churn.csv', content });
  await page.getByLabel('Names of the columns').selectOption('1');
  await page.getByText('Line 1: This file has no columns that are separated').waitFor();
  expect(await page.getByLabel('Names of the columns').inputValue()).toBe('2');
});

test('a table is dropped in every format that the service reads', async () => {
  const columns: TestColumn[] = [
    { kind: 'number', name: 'size', values: Array.from({ length: 90 }, (_, row) => row % 13) },
    { kind: 'text', name: 'place', values: Array.from({ length: 90 }, (_, row) => `p${row % 3}`) },
    { kind: 'number', name: 'rent', values: Array.from({ length: 90 }, (_, row) => row % 13) },
  ];
  const look = await on.open(VIEW);
  const { page } = look;
  for (const format of FILE_FORMATS) {
    await chooseFile(page, { name: `rents.${format}`, content: fileOf(format, columns) });
    const target = page.getByLabel('Column to predict');
    await target.waitFor();
    const areShown = format === 'csv' || format === 'json' || format === 'ndjson';
    if (areShown) {
      expect(await target.inputValue()).toBe('rent');
      await useOf(page, 'size').selectOption('Leave out');
    } else {
      await page.getByText('This page does not show the columns of Parquet and Arrow.').waitFor();
      await target.fill('rnet');
      await pressByKeyboard(page, 'Train');
      await page.getByText('The columns are: "size", "place", "rent".').waitFor();
      await expectGoodViewInEachWindow(look);
      await target.fill('rent');
    }
    await page.getByLabel('Name of the model').fill(format);
    const model = await train(page, format);
    expect([format, model.status, model.columns?.map(({ used }) => used)]).toEqual([
      ...[format, 'ready', [!areShown, true]],
    ]);
    await goTo(page, VIEW, 'Train a model');
  }
  for (const [content, words] of [
    ['[1, 2]', 'The rows of this file are not JSON objects'],
    ['{"a": 1}\n{"a": ', 'This file is not JSON throughout'],
  ] as const) {
    await chooseFile(page, { name: 'damaged', content });
    await page.getByRole('alert').getByText(words).waitFor();
  }
});
