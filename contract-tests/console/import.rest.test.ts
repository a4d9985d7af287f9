/** Tests of tables as people have them: with titles, codes and ids, wide, and in every format; from drop to download. */
import type { Page } from 'playwright-core';
import type { Model } from 'roster-client';
import { expect, test } from 'vitest';
import { FILE_FORMATS, type TestColumn, writeFile } from '../../testkit/data/table-files.js';
import { workbookOfSheets } from '../../testkit/data/workbooks.js';
import { settled } from '../../testkit/service/train-prices.js';
import { browserAndService, expectGoodViewInEachWindow, goTo } from './console-page.js';
import {
  chooseByKeyboard as choose,
  chooseFile,
  downloadByKeyboard as download,
  focusByKeyboard,
  predictByKeyboard as predict,
  pressByKeyboard,
  sortAndSave,
} from './table-views.js';

const on = browserAndService();

const VIEW = '/projects/default/models/~new';

const train = async (page: Page, modelName: string): Promise<Model> => {
  await pressByKeyboard(page, /^(Train|Try again)$/);
  await page.getByRole('heading', { level: 1, name: modelName }).waitFor();
  return settled(on.roster, { projectName: 'default', modelName });
};

const useOf = (page: Page, column: string) => page.getByLabel(`Use of ${column}`, { exact: true });

test('a German export with a title line and 40 columns is trained and predicted by keyboard alone', async () => {
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
  await choose(page, { name: 'Export.csv', content });
  await page.getByText('This file is not in UTF-8.').waitFor();
  const names = page.getByLabel('Names of the columns');
  await expect.poll(() => names.inputValue()).toBe('3');
  await expect.poll(() => useOf(page, 'Kunden-Nr').inputValue()).toBe('unused');
  await expect.poll(() => useOf(page, 'PLZ').inputValue()).toBe('category');
  await expect.poll(() => useOf(page, 'Merkmal 1').inputValue()).toBe('found');
  await expect.poll(() => page.getByLabel('Column to predict').inputValue()).toBe('Umsatz');
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
  await expect.poll(() => useOf(page, 'Filiale').inputValue()).toBe('unused');
  const model = await train(page, 'Export');
  expect(model).toMatchObject({ status: 'ready', target: 'Umsatz', row_count: 200 });
  expect(model.columns?.slice(0, 4)).toMatchObject([
    { name: 'Kunden-Nr', used: false, chosen: 'unused' },
    { name: 'PLZ', kind: 'category', categories: expect.arrayContaining(['05914']) },
    { name: 'Filiale', chosen: 'unused' },
    { name: 'Merkmal 1', kind: 'number', max: 16.5 },
  ]);

  // The same file is predicted, with its decimal commas, and says that it is no test.
  await predict(page, { name: 'Export.csv', content }, 200);
  await page.getByText('200 of 200 rows have the values of rows that the model').waitFor();
  const [names40, first] = await download(page, 'Download Export-predicted.csv', 'link');
  expect(names40).toMatch(
    /^\ufeffKunden-Nr;.*;Umsatz;Umsatz_predicted;Umsatz_min;Umsatz_max;Umsatz_confidence;Umsatz_warnings$/,
  );
  expect(first).toMatch(/^1000;05914;01;0,5;.*;0,25;\d+(,\d+)?;\d+(,\d+)?;\d+(,\d+)?;0,9;trained-on$/);
  const { sorted, book } = await sortAndSave(page, on.roster, 'Umsatz_predicted', 'Export');
  expect(sorted.names).toEqual(names40?.replace('\ufeff', '').split(';'));
  expect(sorted.values('Umsatz_predicted')).toEqual(sorted.values('Umsatz_predicted').toSorted((a, b) => b - a));
  expect(book.columns.slice(0, 3).map(({ name }) => name)).toEqual(['Kunden-Nr', 'PLZ', 'Filiale']);
  expect(book.rows[0]?.slice(0, 4)).toEqual(['1000', '05914', '01', '0.5']);

  // The next version begins with what was chosen for this one.
  await goTo(page, `${VIEW}?name=Export`, 'Train a new version of Export');
  await chooseFile(page, { name: 'Export.csv', content });
  await expect.poll(() => useOf(page, 'Filiale').inputValue()).toBe('unused');
});

