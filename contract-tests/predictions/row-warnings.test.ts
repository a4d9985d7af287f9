/** Tests the warnings of rows to predict, against the server alone. */
import { tableFromIPC } from 'apache-arrow';
import { rowWarnings } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { oneDiamond, someDiamonds } from '../../testkit/data/diamonds.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { ownProject, readObject, roster, send, sendJson } from '../target.js';

const PREDICT = '/api/projects/{projectName}/models/{modelName}/predict';

let path: { projectName: string; modelName: string };
beforeAll(async () => {
  path = { projectName: await ownProject(), modelName: 'prices' };
  await trainPrices(roster, path);
});

const address = () => `/api/projects/${path.projectName}/models/prices/predict`;

async function warningsOf(body: unknown[]) {
  const { response } = await roster.POST(PREDICT, { params: { path }, body });
  expect(response.status).toBe(200);
  return rowWarnings(response);
}

describe('Row-Warnings', () => {
  test('is not sent where there is nothing to tell', async () => {
    const { response } = await roster.POST(PREDICT, { params: { path }, body: [oneDiamond] });
    expect(response.headers.has('Row-Warnings')).toBe(false);
  });

  test('lists each name once, with how many rows had it and the nearest column', async () => {
    const { color, ...rest } = oneDiamond;
    const rows = [...Array(300).keys()].map((index) =>
      index % 2 ? { ...rest, colour: color, 'größe "1"': 1 } : { ...oneDiamond, Carat: 1 },
    );
    expect(await warningsOf(rows)).toEqual({
      warnings: [
        { kind: 'unknown-name', name: 'Carat', rows: 150, nearest: 'carat' },
        { kind: 'unknown-name', name: 'colour', rows: 150, nearest: 'color' },
        { kind: 'unknown-name', name: 'größe "1"', rows: 150, nearest: null },
      ],
      more: 0,
    });
  });

  test('counts rows without a column, new categories and numbers far outside the range', async () => {
    const rows = [oneDiamond, {}, 7, { ...oneDiamond, cut: 'Heart' }, { ...oneDiamond, carat: 300 }];
    expect((await warningsOf(rows)).warnings).toEqual([
      { kind: 'no-column', name: null, rows: 2, nearest: null },
      { kind: 'out-of-range', name: 'carat', rows: 1, nearest: null },
      { kind: 'new-category', name: 'cut', rows: 1, nearest: null },
    ]);
  });

  test('has at most 20 members and 4 KiB, whatever the names', async () => {
    for (const name of ['x', '💎'.repeat(400), '"\\%\r\n\0'.repeat(30), '__proto__']) {
      const keys = [...Array(100).keys()].map((index) => `${index}${name}`);
      const row = Object.fromEntries(keys.map((key) => [key, 1]));
      const { response } = await roster.POST(PREDICT, { params: { path }, body: [row] });
      const field = response.headers.get('Row-Warnings') ?? '';
      expect(field).toMatch(/^[ -~]{10,4096}$/);
      const { warnings, more } = rowWarnings(response);
      expect(warnings.length).toBeGreaterThan(1);
      expect(warnings.length + more).toBe(101);
      expect(warnings.length).toBeLessThanOrEqual(20);
    }
  });
});

