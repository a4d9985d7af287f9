/** Tests of the meaning of texts of numbers and dates: in models, by parameters, and for rows and truths. */
import { answered, type Model } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { writePercents } from '../../testkit/data/workbooks.js';
import { settled } from '../../testkit/service/train-prices.js';
import { effortOf } from '../sent-tables.js';
import { ownProject, roster, send } from '../target.js';
import { addTruths, listIds, NONE, predictRows, type Rows, trainRows } from './promised-rows.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';
const PREVIEW = '/api/projects/{projectName}/tables/preview';

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

const group = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** Sales as a spreadsheet of the United States writes them. */
const SALES = Array.from({ length: 120 }, (_, row) => ({
  visits: group(20 * row),
  sold_on: `${1 + (row % 12)}/${1 + (row % 28)}/${20 + (row % 5)}`,
  sales: group(50 * row + ((row * 37) % 11)),
}));

const csv = (rows: Rows) =>
  [
    Object.keys(rows[0] ?? {}).join(','),
    ...rows.map((row) =>
      Object.values(row)
        .map((cell) => `"${cell}"`)
        .join(','),
    ),
  ].join('\n');

type Query = Omit<NonNullable<Parameters<typeof roster.PUT<typeof ONE>>[1]>['params']['query'], 'target'>;

function put(modelName: string, rows: Rows, query: Query = {}, target = 'sales') {
  return roster.PUT(ONE, {
    params: { path: { projectName, modelName }, query: { target, ...effortOf(query), ...query } },
    headers: { 'Content-Type': 'text/csv' },
    body: csv(rows),
  });
}

async function train(modelName: string, rows: Rows, query: Query = {}): Promise<Model> {
  return settled(roster, { projectName, modelName }, await answered(put(modelName, rows, query)));
}

const commas = { kind: 'number', unit: null, decimal: '.', group: ',', decided_by: 'values' };

describe('a model of texts', () => {
  let model: Model;
  const address = () => `/api/projects/${projectName}/models/sales`;
  beforeAll(async () => {
    model = await train('sales', SALES);
  });

  test('says how it reads them, and so does a preview', async () => {
    const columns = [
      { name: 'visits', kind: 'number', reading: commas },
      { kind: 'date', reading: { kind: 'date', order: 'month-first', decided_by: 'values' } },
    ];
    expect(model).toMatchObject({ target_reading: commas, columns });
    const preview = await roster.POST(PREVIEW, {
      params: { path: { projectName } },
      headers: { 'Content-Type': 'text/csv' },
      body: csv(SALES),
    });
    expect(preview.data?.columns).toMatchObject([...columns, { kind: 'number', reading: commas }]);
  });

  test('warns of rows that contradict them', async () => {
    const rows = [{ visits: '1,200' }, { visits: '1,5' }, { visits: '1.200,5' }];
    const response = await send(`${address()}/predict`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(rows),
    });
    const answer: { sales: number }[] = Object(await response.json());
    expect(response.headers.get('Row-Warnings')).toBe('unreadable;rows=2;name="visits"');
    const [typed] = await predictRows(address(), '', [{ visits: 1200 }]);
    expect(answer[0]?.sales).toBe(typed?.['sales']);
  });

  test('meets truths that are written as its table, and lists those that are not', async () => {
    const rows = Array.from({ length: 3 }, (_, row) => ({ visits: group(400 * row) }));
    const ids = listIds(await predictRows(address(), 'remember=true', rows));
    const truths = ['1,500', '1.500,5', '(1,500)'].map((sales, row) => ({ __service_row_id: ids[row] ?? '', sales }));
    expect(await addTruths(address(), truths)).toMatchObject({
      matched: 2,
      unmatched: 1,
      unmatched_rows: [{ row: 2, reason: 'not-a-number' }],
    });
    const typed = [{ __service_row_id: ids[0] ?? '', sales: 1500 }];
    expect(await addTruths(address(), typed)).toEqual({ ...NONE, unchanged: 1 });
  });
});