test('a table that leaves its marks open is asked about, and read again after each answer', async () => {
  const lines = Array.from({ length: 100 }, (_, row) => {
    const day = `0${1 + (row % 9)}`;
    return `${day}/${day}/2025,"${1 + (row % 8)},${100 + ((row * 37) % 900)}",${row % 4 === 0 ? 'NA' : row % 13},${row % 7},,`;
  });
  const content = ['sold,price,stock,rent,,', ...lines].join('\n');
  const look = await on.open(VIEW);
  const { page } = look;
  await choose(page, { name: 'open.csv', content });
  await page.getByText('2 columns without a name and without values will be left out.').waitFor();
  const target = page.getByLabel('Column to predict');
  expect(await target.inputValue()).toBe('rent');
  // The first stop behind the button for another file.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await target.and(page.locator(':focus')).count()).toBe(1);

  const header = (name: string) => page.getByRole('columnheader', { name });
  await header('stock').getByText('25% missing: 25 × “NA”').waitFor();
  await header('price').getByText('Undecided: its values are numbers in which a comma may separate').waitFor();
  await useOf(page, 'price').selectOption('Read 1,100 as 1.1');
  await header('price')
    .getByText(/^numbers, 1\.1 to 8\./)
    .waitFor();
  await header('sold').getByText('Undecided: looks like dates').waitFor();
  await pressByKeyboard(page, 'The day comes first: 01/01/2025 is 2025-01-01');
  await header('sold').getByText('the day first').waitFor();
  expect(await page.getByLabel('Dates such as 05/06/2025').inputValue()).toBe('day-first');
  await expectGoodViewInEachWindow(look);
  const { columns } = await train(page, 'open');
  expect(columns).toMatchObject([
    { name: 'sold', kind: 'date', reading: { order: 'day-first', decided_by: 'parameters' } },
    { name: 'price', kind: 'number', min: 1.1, reading: { decimal: ',' } },
    { name: 'stock', missing_share: 0.25 },
  ]);
  expect(await page.title()).toBe('Quality · open · Roster');
});

test('what looks odd in a table is mended with one click, after a training and before it', async () => {
  const values = Array.from({ length: 100 }, (_, row) => 200 + 3 * row + ((row * 5) % 7));
  const total = values.reduce((sum, value) => sum + value, 0);
  const content = ['item,a,y', ...values.map((value, row) => `i${row},${row},${value}`), `Total,,${total}`].join('\n');
  const look = await on.open(VIEW);
  const { page } = look;
  await choose(page, { name: 'shop.csv', content });
  expect(await train(page, 'shop')).toMatchObject({ findings: [{ kind: 'totals_row', places: [{ line: 102 }] }] });
  await page.getByText('All 101 rows were used.').waitFor();
  await expectGoodViewInEachWindow(look);

  // The page still has the table.
  await pressByKeyboard(page, 'Leave out line 102, and train again', 'link');
  await page.getByText('3 columns · 101 rows').waitFor();
  await pressByKeyboard(page, 'Take back line 102');
  const leaveOut = page.getByRole('button', { name: 'Leave out line 102', exact: true });
  await pressByKeyboard(page, 'Leave out line 102');
  await page.getByText(/ in the first 100 rows\.$/).waitFor();
  expect(await leaveOut.getAttribute('aria-pressed')).toBe('true');
  expect(await leaveOut.and(page.locator(':focus')).count()).toBe(1);
  await expectGoodViewInEachWindow(look);
  await pressByKeyboard(page, 'Train');
  await page.getByText('100 of 101 rows were used.').waitFor();
  await expectGoodViewInEachWindow(look);
  await page.reload();

  // Without the table, the page asks for it again.
  await goTo(page, '/projects/default/models/shop?version=1', 'shop');
  await pressByKeyboard(page, 'Leave out line 102, and train again', 'link');
  await page.getByText('The choices of the finding are set.').waitFor();
});

test('words among numbers count as missing, by one click or typed', async () => {
  const lines = Array.from({ length: 100 }, (_, row) => {
    const size = row % 12 === 0 ? '-' : (row * 7) % 50;
    return `${size},2026-01-${10 + (row % 19)},${row % 9 === 0 ? 'k.A.' : 100 + 3 * ((row * 7) % 50)}`;
  });
  const look = await on.open(VIEW);
  const { page } = look;
  await choose(page, { name: 'rents.csv', content: ['size,seen,rent', ...lines].join('\n') });
  await pressByKeyboard(page, 'Count “-” in size as missing');
  const header = (name: string) => page.getByRole('columnheader', { name });
  await header('size').getByText('9% missing: 9 × “-”').waitFor();
  await focusByKeyboard(page, page.getByLabel('Word for missing values'));
  await page.keyboard.type('K.a.');
  await page.keyboard.press('Enter');
  await header('rent').getByText('12% missing: 12 × “k.A.”').waitFor();
  await page.getByRole('button', { name: 'Take back K.a.' }).waitFor();
  await expectGoodViewInEachWindow(look);
  const model = await train(page, 'rents');
  expect(model).toMatchObject({ task: 'regression', reading: { rows_sent: 100, rows_used: 88 } });
  expect(model.reading?.missing_words).toContain('k.a.');
  expect(model.columns?.[0]).toMatchObject({ name: 'size', kind: 'number', missing_share: 6 / 88 });
  await page.getByRole('heading', { name: 'Where it errs' }).waitFor();
  await page
    .getByRole('cell', { name: /^2026-01-\d\d$/ })
    .first()
    .waitFor();
  await expectGoodViewInEachWindow(look);
});