describe('warnings=true', () => {
  const { cut: _, ...uncut } = oneDiamond;
  const rows = [
    ...Array.from({ length: 40 }, (_, row) => (row % 2 ? { ...oneDiamond, carat: 0.777 } : oneDiamond)),
    { ...oneDiamond, carat: 'n/a', cut: 'Heart' },
    { ...uncut, carat: 300 },
    {},
  ];
  const own = Array.from({ length: 40 }, (_, row) => (row % 2 ? null : 'trained-on'));
  const odd = ['carat: missing; cut: new-category', 'cut: missing; carat: out-of-range'];

  test.each(['', '&rows=lean&explain=true'])(
    'reports for each row whether the model was trained on it and what is unlike the table, in every format%s',
    async (more) => {
      const query = `?warnings=true${more}`;
      const json = await sendJson('POST', `${address()}${query}`, rows);
      const answered: { price_warnings: string | null }[] = JSON.parse(await json.text());
      const reported = answered.map(({ price_warnings }) => price_warnings);
      expect(reported.slice(0, 42)).toEqual([...own, ...odd]);
      expect(reported[42]).toMatch(/^carat: missing; cut: missing; /);

      const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      const ndjson = { 'Content-Type': 'application/x-ndjson' };
      const lines = await send(`${address()}${query}`, { method: 'POST', headers: ndjson, body });
      const texts = (await lines.text()).trim().split('\n').slice(0, rows.length);
      expect(texts.map((text) => JSON.parse(text).price_warnings)).toEqual(reported);

      const headers = { ...ndjson, Accept: 'text/csv' };
      const csv = await send(`${address()}${query}`, { method: 'POST', headers, body });
      const [head = '', ...records] = (await csv.text()).trim().split('\r\n');
      const at = head.split(',').indexOf('price_warnings');
      expect(records.slice(38, 42).map((record) => record.split(',')[at])).toEqual(
        reported.slice(38, 42).map((text) => text ?? ''),
      );

      const arrow = { ...ndjson, Accept: 'application/vnd.apache.arrow.file' };
      const file = await send(`${address()}${query}`, { method: 'POST', headers: arrow, body });
      const column = tableFromIPC(new Uint8Array(await file.arrayBuffer())).getChild('price_warnings');
      expect([...(column ?? [])]).toEqual(reported);
    },
  );

  test('is for rows, and for models without a column of that name', async () => {
    const taken = { projectName: path.projectName, modelName: 'taken' };
    const table = someDiamonds(100).replace(/\bcolor\b/, 'price_warnings');
    await trainPrices(roster, taken, table);
    const model = `/api/projects/${path.projectName}/models/taken/predict`;
    const refused = await sendJson('POST', `${model}?warnings=true`, rows);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/query/warnings' }] });
    const lines = await send(`${model}?warnings=true`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: JSON.stringify(oneDiamond),
    });
    expect(lines.status).toBe(400);
    expect((await sendJson('POST', model, rows)).status).toBe(200);
  });
});

describe('a name of a table', () => {
  test('means the same in its header, in a row of JSON and in the address', async () => {
    const table = someDiamonds(100)
      .replace('carat', '\uFEFF carat ')
      .replace(/\bprice\b/, 'sale price');
    const model = `/api/projects/${path.projectName}/models/spaced`;
    const trained = await send(`${model}?target=%20sale+price`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      body: table,
    });
    expect(trained.status).toBe(202);
    expect(await trained.json()).toMatchObject({ target: 'sale price' });
    await expect.poll(async () => (await send(model)).json()).toMatchObject({ status: 'ready' });
    const answers = [];
    for (const row of [
      { carat: 0.7, 'sale price': 2757 },
      { ' carat ': 0.7, '\uFEFFsale price': 2757 },
    ]) {
      const response = await sendJson('POST', `${model}/predict`, [row]);
      expect(response.headers.has('Row-Warnings')).toBe(false);
      answers.push(await response.json());
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject([{ carat: 0.7, 'sale price_original': 2757 }]);
  });
});

describe('unknown=refuse', () => {
  test('points at the first row of each name, in an array and under data', async () => {
    const rows = [oneDiamond, { ...oneDiamond, 'a/b~': 1 }, { 'a/b~': 2, colour: 'G' }];
    for (const [body, at] of [
      [rows, '/body'],
      [{ data: rows }, '/body/data'],
    ] as const) {
      const response = await sendJson('POST', `${address()}?unknown=refuse`, body);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        type: '/problems/unknown-names',
        errors: [
          { pointer: `${at}/1/a~1b~0`, name: 'a/b~', nearest: null, rows: 2 },
          { pointer: `${at}/2/colour`, name: 'colour', nearest: 'color', rows: 1 },
        ],
      });
    }
  });

  test('answers rows whose names are known, whatever else there is to tell', async () => {
    const rows = [oneDiamond, { ...oneDiamond, cut: 'Heart' }, { select_data_query: 1 }];
    const response = await sendJson('POST', `${address()}?unknown=refuse`, rows);
    expect(response.status).toBe(200);
    expect(rowWarnings(response).warnings.map(({ kind }) => kind)).toEqual(['no-column', 'new-category']);
  });

  test('lists a hundred names at most', async () => {
    const row = Object.fromEntries([...Array(300).keys()].map((index) => [`n${index}`, 1]));
    const response = await sendJson('POST', `${address()}?unknown=refuse`, [row]);
    const { detail, errors } = await readObject(response);
    expect(errors).toHaveLength(100);
    expect(detail).toContain('more than 100 names');
  });
});