describe('texts that have two meanings', () => {
  const rows = Array.from({ length: 120 }, (_, row) => ({
    weight: `${1 + (row % 9)},${111 + (row % 7)}`,
    arrived: `0${1 + (row % 9)}/0${1 + (row % 7)}/2025`,
    ripe: String(row % 5),
    sales: String(row),
  }));

  test('stay categories, and say why', async () => {
    const { columns } = await train('undecided', rows);
    expect(columns).toMatchObject([
      { kind: 'category', reading: { kind: 'undecided', reason: expect.stringMatching(/line 2/) } },
      { kind: 'category', reading: { reason: expect.stringMatching(/^looks like dates/) } },
      { kind: 'number', reading: null },
    ]);
    const { error } = await put('refused', rows, {}, 'weight');
    expect(error).toMatchObject({
      status: 422,
      errors: [{ column: 'weight', message: expect.stringMatching(/thousands or decimals.*decimal=/) }],
    });
  });

  test('mean what the parameters of the training say', async () => {
    const { columns } = await train('decided', rows, { decimal: ',', date_order: 'day-first' });
    expect(columns).toMatchObject([
      { kind: 'number', min: 1.111, reading: { decimal: ',', decided_by: 'parameters' } },
      { kind: 'date', reading: { order: 'day-first', decided_by: 'parameters' } },
      { kind: 'number' },
    ]);
    const grouped = await train('decided', rows, { group: ',', decimal_comma: ['weight'] });
    expect(grouped.columns?.[0]).toMatchObject({ min: 1.111 });
    const points = await train('decided', rows, { decimal_point: ['weight'] });
    expect(points.columns?.[0]).toMatchObject({ min: 1111, reading: { group: ',' } });
    const { data } = await roster.POST(PREVIEW, {
      params: { path: { projectName }, query: { decimal: ',' } },
      headers: { 'Content-Type': 'text/csv' },
      body: csv(rows),
    });
    expect(data?.columns[0]).toMatchObject({ kind: 'number', reading: { decimal: ',' } });
  });

  test.each<[Query, number, string]>([
    [{ decimal: ',', group: ',' }, 400, '/query/group'],
    [{ decimal_comma: ['weight'], decimal_point: ['weight'] }, 400, '/query/decimal_comma'],
    [{ decimal_comma: ['weight'], as_category: ['weight'] }, 400, '/query/decimal_comma'],
    [{ decimal_comma: ['wait'] }, 422, 'which decimal_comma names'],
  ])('refuse %j', async (query, status, at) => {
    const { error, response } = await put('refused', rows, query);
    expect(response.status).toBe(status);
    expect(JSON.stringify(error)).toContain(at);
  });
});