test('churn with ids is trained without them, and ranked with them, by keyboard alone', async () => {
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
  await choose(page, { name: 'churn.csv', content });
  for (const [column, use] of [
    ['customerID', 'unused'],
    ['zip', 'category'],
    ['tenure', 'found'],
    ['remark', 'unused'],
  ] as const) {
    await expect.poll(() => useOf(page, column).inputValue(), { message: column }).toBe(use);
  }
  await page.getByText('Left out: customerID, remark. Categories: zip.').waitFor();
  await expectGoodViewInEachWindow(look);
  const { columns, target } = await train(page, 'churn');
  expect(target).toBe('Churn');
  expect(columns?.filter(({ used }) => used).map(({ name }) => name)).toEqual(['zip', 'tenure']);

  // Without its title, and with another line as the header, the file is reported as another one.
  await pressByKeyboard(page, 'Predict a file', 'link');
  await choose(page, { name: 'churn.csv', content });
  const header = page.getByLabel('Names of the columns');
  await focusByKeyboard(page, header);
  await page.keyboard.press('ArrowDown');
  await page.getByText('These look like values. Choose the line that has the names.').waitFor();
  await page.getByText('This file has none of the model’s columns.').waitFor();
  await expectGoodViewInEachWindow(look);
  await focusByKeyboard(page, header);
  await page.keyboard.press('ArrowUp');
  await pressByKeyboard(page, 'Predict 150 rows');
  await page.getByRole('heading', { name: '150 rows predicted' }).waitFor();
  await pressByKeyboard(page, 'Churn_probability_Yes');
  await page.getByText('1 to 50 of 150 rows').waitFor();
  const [names, ...ranked] = await download(page, 'Download these 150 rows in this order', 'button');
  const place = names?.split(',').indexOf('Churn_probability_Yes') ?? -1;
  const probabilities = ranked.map((record) => Number(record.split(',')[place]));
  expect(probabilities).toEqual(probabilities.toSorted((one, other) => other - one));
  expect(ranked.slice(0, 50).every((record) => /^7\d{4},0100\d,\d,r\d+,Yes,/.test(record))).toBe(true);

  // The lines of the file are reported where a header was chosen that is not one, and where no column is used.
  await goTo(page, VIEW, 'Train a model');
  await chooseFile(page, { name: 'churn.csv', content });
  await page.getByLabel('Names of the columns').selectOption('1');
  await page.getByText('Line 1: This file has no columns that are separated').waitFor();
  await expect.poll(() => page.getByLabel('Names of the columns').inputValue()).toBe('2');
  for (const column of ['zip', 'tenure']) await useOf(page, column).selectOption('unused');
  await page.getByText('All columns are left out. Use at least one').waitFor();
  await pressByKeyboard(page, 'Train');
  await expectGoodViewInEachWindow(look);
  expect(new URL(page.url()).hash).toBe(`#${VIEW}`);
});

test('a wide table of sensors is read by the service, trained and predicted by keyboard alone', async () => {
  const rows = 120;
  const column = (name: string, at: (row: number) => number | null): TestColumn => ({
    kind: 'number',
    name,
    values: Array.from({ length: rows }, (_, row) => at(row)),
  });
  const sensors = Array.from({ length: 300 }, (_, sensor) =>
    column(`sensor_${sensor + 1}`, (row) => ((row * (sensor + 7)) % 23 === 0 ? null : ((row * (sensor + 3)) % 89) / 8)),
  );
  const content = writeFile('parquet', [...sensors, column('heat', (row) => (row * 3) % 89)]);
  const { page } = await on.open(VIEW);
  await choose(page, { name: 'plant.parquet', content });
  await page.getByText('301 columns').waitFor();
  await expect.poll(() => page.getByLabel('Column to predict').inputValue()).toBe('heat');
  await pressByKeyboard(page, 'Skip the columns');
  expect(await train(page, 'plant')).toMatchObject({ status: 'ready', row_count: rows });

  const more = writeFile('parquet', [
    ...sensors,
    { kind: 'text', name: '=cmd', values: Array.from({ length: rows }, () => '=1+1') },
  ]);
  await predict(page, { name: 'more.parquet', content: more }, rows);
  expect(await page.getByText('Some rows are unlike').count()).toBe(0);
  const [names, ...records] = await download(page, 'Download more-predicted.csv', 'link');
  expect(names?.split(',').slice(-6)).toEqual([
    ...['sensor_300', 'heat', 'heat_min', 'heat_max', 'heat_confidence', 'heat_warnings'],
  ]);
  expect(records).toHaveLength(rows);
  expect(records[1]).toMatch(/^0\.375,0\.5,0\.625,.*,trained-on$/);
});

