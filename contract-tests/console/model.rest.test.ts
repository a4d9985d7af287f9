import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { answered } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { fewDiamonds, slowTable } from '../../testkit/data/diamonds.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { settled } from '../../testkit/service/train-prices.js';
import { hundredLines } from '../sent-tables.js';
import { browserAndService, expectGoodView, expectGoodViewInEachWindow, goTo, openConsole } from './console-page.js';
import { holdAnswer } from './held-answers.js';
import { chooseFile, focusByKeyboard, pressByKeyboard } from './table-views.js';

/** A name as hostile to a page as a table may have. */
const LONG_NAME = `<img src=x onerror=alert(1)> ${'Größe'.repeat(14)}`;

/** A class that depends on a number and on a long-named column of thirty categories. */
const leavers = [
  `age,${LONG_NAME},since,<b>left</b>`,
  ...Array.from({ length: 240 }, (_, row) => {
    const age = (row * 37) % 80;
    const day = `${2000 + (row % 20)}-03-${10 + (row % 15)}`;
    return `${age},group ${row % 30},${day},${age > 40 + (row % 7) ? '<i>yes</i>' : 'no'}`;
  }),
].join('\n');

const inDefault = { params: { path: { projectName: 'default' } } };

/** Fees with a unit and a decimal comma, as a German spreadsheet has them. */
const fees = [
  'hours,fee',
  ...Array.from({ length: 80 }, (_, row) => `${row % 20},"${1000 + (row % 20) * 61},5 €"`),
].join('\n');

