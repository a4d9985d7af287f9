/** Models that forecast series, from the table to the answer. Against the server alone. */
import { answered, MEDIA_TYPES, type Model } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { toColumns, writeFile } from '../../testkit/data/table-files.js';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send, sendJson } from '../target.js';

type Row = Record<string, unknown>;
type ForecastModel = Extract<Model, { task: 'forecast' }>;

function asRow(value: unknown): Row {
  return Object.fromEntries(Object.entries(Object(value)));
}

const ONE = '/api/projects/{projectName}/models/{modelName}';
const LINES = 'application/x-ndjson';

let projectName: string;
let project: string;
beforeAll(async () => {
  projectName = await ownProject();
  project = `/api/projects/${projectName}/models`;
  await train('sales', salesCsv, 'order_by=month&group_by=store&horizon=6&known=promotion');
});

const monthAt = (index: number) => `${2015 + Math.floor(index / 12)}-${String(1 + (index % 12)).padStart(2, '0')}`;

/** Sales of three stores in 60 months, with a season and a promotion now and then. */
const sales = ['A', 'B', 'C'].flatMap((store, place) =>
  Array.from({ length: 60 }, (_, index) => {
    const promotion = (index * 7 + place) % 5 === 0 ? 1 : 0;
    const season = 20 * Math.sin((index * Math.PI) / 6);
    const noise = ((index * 7919 + place * 104729) % 13) - 6;
    return {
      month: monthAt(index),
      store,
      promotion,
      sales: 100 * (place + 1) + index + season + 30 * promotion + noise,
    };
  }),
);

function csvOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => row[name] ?? '').join(','));
  return `${[names.join(','), ...lines].join('\n')}\n`;
}

const salesCsv = csvOf(sales);