describe('ids', () => {
  let address: string;
  beforeAll(async () => {
    const rows = Array.from({ length: 60 }, (_, x) => ({ x, y: 3 * x }));
    address = await trainRows(projectName, 'ids', 'target=y', rows);
  });

  test('keep their digits as texts, and are refused as numbers that lose them', async () => {
    const ids = ['9007199254740993', '9007199254740992'];
    const query = 'remember=true&id=ref';
    const promised = await predictRows(
      address,
      query,
      ids.map((ref, x) => ({ ref, x })),
      ['csv', 'json'],
    );
    expect(promised).toHaveLength(2);
    const truths = ids.map((ref) => `{"ref":"${ref}","y":1}`);
    const add = (body: string) =>
      send(`${address}/actuals?id=ref`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect(await (await add(`[${truths}]`)).json()).toEqual({ ...NONE, matched: 2 });
    const lost = await add('[{"ref":9007199254740993,"y":2}]');
    expect(lost.status).toBe(400);
    expect(await lost.json()).toMatchObject({
      errors: [{ pointer: '/query/id', message: expect.stringContaining('send the column as texts') }],
    });
    const asked = await send(`${address}/predict?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '[{"ref":9007199254740993,"x":1}]',
    });
    expect(asked.status).toBe(400);
  });

  test('are the same with and without decimals', async () => {
    await predictRows(address, 'remember=true&id=ref', [
      { ref: 7, x: 1 },
      { ref: '8.0', x: 2 },
    ]);
    const truths = [
      { ref: '7.0', y: 1 },
      { ref: 8, y: 2 },
    ];
    expect(await addTruths(address, truths, { query: '?id=ref' })).toEqual({ ...NONE, matched: 2 });
  });
});

describe('series', () => {
  const two = (number: number) => String(number).padStart(2, '0');
  const dayOf = (row: number) => new Date(Date.UTC(2021, 0, 1 + row));
  const forms: [string, (row: number) => string, string][] = [
    ['day first', (row) => `${two(dayOf(row).getUTCDate())}/${two(dayOf(row).getUTCMonth() + 1)}/2021`, '2021-04-15'],
    ['year first', (row) => dayOf(row).toISOString().slice(0, 10).replaceAll('-', '/'), '2021-04-15'],
    ['quarters', (row) => `${1991 + Math.floor(row / 4)}-Q${1 + (row % 4)}`, '2017-Q1'],
    ['weeks', (row) => `${2018 + Math.floor(row / 52)}-W${two(1 + (row % 52))}`, '2020-W01'],
  ];

  test.each(forms)('may be ordered by dates: %s', async (name, write, next) => {
    const rows = Array.from({ length: 104 }, (_, row) => ({
      when: write(row),
      sales: 100 + 10 * (row % 7) + ((row * 37) % 11),
    }));
    const query = 'target=sales&order_by=when&horizon=3';
    const model = name.replace(' ', '_');
    const address = await trainRows(projectName, model, query, rows);
    const [first] = await predictRows(address, 'remember=true', []);
    expect(first).toMatchObject({ when: next });
    // Asked for and met in the form of the table.
    const asked = await predictRows(address, '', [{ when: write(104) }]);
    expect(asked[0]?.['sales']).toBe(first?.['sales']);
    expect(await addTruths(address, [{ when: write(104), sales: 130 }])).toEqual({ ...NONE, matched: 1 });
  });

  test('may have local times whose offset changes', async () => {
    const rows = Array.from({ length: 120 }, (_, row) => ({
      when: row < 60 ? `${hour(row + 1)}+01:00` : `${hour(row + 2)}+02:00`,
      sales: 100 + 10 * (row % 24),
    }));
    const query = 'target=sales&order_by=when&horizon=3';
    const address = await trainRows(projectName, 'hours', query, rows);
    const [first] = await predictRows(address, '', []);
    expect(first).toMatchObject({ when: '2021-03-31T00:00:00Z' });
  });

  const hour = (row: number) => new Date(Date.UTC(2021, 2, 26, row)).toISOString().slice(0, 19);

  test('are refused if the order of their dates is ambiguous', async () => {
    const rows = Array.from({ length: 60 }, (_, row) => ({
      when: `0${1 + (row % 9)}/0${1 + (row % 8)}/${1990 + row}`,
      sales: row,
    }));
    const query = { order_by: 'when', horizon: 2 } as const;
    const { error } = await put('refused', rows, query);
    expect(error).toMatchObject({
      status: 422,
      errors: [{ column: 'when', message: expect.stringMatching(/looks like dates .*date_order=/) }],
    });
  });
});

test('true values that a workbook shows as percentages are those of texts with the unit', async () => {
  const rows = Array.from({ length: 80 }, (_, x) => ({ x, share: `${x}.5%` }));
  const address = await trainRows(projectName, 'shares', 'target=share', rows);
  await predictRows(address, 'remember=true&id=ref', [{ ref: 7, x: 29 }]);
  const add = async (type: string, body: Uint8Array | string) => {
    const headers = { 'Content-Type': type };
    const response = await send(`${address}/actuals?id=ref`, {
      method: 'POST',
      headers,
      body: new Uint8Array(Buffer.from(body)),
    });
    return response.json();
  };
  expect(await add('text/csv', 'ref,share\n7,29%\n')).toEqual({ ...NONE, matched: 1 });
  // The id, which is shown as 700 %, is no share.
  const sheet = writePercents(['ref', 'share'], [[7, 0.29]]);
  const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  expect(await add(xlsx, sheet)).toEqual({ ...NONE, unchanged: 1 });
});