test('a table is trained with and predicted in every format that the service reads', async () => {
  const columns: TestColumn[] = [
    { kind: 'number', name: 'size', values: Array.from({ length: 90 }, (_, row) => row % 13) },
    { kind: 'text', name: 'place', values: Array.from({ length: 90 }, (_, row) => `p${row % 3}`) },
    { kind: 'number', name: 'rent', values: Array.from({ length: 90 }, (_, row) => row % 13) },
  ];
  const look = await on.open(VIEW);
  const { page } = look;
  for (const format of FILE_FORMATS) {
    await chooseFile(page, { name: `rents.${format}`, content: writeFile(format, columns) });
    const target = page.getByLabel('Column to predict');
    await target.waitFor();
    await expect.poll(() => target.inputValue()).toBe('rent');
    await useOf(page, 'size').selectOption('Leave out');
    await page.getByLabel('Name of the model').fill(format);
    const model = await train(page, format);
    expect([format, model.status, model.columns?.map(({ used }) => used)]).toEqual([
      ...[format, 'ready', [false, true]],
    ]);
    await predict(page, { name: 'more', content: writeFile(format, columns) }, 90);
    await page.getByText('Measured on the 90 rows in which the file has rent.').waitFor();
    const [names, first] = await download(page, 'Download more-predicted.csv', 'link');
    expect(names?.replace('\ufeff', '')).toBe(
      'size,place,rent,rent_predicted,rent_min,rent_max,rent_confidence,rent_warnings',
    );
    expect(first).toMatch(/^0,p0,0,/);
    await goTo(page, VIEW, 'Train a model');
  }
  for (const [content, words] of [
    ['[1, 2]', 'Row 0 is not an object.'],
    ['{"a": 1}\n{"a": ', 'Line 2 is not valid JSON'],
  ] as const) {
    await chooseFile(page, { name: 'damaged', content });
    await page.getByRole('alert').getByText(words).waitFor();
  }
});

test('the table of a workbook is found by its sheet and the row that has the names', async () => {
  const rows = Array.from({ length: 90 }, (_, row) => [row % 13, `p${row % 3}`, (row % 13) * 2]);
  const content = workbookOfSheets({
    Empty: [],
    Cover: [['Rents of 2026']],
    Rents: [['All in euros'], [], ['size', 'place', 'rent'], ...rows],
  });
  const look = await on.open(VIEW);
  const { page } = look;
  await choose(page, { name: 'book.xlsx', content });
  const names = page.getByLabel('Names of the columns');
  const sheet = page.getByLabel('Sheet');
  await page.getByText('3 columns').waitFor();
  expect(await sheet.inputValue()).toBe('Rents');
  expect(await names.inputValue()).toBe('3');
  await focusByKeyboard(page, sheet);
  await page.keyboard.press('ArrowUp');
  await page.getByText('Sheet "Cover": The table has no rows').waitFor();
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => page.getByLabel('Column to predict').inputValue()).toBe('');
  await look.idle();
  // A sheet without columns is not previewed for a target, and nothing is said of rows that were not read.
  expect(await page.getByText(/must not be empty|Nothing looks odd|This is a guess/).count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  await page.getByText('Sheet "Cover": The table has no rows').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByText('3 columns').waitFor();
  await focusByKeyboard(page, names);
  await page.keyboard.press('Home');
  const fault = page.getByText('it has a value, but its column has no name');
  await fault.waitFor();
  await page.keyboard.press('ArrowDown');
  await fault.waitFor({ state: 'detached' });
  expect(await names.inputValue()).toBe('3');
  await expectGoodViewInEachWindow(look);
  expect(await train(page, 'book')).toMatchObject({ status: 'ready', row_count: 90 });

  await pressByKeyboard(page, 'Predict a file', 'link');
  await choose(page, { name: 'more.xlsx', content });
  await pressByKeyboard(page, 'Predict all rows');
  await page.getByRole('heading', { name: '90 rows predicted' }).waitFor();
  const [header, first] = await download(page, 'Download more-predicted.csv', 'link');
  expect(header).toContain('size,place,rent,rent_predicted');
  expect(first).toMatch(/^0,p0,0,/);
  const { sorted, book } = await sortAndSave(page, on.roster, 'rent_predicted', 'more');
  expect(sorted.records[0]?.slice(0, 3)).toEqual(['12', 'p0', '24']);
  expect(sorted.values('rent_predicted')).toEqual(sorted.values('rent_predicted').toSorted((a, b) => b - a));
  expect(book.rows[0]?.slice(0, 3)).toEqual(['0', 'p0', '0']);
});
