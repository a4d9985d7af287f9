import { readFile } from 'node:fs/promises';
import { answered, untilReady } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { fewDiamonds, slowTable } from '../../testkit/data/diamonds.js';
import { type Fault, openFaultyProxy } from '../../testkit/http/faulty-proxy.js';
import { browserAndService, expectGoodViewInEachWindow, goTo, openConsole } from './console-page.js';
import { type ChosenFile, chooseFile } from './table-views.js';

/** Customers who left, by size and revenue: semicolons, decimal commas, and umlauts in Windows-1252. */
const customers: ChosenFile = {
  name: 'Kündigungen 2026.csv',
  content: Buffer.from(
    [
      'Größe;Umsatz;gekündigt',
      ...Array.from({ length: 200 }, (_, row) => {
        const size = (row * 37) % 200;
        return `${size},5;${3 * size},25;${size > 90 + (row % 20) ? 'ja' : 'nein'}`;
      }),
    ].join('\r\n'),
    'latin1',
  ),
};

const diamonds: ChosenFile = { name: 'prices.csv', content: fewDiamonds };

describe('training in the console', () => {
  const on = browserAndService();

  /** Creates a project, and opens a view of it: on the service, or behind a proxy in a separate window. */
  const openInProject = async (project: string, view: string, proxyUrl?: string) => {
    await answered(on.roster.POST('/projects', { body: { project: { name: project } } }));
    const address = `/projects/${project}/${view}`;
    return proxyUrl === undefined ? on.open(address) : openConsole(on.browser, proxyUrl, address);
  };

  test('takes a table of classes as a spreadsheet writes it, and returns it in that format', async () => {
    const look = await openInProject('classes', 'models/~new');
    const { page } = look;
    await chooseFile(page, customers);
    await page.getByText('This file is not in UTF-8.').waitFor();
    await expect.poll(() => page.getByLabel('Column to predict').inputValue()).toBe('gekündigt');
    await expect.poll(() => page.getByLabel('Predict it as').inputValue()).toBe('classification');
    await expect.poll(() => page.getByLabel('Name of the model').inputValue()).toBe('Kundigungen_2026');
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByRole('heading', { level: 1, name: 'Kundigungen_2026' }).waitFor();

    await page.getByRole('link', { name: 'Predict a file' }).click();
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    await chooseFile(page, customers);
    await page.getByText('gekündigt_predicted').waitFor();
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Predict 200 rows' }).click();
    await page.getByText('Set coverage').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /^Download/ }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(
      '\ufeffGröße;Umsatz;gekündigt;gekündigt_predicted;gekündigt_confidence;gekündigt_set;gekündigt_probability_nein;gekündigt_probability_ja;gekündigt_warnings',
    );
    expect(lines[1]).toMatch(/^0,5;0,25;nein;nein;[01](,\d+)?;nein/);
    expect(lines).toHaveLength(202);
  });

  test('says what is wrong with a file that is not a table', async () => {
    const look = await openInProject('bad_files', 'models');
    const { page } = look;
    await page.getByRole('heading', { name: 'What do you want to predict?' }).waitFor();
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([], 'dropped.csv'));
      return transfer;
    })()`);
    await page.dispatchEvent('h1', 'drop', { dataTransfer: dropped });
    await page.getByRole('heading', { name: 'Train a model' }).waitFor();
    await page.getByRole('alert').getByText('The file is empty.').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()));
    const files: [content: string | Buffer, words: string][] = [
      ['%PDF-1.7\n%\u00e2\u00e3', 'This is a PDF, not a table.'],
      [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 20, 0]), 'This is an old Excel workbook.'],
      [Buffer.from([0x50, 0x4b, 3, 4, 20, 0]), 'The workbook is damaged'],
      [Buffer.from([1, 0, 2, 0, 3]), 'This file is not text'],
      ['price\n326\n327\n', 'This file has no columns that are separated'],
      ['carat,price\n', 'This table has a header, but no rows.'],
    ];
    for (const [content, words] of files) {
      await chooseFile(page, { name: 'file.csv', content });
      await page.getByRole('alert').getByText(words).waitFor();
    }
    await expectGoodViewInEachWindow(look);
    expect(sent).toEqual([]);
  });

  test('shows at the column what the service finds wrong there, and keeps the rest', async () => {
    const look = await openInProject('unusable', 'models/~new');
    const { page } = look;
    const content = fewDiamonds.replace('carat', 'price_min');
    await chooseFile(page, { ...diamonds, content });
    await page.getByLabel('Name of the model').fill('stones');
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByRole('columnheader', { name: 'price_min' }).getByText('Rename this column.').waitFor();
    await expect.poll(() => page.getByLabel('Name of the model').inputValue()).toBe('stones');
    await expectGoodViewInEachWindow(look);

    // Sent with commas, the lines keep their numbers.
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await chooseFile(page, { name: 'lines.csv', content: 'a;b\n\n1;2\n1;2;3\n' });
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByRole('alert').getByText('Line 4 has 3 fields').waitFor();
  });

  test('sends a table again when the connection broke off', async () => {
    const proxy = await openFaultyProxy(on.server.url);
    const { page } = await openInProject('broken_off', 'models/~new', proxy.url);
    await Promise.all([page.waitForResponse(/models\/prices$/), chooseFile(page, diamonds)]);
    // A browser itself repeats a request whose connection was kept open and then broke off.
    proxy.next(...Array<Fault>(10).fill('request lost'));
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByRole('alert').getByText('The connection to the service broke off.').waitFor();
    proxy.next();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'prices' }).waitFor();
    await page.context().close();
    await proxy.close();
  });

  test('begins a new version with the task of the newest, and says when it answers', async () => {
    const look = await openInProject('stars', 'models');
    const { page } = look;
    const path = { projectName: 'stars', modelName: 'stars' };
    const rows = Array.from({ length: 90 }, (_, row) => `${row % 30},${1 + Math.floor((row % 30) / 10)}`);
    const content = ['size,stars', ...rows].join('\n');
    await answered(
      on.roster.PUT('/api/projects/{projectName}/models/{modelName}', {
        params: { path, query: { target: 'stars', task: 'classification', effort: 'fast' } },
        body: content,
        headers: { 'Content-Type': 'text/csv' },
      }),
    );
    await untilReady(on.roster, path);
    await goTo(page, '/projects/stars/models/~new?name=stars', 'Train a new version of stars');
    await chooseFile(page, { name: 'stars.csv', content });
    await page.getByText('trains its version 2, which answers predictions as soon as it is ready.').waitFor();
    expect(await page.getByLabel('Predict it as').inputValue()).toBe('classification');
    await page.getByRole('button', { name: 'Train' }).click();
    const newest = async () => {
      const { version, task } = await untilReady(on.roster, path);
      return { version, task };
    };
    await expect.poll(newest).toEqual({ version: 2, task: 'classification' });

    await answered(
      on.roster.PUT('/api/projects/{projectName}/models/{modelName}/serving', {
        params: { path },
        body: { serving: { promotion: 'manual' } },
      }),
    );
    await goTo(page, '/projects/stars/models/~new?name=stars', 'Train a new version of stars');
    await chooseFile(page, { name: 'stars.csv', content });
    await page.getByText('The table trains its version 3.').waitFor();
  });

  test('leads to a model that is already in training, and cancels the training', async () => {
    const look = await openInProject('cancelled', 'models/~new');
    const { page } = look;
    await chooseFile(page, { name: 'slow.csv', content: slowTable() });
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByRole('button', { name: 'Cancel the training' }).waitFor();

    await goTo(page, '/projects/cancelled/models/~new?name=slow', 'Train a new version of slow');
    await chooseFile(page, diamonds);
    await page.getByText('The table trains its version 2').waitFor();
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByRole('link', { name: 'See the training' }).click();
    await page.getByText(/ · about \d+ (second|minute)s? left$/).waitFor();
    await page.getByRole('button', { name: 'Cancel the training' }).click();
    await page.getByText('The training was cancelled.').waitFor();
    await page.getByRole('status').getByText('The training of version 1 ended without a model.').waitFor();
    await expectGoodViewInEachWindow(look);
  });
});