describe('the views of a model', () => {
  const on = browserAndService(async () => {
    await train('prices', 'price', fewDiamonds);
    // One after the other: a model trains one version at a time.
    await train('prices', 'price', fewDiamonds.replaceAll('Ideal', 'Perfect'));
    await train('leavers', '<b>left</b>', leavers);
    await train('fees', 'fee', fees);
  });

  const startTraining = (modelName: string, target: string, csv: string) =>
    answered(
      on.roster.PUT('/api/projects/{projectName}/models/{modelName}', {
        params: { path: { projectName: 'default', modelName }, query: { target } },
        body: csv,
        headers: { 'Content-Type': 'text/csv' },
      }),
    );

  const startSlowTraining = (modelName: string) => startTraining(modelName, 'price', slowTable());

  const train = async (modelName: string, target: string, csv: string) => {
    const path = { projectName: 'default', modelName };
    return settled(on.roster, path, await startTraining(modelName, target, csv));
  };

  /** Opens a view of the model `prices`, or of another one. */
  const openModel = (view = '', model = 'prices') => on.open(`/projects/default/models/${model}${view}`);

  test('show the quality of numbers and of classes, and of another version', async () => {
    const look = await openModel();
    const { page } = look;
    for (const title of ['Predicted and actual values', 'Confidence and coverage']) {
      await page.getByRole('img', { name: title }).waitFor();
    }
    await page.getByText('Show the numbers').first().click();
    await page.getByRole('columnheader', { name: 'Standard deviation' }).waitFor();
    await expectGoodViewInEachWindow(look);

    await goTo(page, '/projects/default/models/prices?version=1', 'prices');
    await page.getByText('This is version 1. Version 2 answers predictions.').waitFor();

    await goTo(page, '/projects/default/models/leavers', 'leavers');
    await page.getByRole('img', { name: 'Confusion matrix' }).waitFor();
    await page.locator('.bar-name', { hasText: '<i>yes</i>' }).first().waitFor();
    await page.getByText(/It finds \d+ of \d+ rows of “.*”, with \d+ false alarms?\. Its AUC/).waitFor();
    await expectGoodViewInEachWindow(look);
  });

  test('list the rows that a model misses by most, and why', async () => {
    const look = await openModel();
    const { page } = look;
    const table = page.getByRole('region', { name: 'The rows that it misses by most' }).locator('tbody tr');
    await table.first().waitFor();
    expect(await table.count()).toBe(10);
    expect(await table.first().textContent()).toMatch(/ (adds|takes off) /);
    await page.getByRole('button', { name: 'Show all 50 rows' }).press('Enter');
    await expect.poll(() => table.count()).toBe(50);
    await table.first().getByRole('button').press('Enter');
    await page.getByRole('dialog').getByText('With all columns').waitFor();
    await expectGoodViewInEachWindow(look);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('show what a threshold finds, moved by keyboard, and how narrow a matrix may be', async () => {
    const { page } = await openModel('', 'leavers');
    await page.getByLabel('Rows of <b>left</b> to find').selectOption('no');
    const model = await answered(
      on.roster.GET('/api/projects/{projectName}/models/{modelName}', {
        params: { path: { projectName: 'default', modelName: 'leavers' } },
      }),
    );
    const measured = model.task === 'classification' ? model.metrics?.by_class : undefined;
    const no = measured?.find((one) => one.class === 'no');
    const { probability = [], caught = [], false_alarms: alarms = [] } = no?.thresholds ?? {};
    const slider = page.getByRole('slider', { name: 'Least probability' });
    await focusByKeyboard(page, slider);
    for (const [key, place] of [
      ['Home', 0],
      ['ArrowRight', 1],
      ['End', probability.length - 1],
    ] as const) {
      await page.keyboard.press(key);
      const found = `finds ${caught[place]} of ${no?.rows} rows of “no”, ${alarms[place]} false alarm`;
      await expect
        .poll(() => page.getByRole('status').allTextContents())
        .toContainEqual(expect.stringContaining(found));
      expect(await slider.getAttribute('aria-valuetext')).toContain(found);
    }
    const cell = await page.locator('.matrix-cell').first().boundingBox();
    expect(cell?.width).toBeLessThanOrEqual(110);
  });

  test('write every number as the browser does, in Latin digits', async () => {
    const view = '/projects/default/models/prices';
    for (const [locale, form, other, money] of [
      ['de-DE', /\d,\d|\d\.\d{3}/, /(?<!\.)\d\.\d{1,2}(?![\d.])/, /^\d\.\d{3}(,\d+)?\u00a0€$/],
      ['ar-EG', /\d\.\d|\d,\d{3}/, /[\u0660-\u0669]/, /\d,\d{3}(\.\d+)?\u00a0€/],
    ] as const) {
      const look = await openConsole(on.browser, on.server.url, view, { locale });
      const { page } = look;
      const bar = page.locator('.headline .bar-value').first();
      await expect.poll(() => bar.textContent()).toMatch(/^\d/);
      const own = await bar.textContent();
      // The sentence beside the bar has the same figure.
      await expect.poll(() => page.locator('.summary').textContent()).toContain(`off by ${own} on average`);
      const shown = await page.locator('main').innerText();
      expect(shown).toMatch(form);
      expect(shown).not.toMatch(other);
      // Amounts have the unit of their table, where the locale has units.
      await goTo(page, '/projects/default/models/fees/try', 'fees');
      const amount = page.locator('.answer-value', { hasText: '€' });
      await expect.poll(() => amount.textContent()).toMatch(money);
      await page.getByRole('img', { name: 'fee by hours' }).locator('text', { hasText: 'fee (€)' }).waitFor();
      await page.context().close();
    }
  });

  test('hand on their quality as a page, a picture and a text that need no service', async () => {
    const look = await openModel('', 'leavers');
    const { page } = look;
    await page.getByRole('link', { name: 'Share or print' }).click();
    const download = async (act: () => Promise<unknown>) => {
      const [file] = await Promise.all([page.waitForEvent('download'), act()]);
      return readFile(await file.path());
    };
    const html = await download(() => page.getByRole('button', { name: 'Download HTML' }).click());
    const plots = page.getByLabel('Download a plot as PNG');
    const png = await download(() => plots.selectOption('Importance of columns'));
    const text = await download(() => page.getByRole('button', { name: 'Download Markdown' }).click());
    await expectGoodViewInEachWindow(look);

    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.length).toBeGreaterThan(5_000);
    expect(text.toString()).toMatch(/^# Quality of leavers\n/);
    expect(text.toString()).toContain('| age | +');
    expect(text.toString()).toContain('\\<img src=x');

    const context = await on.browser.newContext({ javaScriptEnabled: false });
    context.setDefaultTimeout(WAIT_MS);
    const alone = await context.newPage();
    const asked: string[] = [];
    alone.on('request', (request) => asked.push(request.url()));
    await alone.setContent(html.toString());
    await alone.getByRole('heading', { level: 1, name: 'Quality of leavers' }).waitFor();
    await alone.getByRole('img', { name: 'Confusion matrix' }).waitFor();
    await alone.locator('.bar-name', { hasText: LONG_NAME }).waitFor();
    expect(html.toString()).not.toMatch(/<script|<button|https?:\/\/(?!www\.w3\.org)/);
    expect(asked).toEqual([]);
    await context.close();
  });

  test('predict a row while it is typed, and share it by its address', async () => {
    const look = await openModel('/try');
    const { page } = look;
    const value = page.locator('.answer-value');
    await expect.poll(() => value.textContent()).toMatch(/\d/);
    const before = await value.textContent();
    // It begins with a row of the table, whose values occur together.
    const shown = await Promise.all(
      ['carat', 'cut', 'color'].map((name) => page.getByLabel(name, { exact: true }).inputValue()),
    );
    expect(fewDiamonds.replaceAll('Ideal', 'Perfect')).toContain(`\n${shown.join(',')},`);

    await focusByKeyboard(page, page.getByLabel('carat', { exact: true }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('0.23');
    await expect.poll(() => page.url()).toContain('carat=0.23');

    const shared = await openConsole(on.browser, on.server.url, new URL(page.url()).hash.slice(1));
    // The pages show the rows that were half typed before, or the first one.
    const both = [value, shared.page.locator('.answer-value')];
    await expect
      .poll(() => Promise.all(both.map((shown) => shown.textContent())))
      .toSatisfy(([typed, opened]) => typed === opened && typed !== before);
    await shared.page.context().close();

    await page.keyboard.press('Control+a');
    await page.keyboard.type('9000');
    await page.getByText('Far outside the range of the training table.').waitFor();
    await page.getByText('This confidence does not hold here.').waitFor();
    // The contributions stand beside it, as text too.
    await page.getByRole('heading', { name: 'Why this prediction?' }).waitFor();
    await page.locator('.why .bar-name', { hasText: 'carat = 9000' }).waitFor();
    // The values of a plot are read by keyboard.
    await page.getByRole('slider', { name: 'Values of price by carat' }).press('ArrowRight');
    await page.locator('.mark-values', { hasText: / to / }).waitFor();
    const wider = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/predict'));
    await page.getByLabel('95%').check();
    await wider.asked;
    // The prediction that is shown keeps the confidence that was asked for.
    expect(await page.getByRole('region', { name: 'Prediction' }).innerText()).not.toContain('too few rows');
    await wider.letThrough();
    await page.getByText('With 95% confidence').waitFor();
    await page.getByRole('img', { name: 'price by carat' }).waitFor();
    await expectGoodViewInEachWindow(look);

    // Another version begins to serve while the one before it is asked.
    const late = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/predict'));
    await page.getByLabel('90%').check();
    await late.asked;
    const serve = (version: number) =>
      answered(
        on.roster.PUT('/api/projects/{projectName}/models/{modelName}/serving', {
          params: { path: { projectName: 'default', modelName: 'prices' } },
          body: { serving: { version } },
        }),
      );
    await serve(1);
    const next = page.waitForRequest(/\/models\/prices\.1\/predict/);
    const reloaded = page.waitForResponse(/\/models\/prices\?version=1$/);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await reloaded;
    // The page asks once its values rest.
    await page.waitForTimeout(500);
    await late.letThrough();
    await next;
    await serve(2);

    await goTo(page, '/projects/default/models/leavers/try', 'leavers');
    await page.getByText(/The probability of this class is \d+%/).waitFor();
    await page.getByLabel('Column to vary').selectOption(LONG_NAME);
    await page.getByRole('heading', { name: `by ${LONG_NAME}` }).waitFor();
    await expectGoodViewInEachWindow(look);
  });

  test('compare versions, choose which one serves, and delete one', async () => {
    const look = await openModel('/versions');
    const { page } = look;
    await page
      .getByRole('cell', { name: /Version [12], by|equal/ })
      .first()
      .waitFor();
    await expectGoodViewInEachWindow(look);

    await page.getByRole('button', { name: 'Make version 1 serve' }).click();
    await page.getByText('Version 1 now answers predictions.').waitFor();
    await page.getByRole('button', { name: 'Make version 2 serve' }).waitFor();

    await page.getByLabel('When a new version is ready').selectOption('manual');
    await page.getByText('Version 2 is ready, and waits for your approval.').waitFor();
    await expectGoodViewInEachWindow(look);

    // It still waits while a later version is trained, and after that has failed.
    await startSlowTraining('prices');
    await page.reload();
    await page.getByRole('progressbar', { name: 'Training version 3' }).waitFor();
    await page.getByText('Version 2 is ready, and waits for your approval.').waitFor();
    await page.getByRole('button', { name: 'Cancel the training' }).click();
    await page.getByText('Version 3 was not trained.').waitFor();
    await page.getByText('Version 2 is ready, and waits for your approval.').waitFor();
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Serve version 2', exact: true }).click();
    await page.getByText('waits for your approval').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Make version 1 serve' }).click();
    await page.getByRole('button', { name: 'Make version 2 serve' }).waitFor();

    // Someone else makes the other version serve in the meantime.
    await answered(
      on.roster.PUT('/api/projects/{projectName}/models/{modelName}/serving', {
        params: { path: { projectName: 'default', modelName: 'prices' } },
        body: { serving: { version: 2 } },
      }),
    );
    const row = page.getByRole('row', { name: /Version 2/ });
    await row.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete version 2?' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Version in use.').waitFor();
    await expectGoodView(look);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.reload();
    await page
      .getByRole('row', { name: /Version 1/ })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Version 1' }).waitFor({ state: 'detached' });
  });

  test('take a deletion back for ten seconds, and sort the models that are left', async () => {
    const look = await openModel('', 'fees');
    const { page } = look;
    await page.getByRole('button', { name: 'Delete the model fees' }).click();
    // The first press of Enter deletes nothing.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The model fees will be deleted in ten seconds.').waitFor();
    const names = () => page.locator('.card h2').allTextContents();
    await expect.poll(async () => (await names()).toSorted()).toEqual(['leavers', 'prices']);
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByLabel('Order').selectOption('By name');
    await expect.poll(names).toEqual(['fees', 'leavers', 'prices']);
    expect(await answered(on.roster.GET('/api/projects/{projectName}/models', inDefault))).toHaveLength(3);
  });

  test('take a deletion back by keyboard, delete when the page is closed, and before the name is trained again', async () => {
    const table = hundredLines('x,y', (row) => `${row % 9},${row}`);
    const status = async (modelName: string) => {
      const params = { path: { projectName: 'default', modelName } };
      return (await on.roster.GET('/api/projects/{projectName}/models/{modelName}', { params })).response.status;
    };
    const remove = async (page: Page, name: string) => {
      await pressByKeyboard(page, `Delete the model ${name}`);
      await page.getByRole('dialog').waitFor();
      await pressByKeyboard(page, 'Delete');
      const said = `The model ${name} will be deleted in ten seconds.`;
      await page.getByText(said).waitFor();
      expect(await page.getByRole('status').filter({ hasText: said }).count()).toBe(1);
    };
    const first = await train('passing', 'y', table);
    const { page } = await openConsole(on.browser, on.server.url, '/projects/default/models/passing');
    await remove(page, 'passing');
    await pressByKeyboard(page, 'Undo');
    await page.getByRole('heading', { level: 2, name: 'passing' }).waitFor();
    expect(await status('passing')).toBe(200);

    // The name is free before a table is sent under it.
    await goTo(page, '/projects/default/models/passing', 'passing');
    await remove(page, 'passing');
    await goTo(page, '/projects/default/models/~new', 'Train a model');
    await chooseFile(page, { name: 'passing.csv', content: table });
    // Cancelled before it is free, the table is not sent.
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent += 1;
    });
    const deletion = await holdAnswer(page, ({ pathname }) => pathname.endsWith('/models/passing'));
    await pressByKeyboard(page, 'Train');
    await deletion.asked;
    await pressByKeyboard(page, 'Cancel');
    await deletion.letThrough();
    await expect.poll(() => status('passing')).toBe(404);
    expect(sent).toBe(0);
    await pressByKeyboard(page, 'Train');
    await page.getByRole('heading', { level: 1, name: 'passing' }).waitFor();
    expect(sent).toBe(1);
    const second = await settled(on.roster, { projectName: 'default', modelName: 'passing' });
    expect(second).toMatchObject({ version: 1, status: 'ready' });
    expect(second.id).not.toBe(first.id);

    await goTo(page, '/projects/default/models/passing', 'passing');
    await remove(page, 'passing');
    expect(await status('passing')).toBe(200);
    await page.close({ runBeforeUnload: false });
    await expect.poll(() => status('passing')).toBe(404);
  });

  test('rename and describe a model, and keep its view', async () => {
    const look = await openModel('/predict', 'fees');
    const { page } = look;
    await page.getByRole('button', { name: 'Rename or describe' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('fees');
    await dialog.getByLabel('Name').fill('prices');
    await expectGoodViewInEachWindow(look);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('There is already a model named "prices"').waitFor();
    await dialog.getByLabel('Name').fill('hourly_fees');
    await dialog.getByLabel('Description').fill('What an hour costs');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'hourly_fees' }).waitFor();
    await page.getByText('What an hour costs').waitFor();
    expect(new URL(page.url()).hash).toBe('#/projects/default/models/hourly_fees/predict');
    await goTo(page, '/projects/default/models', 'Models');
    await page.locator('.card', { hasText: 'What an hour costs' }).getByText('hourly_fees').waitFor();
    await expectGoodViewInEachWindow(look);
  });

  test('follow a training, and say when the model is gone', async () => {
    await startSlowTraining('slow');
    const look = await openModel('', 'slow');
    const { page } = look;
    await page.getByRole('progressbar', { name: 'Training version 1' }).waitFor();
    await expectGoodViewInEachWindow(look);
    await on.roster.DELETE('/api/projects/{projectName}/models/{modelName}', {
      params: { path: { projectName: 'default', modelName: 'slow' } },
    });
    // The page finds out while it waits for the training, and when someone comes back to it.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('This model does not exist.').waitFor();
    await expectGoodView(look);
  });
});