function put(name: string, csv: string, query: string): Promise<Response> {
  return send(`${project}/${name}?target=sales&${query}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: csv,
  });
}

async function train(name: string, csv: string, query: string): Promise<ForecastModel> {
  const response = await put(name, csv, query);
  if (response.status !== 202) throw new Error(await response.text());
  const model = await settled(roster, { projectName, modelName: name });
  if (model.task !== 'forecast' || model.status !== 'ready') throw new Error(model.failure ?? '');
  return model;
}

async function refusal(csv: string, query: string) {
  const response = await put('refused', csv, query);
  const problem = asRow(await response.json());
  return { status: response.status, errors: problem['errors'] };
}

function post(rows: unknown, query = '', name = 'sales'): Promise<Response> {
  return sendJson('POST', `${project}/${name}/predict${query}`, rows);
}

async function forecasts(rows: unknown, query = '', name = 'sales'): Promise<Row[]> {
  const response = await post(rows, query, name);
  if (response.status !== 200) throw new Error(await response.text());
  const answer: unknown = JSON.parse(await response.text());
  return Array.isArray(answer) ? answer.map(asRow) : [];
}

const stepOf = (row: Row | undefined) => JSON.parse(String(row?.['sales_explain'])).step;

/** Hours that are busy by day, and less at weekends. */
function hoursCsv(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const byDay = 40 * Math.sin((2 * Math.PI * at) / 24) * (Math.floor(at / 24) % 7 < 5 ? 1 : 0.1);
    return { hour: new Date(Date.UTC(2025, 0, 6, at)).toISOString(), sales: 100 + byDay + ((at * 7919) % 5) };
  });
  return csvOf(rows);
}

describe('series of several seasons', () => {
  test('say which of them were found, and are forecast by all', async () => {
    const model = await train('hours', hoursCsv(4 * 168), 'order_by=hour&horizon=3');
    expect(model.metrics?.seasons).toMatchObject([
      { length: 24, series_share: 1 },
      { length: 168, series_share: 1 },
    ]);
    const [, week] = model.metrics?.seasons ?? [];
    expect(week?.strength).toBeGreaterThan(0.5);
    expect(model.metrics?.errors.mae).toBeLessThanOrEqual(1.01 * (week?.repeat_errors.mae ?? 0));
    const [first] = await forecasts([], '', 'hours');
    expect(String(first?.['hour'])).toMatch(/^2025-02-03T00:00/);
  });

  test('are not looked for in months', async () => {
    const model = await answered(roster.GET(ONE, { params: { path: { projectName, modelName: 'sales' } } }));
    expect(model.metrics).not.toHaveProperty('seasons');
  });
});

describe('a table of series', () => {
  test('makes a model that says its step, its series and its errors', async () => {
    const model = await answered(roster.GET(ONE, { params: { path: { projectName, modelName: 'sales' } } }));
    expect(model).toMatchObject({
      task: 'forecast',
      order_by: 'month',
      group_by: ['store'],
      horizon: 6,
      window: null,
      known: ['promotion'],
      row_count: 180,
      series: {
        step: { unit: 'month', count: 1 },
        season: 12,
        count: 3,
        first: '2015-01',
        last: '2019-12',
        gaps: 0,
        duplicates: 0,
        ended_early: 0,
        shortest: 60,
        longest: 60,
      },
    });
    if (model.task !== 'forecast') throw new Error('The model is of another task');
    expect(model.columns?.map(({ name, kind }) => [name, kind])).toEqual([
      ['month', 'date'],
      ['store', 'category'],
      ['promotion', 'number'],
    ]);
    expect(model.metrics?.errors_by_step).toHaveLength(6);
    const effective = model.metrics?.effective_scores_by_step ?? [];
    expect(effective).toHaveLength(6);
    // Each of the three series has 60 errors of a step at most.
    for (const count of effective) expect(count >= 1 && count <= 180).toBe(true);
    expect(model.metrics?.worst_series.length).toBeGreaterThan(0);
    expect(model.summary).toContain('repeating the last season');
  });

  test('may have gaps, rows of one moment and series that end, which are reported', async () => {
    const rows = sales.filter(
      ({ month, store }) => !(store === 'B' && String(month) > '2019-06') && month !== '2016-03',
    );
    const model = await train(
      'gaps',
      csvOf([...rows, { ...rows[0], sales: 55 }]),
      'order_by=month&group_by=store&horizon=3',
    );
    expect(model.series).toMatchObject({ count: 3, gaps: 3, longest_gap: 1, duplicates: 1, ended_early: 1 });
    const next = await forecasts([{ store: 'B' }], '', 'gaps');
    expect(next.map(({ month }) => month)).toEqual(['2019-07', '2019-08', '2019-09']);
  });

  test('may leave out weekends, and so do its forecasts', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      day: new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10),
      sales: 100 + 10 * ((index * 7) % 5) + (index % 3),
    })).filter((_, index) => index % 7 < 5);
    const model = await train('weekdays', csvOf(rows), 'order_by=day&horizon=5');
    expect(model.series).toMatchObject({ step: { unit: 'weekday', count: 1 }, gaps: 0, season: 5 });
    const next = await forecasts([], '', 'weekdays');
    expect(next.map(({ day }) => String(day).slice(5))).toEqual([
      ...['04-10', '04-11', '04-12'],
      ...['04-15', '04-16'],
    ]);
  });

  test('may have series with the names of missing values', async () => {
    const names = new Map([
      ['A', 'NA'],
      ['B', 'None'],
    ]);
    const rows = sales.map((row) => ({ ...row, store: names.get(row.store) ?? '' }));
    await train('names', csvOf(rows), 'order_by=month&group_by=store&horizon=3');
    for (const store of names.values()) {
      expect(await forecasts([{ store }], '?steps=1', 'names')).toMatchObject([{ store }]);
    }
    const all = await forecasts([], '?steps=1', 'names');
    expect(all.map(({ store }) => store)).toEqual(['NA', 'None', null]);
    expect(await forecasts([{ store: null }], '?steps=1', 'names')).toEqual(all.slice(2));
    const csv = await send(`${project}/names/predict?steps=1`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: 'store,month\n,\n',
    });
    expect(await csv.text()).toContain('2020-01,,');
    const params = { path: { projectName, modelName: 'names' }, query: { group: [''] } };
    const known = await answered(roster.GET(`${ONE}/series`, { params }));
    expect(known).toMatchObject({ reason: null, values: { length: 60 } });
  });

  test('may be named by whole numbers, as programs write them with and without decimals', async () => {
    const numbered = (half: boolean) =>
      sales.map((row, at) => ({ ...row, store: `${'ABC'.indexOf(row.store) + 1}${half && at % 2 ? '.0' : ''}` }));
    const query = 'order_by=month&group_by=store&horizon=3&known=promotion';
    const model = await train('mixed-numbers', csvOf(numbered(true)), query);
    expect(model.series.count).toBe(3);
    await train('numbers', csvOf(numbered(false)), query);
    const predict = async (store: unknown, name: string) => {
      const rows = await forecasts([{ month: '2020-01', store, sales: 400 }], '?steps=1', name);
      return rows.map(({ store: _, ...row }) => row);
    };
    for (const store of ['1', '1.0', '1.00']) {
      expect(await predict(store, 'numbers')).toEqual(await predict(1, 'numbers'));
      expect(await predict(store, 'mixed-numbers')).toEqual(await predict(1, 'numbers'));
      const params = { path: { projectName, modelName: 'numbers' }, query: { group: [store] } };
      expect(await answered(roster.GET(`${ONE}/series`, { params }))).toMatchObject({ values: { length: 60 } });
    }
    const steps = { method: 'POST', headers: { 'Content-Type': 'text/csv', Accept: 'application/json' } };
    const promised = await send(`${project}/numbers/predict?steps=1&remember=true`, { ...steps, body: 'store\n1.0\n' });
    expect(promised.status).toBe(200);
    await promised.text();
    const truths = await send(`${project}/numbers/actuals`, { ...steps, body: 'month,store,sales\n2020-01,1.0,150\n' });
    expect(asRow(await truths.json())).toMatchObject({ matched: 1 });
  });

  test.each(['arrow-stream', 'parquet'] as const)('may have the format %s', async (format) => {
    const response = await send(
      `${project}/${format}?target=sales&order_by=month&group_by=store&horizon=6&known=promotion`,
      { method: 'PUT', headers: { 'Content-Type': MEDIA_TYPES[format] }, body: writeFile(format, toColumns(sales)) },
    );
    expect(response.status).toBe(202);
    await settled(roster, { projectName, modelName: format });
    expect(await forecasts([], '', format)).toEqual(await forecasts([]));
  });

  test.each([
    ['day', (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10)],
    ['week', (index: number) => new Date(Date.UTC(2020, 0, 6 + 7 * index)).toISOString().slice(0, 10)],
    ['hour', (index: number) => new Date(Date.UTC(2024, 0, 1, index)).toISOString()],
    [
      'quarter',
      (index: number) => `${2000 + Math.floor(index / 4)}-${['03-31', '06-30', '09-30', '12-31'][index % 4]}`,
    ],
    ['year', (index: number) => `${1900 + index}-01-01`],
    ['number', (index: number) => 3 * index],
  ])('has a step of a %s', async (unit, moment) => {
    const rows = Array.from({ length: 61 }, (_, index): Row => {
      return { at: moment(index), sales: 50 + ((index * 37) % 11) };
    });
    const model = await train(`step-${unit}`, csvOf(rows.slice(0, 60)), 'order_by=at&horizon=2');
    const { step } = model.series;
    expect(step).toEqual({ unit, count: unit === 'number' ? 3 : 1 });
    const [next] = await forecasts([], '?steps=1', `step-${unit}`);
    expect(String(next?.['at']).slice(0, 16)).toBe(String(rows[60]?.['at']).slice(0, 16));
  });
});

describe('a body', () => {
  test('without rows is answered with the next steps of every series', async () => {
    const rows = await forecasts([]);
    expect(rows).toHaveLength(18);
    expect(rows.slice(0, 2)).toMatchObject([
      { month: '2020-01', store: 'A', promotion: null, sales_confidence: 0.9, sales_original: null },
      { month: '2020-02', store: 'A' },
    ]);
    for (const row of rows) {
      expect(Number(row['sales_min'])).toBeLessThanOrEqual(Number(row['sales']));
      expect(Number(row['sales_max'])).toBeGreaterThanOrEqual(Number(row['sales']));
      expect(row).toMatchObject({ select_data_query: null, when_data: null, __service_row_id: null });
    }
    expect(rows.slice(0, 6).map(stepOf)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('that names groups is answered with the series that have them', async () => {
    const rows = await forecasts([{ store: 'B' }], '?steps=2&confidence=0.8');
    expect(rows).toMatchObject([
      { month: '2020-01', store: 'B', sales_confidence: 0.8 },
      { month: '2020-02', store: 'B', sales_confidence: 0.8 },
    ]);
  });

  test('of newer history is answered from its end on', async () => {
    const rows = await forecasts(
      [
        { month: '2020-01', store: 'A', sales: 400, promotion: 0 },
        { month: '2020-02', store: 'A', sales: 410, promotion: 0 },
      ],
      '?steps=2',
    );
    expect(rows).toMatchObject([{ month: '2020-03' }, { month: '2020-04' }]);
    const [before] = await forecasts([{ store: 'A' }], '?steps=1');
    expect(Number(rows[0]?.['sales'])).toBeGreaterThan(Number(before?.['sales']) + 50);
  });

  test('of the history of a series that is new is answered, too', async () => {
    const history = sales.filter(({ store }) => store === 'A').map((row) => ({ ...row, store: 'new' }));
    const rows = await forecasts(history, '?steps=3');
    expect(rows.map(({ month, store }) => [month, store])).toEqual([
      ['2020-01', 'new'],
      ['2020-02', 'new'],
      ['2020-03', 'new'],
    ]);
  });

  test('that asks for moments is answered with these alone, with what is known ahead', async () => {
    const rows = await forecasts([
      { month: '2020-02', store: 'A', promotion: 1, __service_row_id: 7 },
      { month: '2020-05', store: 'A', promotion: 0 },
    ]);
    expect(rows).toMatchObject([
      { month: '2020-02', store: 'A', promotion: 1, __service_row_id: 7 },
      { month: '2020-05', store: 'A', promotion: 0 },
    ]);
    expect(rows.map(stepOf)).toEqual([2, 5]);
  });

  test('reports a category that the table did not have in a column known ahead', async () => {
    const rows = sales.map(({ promotion, ...row }) => ({ ...row, event: promotion === 1 ? 'sale' : 'none' }));
    await train('events', csvOf(rows), 'order_by=month&group_by=store&horizon=3&known=event');
    const address = `${project}/events/predict`;
    const asked = { month: '2020-01', store: 'A', event: 'fair' };
    const whole = await sendJson('POST', address, [asked]);
    expect(whole.headers.get('Row-Warnings')).toContain('new-category');
    const headers = { 'Content-Type': LINES };
    const lines = await send(address, { method: 'POST', headers, body: JSON.stringify(asked) });
    expect(await lines.text()).toContain('new-category');
  });

  test.each<[string, unknown[], string, string | null]>([
    [
      'moments that lack it',
      [
        { month: '2020-02', store: 'A' },
        { month: '2020-03', store: 'A', promotion: null },
      ],
      '',
      '2',
    ],
    ['no moment', [{ store: 'A' }], '', '0'],
    ['no rows', [], '?steps=2', '0'],
    ['moments that have it', [{ month: '2020-02', store: 'A', promotion: 0 }], '', null],
    ['a backtest', [{ store: 'A' }], '?backtest=2', null],
  ])('warns of a column known ahead, for %s', async (_, rows, query, count) => {
    const whole = await post(rows, query);
    const member = count === null ? null : `missing-known;rows=${count};name="promotion"`;
    expect(whole.headers.get('Row-Warnings')).toBe(member);
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    const headers = { 'Content-Type': LINES };
    const lines = await send(`${project}/sales/predict${query}`, { method: 'POST', headers, body });
    const { warnings } = asRow(JSON.parse((await lines.text()).trim().split('\n').at(-1) ?? '{}'));
    const warning = { kind: 'missing-known', name: 'promotion', rows: Number(count), nearest: null };
    expect(warnings).toEqual(count === null ? undefined : [warning]);
  });

  test('of a backtest is answered with forecasts beside the values that came', async () => {
    const rows = await forecasts([{ store: 'B' }], '?backtest=4&confidence=0.95');
    const came = sales.filter(({ store }) => store === 'B').slice(-4);
    expect(rows.map((row) => [row['month'], row['sales_original']])).toEqual([
      ...came.map((row) => [row['month'], row['sales']]),
      ['2020-01', null],
      ['2020-02', null],
    ]);
    for (const row of rows) {
      const { sales_original: actual, sales_min: low, sales_max: high } = row;
      const isOutside = actual === null ? null : Number(actual) < Number(low) || Number(actual) > Number(high);
      expect(row['sales_anomaly']).toBe(isOutside);
    }
    expect(await forecasts([], '?backtest=6&steps=1')).toHaveLength(3);
    await train('narrow', salesCsv, 'order_by=month&group_by=store&horizon=6&window=5');
    expect(await forecasts([], '?backtest=6', 'narrow')).toHaveLength(18);
  });

  test('may have any format, and so may the answer', async () => {
    const expected = await forecasts([{ store: 'C' }], '?steps=2');
    const address = `${project}/sales/predict?steps=2`;
    const lines = await send(address, { method: 'POST', headers: { 'Content-Type': LINES }, body: '{"store":"C"}\n' });
    const answers = (await lines.text())
      .trim()
      .split('\n')
      .map((line): Row => JSON.parse(line));
    expect(answers).toEqual([...expected, { warnings: [expect.objectContaining({ kind: 'missing-known' })], more: 0 }]);
    const csv = await send(address, { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'store\nC\n' });
    const [first] = expected;
    const names = ['sales', 'sales_confidence', 'sales_min', 'sales_max'];
    expect((await csv.text()).split('\r\n').slice(0, 2)).toEqual([
      `month,store,promotion,${names.join(',')}`,
      `2020-01,C,,${names.map((name) => first?.[name]).join(',')}`,
    ]);
    const arrow = await send(address, {
      method: 'POST',
      headers: { 'Content-Type': LINES, Accept: 'application/vnd.apache.arrow.stream' },
      body: '',
    });
    expect(arrow.status).toBe(200);
    expect((await arrow.arrayBuffer()).byteLength).toBeGreaterThan(500);
  });

  test('of many rows is answered like a small one', async () => {
    const history = Array.from({ length: 1000 }, (_, index): Row => {
      return { ...sales[index % 60], store: `new ${Math.floor(index / 60)}` };
    });
    const rows = await forecasts(history, '?steps=1');
    expect(rows).toHaveLength(17);
    const [alone] = await forecasts(history.slice(0, 60), '?steps=1');
    expect(rows[0]).toEqual(alone);
  });

  test.each<[string, unknown, string, string, string]>([
    ['more steps than the horizon', [], '?steps=7', '/query/steps', 'at most 6'],
    ['a longer backtest than the horizon', [], '?backtest=7', '/query/backtest', 'at most 6'],
    ['history in a backtest', [{ store: 'A', month: '2020-01', sales: 4 }], '?backtest=1', '/body/0/month', 'left out'],
    ['a series that is not known', [{ store: 'Z' }], '', '/body/0', '"store" "Z"'],
    ['a series without a value', [{ store: null }], '', '/body/0', '"store" without a value'],
    ['a row that names no series', [{ stor: 'A' }], '', '/body/0', 'give a value of "store"'],
    ['a row that is null', [null], '', '/body/0', 'names no series'],
    ['a moment beside `steps`', [{ store: 'A', month: '2020-02' }], '?steps=2', '/body/0/month', 'without `steps`'],
    ['a moment of another form', [{ store: 'A', month: 3 }], '', '/body/0/month', 'a month such as'],
    ['a moment beyond the horizon', [{ store: 'A', month: '2021-01' }], '', '/body/0/month', '13 steps'],
    ['a moment of the past', [{ store: 'A', month: '2019-01' }], '', '/body/0/month', 'up to 2019-12'],
    [
      'history older than the table',
      [{ store: 'A', month: '2019-01', sales: 4 }],
      '',
      '/body/0/month',
      'send later history',
    ],
    ['history without a moment', { data: [{ store: 'A', sales: 4 }] }, '', '/body/data/0/month', 'missing'],
    ['history without a group', [{ month: '2020-01', sales: 4 }], '', '/body/0/store', 'tells series apart'],
    ['history that is not a number', [{ store: 'A', month: '2020-01', sales: 'many' }], '', '/body/0/sales', '"many"'],
  ])('with %s is refused', async (_, rows, query, pointer, message) => {
    const response = await post(rows, query);
    expect(response.status).toBe(400);
    const problem = asRow(await response.json());
    expect(problem['errors']).toMatchObject([{ pointer, message: expect.stringContaining(message) }]);
  });
});

test.each([
  ['a series that is not known', '', '{"store":"Z"}\n', '/body/0'],
  ['too many steps', '?steps=7', '', '/query/steps'],
])('lines with %s are refused before an answer begins', async (_, query, body, pointer) => {
  const response = await send(`${project}/sales/predict${query}`, {
    method: 'POST',
    headers: { 'Content-Type': LINES },
    body,
  });
  expect(response.status).toBe(400);
  expect(asRow(await response.json())['errors']).toMatchObject([{ pointer }]);
});

describe('a training is refused', () => {
  test.each<[string, string, string, string]>([
    ['a horizon without order_by', 'horizon=3', '/query/horizon', 'order_by'],
    ['order_by without a horizon', 'order_by=month', '/query/horizon', 'missing'],
    ['the order column as target', 'order_by=sales&horizon=3', '/query/order_by', 'another column'],
    ['a column twice', 'order_by=month&horizon=3&group_by=month', '/query/group_by', 'another column'],
    ['a task', 'order_by=month&horizon=3&task=regression', '/query/task', 'order_by'],
    ['a horizon of 0', 'order_by=month&horizon=0', '/query/horizon', '1'],
  ])('with %s', async (_, query, pointer, message) => {
    const { status, errors } = await refusal(salesCsv, query);
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ pointer, message: expect.stringContaining(message) }]);
  });

  const alone = sales.filter(({ store }) => store === 'A');
  const withMonth = (at: number, month: unknown) =>
    csvOf(alone.map((row, index) => (index === at ? { ...row, month } : row)));
  const timed = (offset: (index: number) => string) =>
    csvOf(alone.map((row, index) => ({ ...row, month: `${monthAt(index)}-01T00:00:00${offset(index)}` })));
  const withSales = (value: (index: number) => unknown) =>
    csvOf(alone.map((row, index) => ({ ...row, sales: value(index) })));

  test.each<[string, string, string, object]>([
    [
      'dates of two forms',
      withMonth(5, '2015-06-01'),
      'horizon=3',
      { line: 7, message: expect.stringContaining('two forms') },
    ],
    [
      'times with and without an offset',
      timed((index) => (index < 9 ? '+01:00' : '')),
      'horizon=3',
      { line: 11, message: expect.stringContaining('two forms') },
    ],
    ['no date', withMonth(5, 'June'), 'horizon=3', { line: 7, message: expect.stringContaining('"June"') }],
    ['a missing date', withMonth(5, ''), 'horizon=3', { line: 7, message: expect.stringContaining('no value') }],
    [
      'a gap of centuries',
      withMonth(59, '9999-12'),
      'horizon=3',
      { line: 61, message: expect.stringContaining('has no value for 95,760 steps of 1 month') },
    ],
    [
      'series that are not distinguished',
      salesCsv,
      'horizon=3',
      { column: 'month', message: expect.stringContaining('group_by') },
    ],
    [
      'one row a series',
      csvOf(alone.map((row, index) => ({ ...row, store: index }))),
      'horizon=3&group_by=store',
      { message: expect.stringContaining('too short') },
    ],
    [
      'a horizon that cannot be calibrated',
      csvOf(alone),
      'horizon=59',
      { message: expect.stringMatching(/horizon of \d+ at most, not 59/) },
    ],
    [
      'an unknown column',
      csvOf(alone),
      'horizon=3&known=weather',
      { column: 'weather', message: expect.stringContaining('which known names') },
    ],
    [
      'numbers as moments that no double is apart',
      csvOf(alone.map((row, index) => ({ ...row, month: (index - 30) * 5.9e306 }))),
      'horizon=3',
      { column: 'month', message: expect.stringContaining('too far apart') },
    ],
    [
      'a value beyond a double',
      withSales((index) => (index === 5 ? '1e400' : index)),
      'horizon=3',
      { column: 'sales', line: 7, message: expect.stringContaining('finite numbers') },
    ],
    [
      'a constant target',
      withSales(() => 5),
      'horizon=3',
      { column: 'sales', message: expect.stringContaining('nothing to predict') },
    ],
    [
      'no value of the target',
      withSales(() => ''),
      'horizon=3',
      { column: 'sales', message: expect.stringContaining('Only 0 rows') },
    ],
  ])('of a table with %s', async (_, csv, query, error) => {
    const { status, errors } = await refusal(csv, `order_by=month&${query}`);
    expect(errors).toMatchObject([error]);
    expect(status).toBe(422);
  });

  test('not of a table with values near the largest double', async () => {
    await train(
      'large',
      withSales((index) => (index % 3 === 0 ? -1.7e308 : 1.7e308 / (1 + (index % 4)))),
      'order_by=month&horizon=3',
    );
    for (const row of await forecasts([], '', 'large')) {
      const bounds = [row['sales_min'], row['sales'], row['sales_max']];
      expect(bounds).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
      expect(bounds.toSorted((one, other) => Number(one) - Number(other))).toEqual(bounds);
    }
  });

  test('not of a table with zeros and negative values', async () => {
    const model = await train(
      'signs',
      withSales((index) => (index % 3) - 1),
      'order_by=month&horizon=3',
    );
    expect(model.status).toBe('ready');
    expect(await forecasts([], '', 'signs')).toHaveLength(3);
  });
});

test('steps and backtests are refused by a model that predicts rows', async () => {
  const response = await send(`${project}/rows?target=sales`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: salesCsv,
  });
  expect(response.status).toBe(202);
  await settled(roster, { projectName, modelName: 'rows' });
  const refused = await post([{ store: 'A' }], '?steps=2&backtest=1', 'rows');
  const problem = asRow(await refused.json());
  expect(problem['errors']).toMatchObject([{ pointer: '/query/steps' }, { pointer: '/query/backtest' }]);
  const lines = await send(`${project}/rows/predict?steps=2`, {
    method: 'POST',
    headers: { 'Content-Type': LINES },
    body: '',
  });
  expect(lines.status).toBe(400);
});
