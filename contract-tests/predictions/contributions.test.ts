/** Contributions of columns to a prediction, in every format. Against the server alone. */
import { tableFromIPC } from 'apache-arrow';
import { answered } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { effortOf } from '../sent-tables.js';
import { ownProject, roster, send } from '../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';

type Row = Record<string, unknown>;

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

const path = (name: string, query: string) => `/api/projects/${projectName}/models/${name}/predict?${query}`;

async function train(modelName: string, target: string, body: Row[], more: object = {}): Promise<void> {
  const params = { path: { projectName, modelName }, query: { target, ...effortOf(more), ...more } };
  await settled(roster, params.path, await answered(roster.PUT(ONE, { params, body })));
}

async function post(name: string, query: string, rows: readonly Row[], accept = 'application/json') {
  const headers = { Accept: accept, 'Content-Type': 'application/json' };
  return send(path(name, query), { method: 'POST', headers, body: JSON.stringify(rows) });
}

async function rowsOf(response: Promise<Response>): Promise<Row[]> {
  return JSON.parse(await (await response).text());
}

/** Returns the base and the contributions of a row, added up. */
function addUp(row: Row, target: string): number {
  return Object.entries(row)
    .filter(([name]) => name === `${target}_base` || name.startsWith(`${target}_contribution_`))
    .reduce((sum, [, value]) => sum + Number(value), 0);
}

const size = (index: number) => (index * 37) % 101;
const kind = (index: number) => ['plain', 'fine', 'rare'][(index * 7) % 3] ?? '';
const day = (index: number) => new Date(Date.UTC(2024, 0, 1 + (index % 365))).toISOString().slice(0, 10);
const houses = Array.from({ length: 400 }, (_, index) => ({
  size: size(index),
  kind: kind(index),
  sold: day(index),
  rooms: index % 5,
  price: 3.5 * size(index) + (kind(index) === 'fine' ? 100.25 : 0) + 10 * (index % 5),
}));
const asked: Row[] = houses.slice(0, 40).map(({ price: _, ...house }) => house);

describe('the contributions of numbers', () => {
  const names = ['size', 'kind', 'sold', 'rooms'].map((name) => `price_contribution_${name}`);
  const columns = ['size', 'kind', 'sold', 'rooms', 'price', 'price_confidence', 'price_min', 'price_max'];
  beforeAll(() => train('houses', 'price', houses));

  test('add up to the prediction, and name the column that moves it', async () => {
    const rows = await rowsOf(post('houses', 'rows=lean&contributions=true', asked));
    expect(Object.keys(rows[0] ?? {})).toEqual([...columns, 'price_base', ...names]);
    for (const row of rows) {
      // The prediction is rounded, to hundredths here.
      expect(Math.abs(addUp(row, 'price') - Number(row['price']))).toBeLessThanOrEqual(0.0051);
    }
    const fine = rows.filter((row) => row['kind'] === 'fine');
    for (const row of fine) expect(Number(row['price_contribution_kind'])).toBeGreaterThan(20);
    expect(new Set(rows.map((row) => row['price_base'])).size).toBe(1);
  });

  test('are the same in every format, and of a row that comes alone', async () => {
    const query = 'rows=lean&contributions=true';
    const rows = await rowsOf(post('houses', query, asked));
    const full = await rowsOf(post('houses', 'contributions=true', asked));
    expect(full.map((row) => [row['price_base'], ...names.map((name) => row[name])])).toEqual(
      rows.map((row) => [row['price_base'], ...names.map((name) => row[name])]),
    );
    for (const [index, row] of asked.slice(0, 5).entries()) {
      expect(await rowsOf(post('houses', query, [row]))).toEqual([rows[index]]);
    }
    const lines = await (await post('houses', query, asked, 'application/x-ndjson')).text();
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    const csv = await (await post('houses', query, asked, 'text/csv')).text();
    const [header, ...records] = csv.trimEnd().split('\r\n');
    expect(header).toBe([...columns, 'price_base', ...names].join(','));
    expect(records.map((record) => record.split(',').slice(-5).map(Number))).toEqual(
      rows.map((row) => ['price_base', ...names].map((name) => row[name])),
    );
    const arrow = await post('houses', query, asked, 'application/vnd.apache.arrow.stream');
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
    expect(names.map((name) => [...(table.getChild(name) ?? [])])).toEqual(
      names.map((name) => rows.map((row) => row[name])),
    );
  });

  test('of rows with unknown categories and missing columns add up, from a separate base', async () => {
    const odd = [
      { size: 50, kind: 'new' },
      { kind: 'fine' },
      {},
      { size: 1e300, kind: 'fine', sold: 'no date', rooms: 1 },
    ];
    const rows = await rowsOf(post('houses', 'rows=lean&contributions=true', odd));
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      expect(Math.abs(addUp(row, 'price') - Number(row['price']))).toBeLessThanOrEqual(0.0051);
    }
  });

  test('are not answered where nobody asks for them', async () => {
    const [row = {}] = await rowsOf(post('houses', 'rows=lean&contributions=false', asked));
    expect(Object.keys(row)).toEqual(columns);
  });
});

describe('the contributions of classes', () => {
  const leaves = (index: number) => (size(index) > 60 !== (index % 17 === 0) ? 'leaves' : 'stays');
  const grade = (index: number) => ['low', 'middle', 'high'][Math.floor(size(index) / 34)] ?? '';

  test('of two classes add up to the log-odds of the answered class', async () => {
    const customers = houses.map(({ price: _, ...house }, index) => ({ ...house, churn: leaves(index) }));
    await train('churn', 'churn', customers);
    const rows = await rowsOf(post('churn', 'rows=lean&contributions=true', asked));
    const sumOf = (name: string) =>
      rows.reduce((sum, row) => sum + Math.abs(Number(row[`churn_contribution_${name}`])), 0);
    expect(sumOf('size')).toBeGreaterThan(Math.max(...['kind', 'sold', 'rooms'].map(sumOf)));
    for (const row of rows) {
      const probability = 1 / (1 + Math.exp(-addUp(row, 'churn')));
      // The shares of the classes are mixed into probabilities.
      expect(Math.abs(probability - Number(row['churn_confidence']))).toBeLessThan(0.02);
      const base = 1 / (1 + Math.exp(-Number(row['churn_base'])));
      expect(Math.abs(base - Number(row['churn_base_probability']))).toBeLessThan(0.02);
    }
  });

  test('of three are those of the answered class', async () => {
    const graded = houses.slice(0, 150).map(({ price: _, ...house }, index) => ({ ...house, grade: grade(index) }));
    await train('grades', 'grade', graded);
    for (const row of await rowsOf(post('grades', 'rows=lean&contributions=true', asked))) {
      expect(Number(row['grade_contribution_size'])).toBeGreaterThan(0.5);
      expect(Number(row['grade_base_probability'])).toBeLessThan(Number(row['grade_confidence']));
    }
  });
});

describe('the contributions of forecasts', () => {
  test('add up step by step: the base, the season, the history, the calendar and known columns', async () => {
    const sales = ['A', 'B', 'C', 'D'].flatMap((store, place) =>
      Array.from({ length: 60 }, (_, index) => {
        const promotion = (index * 7 + place) % 5 === 0 ? 1 : 0;
        const wave = 60 * Math.sin((index * Math.PI) / 6) + (((index * 37) % 11) - 5);
        const month = `${2020 + Math.floor(index / 12)}-${String(1 + (index % 12)).padStart(2, '0')}`;
        return { month, store, promotion, sales: 200 + 50 * place + wave + 20 * promotion };
      }),
    );
    await train('sales', 'sales', sales, { order_by: 'month', group_by: ['store'], horizon: 6, known: ['promotion'] });
    const ahead = Array.from({ length: 6 }, (_, step) => ({
      month: `2025-0${step + 1}`,
      store: 'A',
      promotion: step % 2,
    }));
    const rows = await rowsOf(post('sales', 'rows=lean&contributions=true', ahead));
    const contributions = ['sales', 'month', 'promotion'].map((name) => `sales_contribution_${name}`);
    expect(Object.keys(rows[0] ?? {}).slice(-5)).toEqual(['sales_base', 'sales_season', ...contributions]);
    for (const row of rows) {
      const sum = addUp(row, 'sales') + Number(row['sales_season']);
      expect(Math.abs(sum - Number(row['sales']))).toBeLessThanOrEqual(0.0051);
    }
    expect(rows.some((row) => Math.abs(Number(row['sales_season'])) > 5)).toBe(true);
    const of = (promoted: number) => Number(rows[promoted]?.['sales_contribution_promotion']);
    expect(of(1)).toBeGreaterThan(of(0) + 2);
    const { data: known } = await roster.GET('/api/projects/{projectName}/models/{modelName}/series', {
      params: { path: { projectName, modelName: 'sales' }, query: { group: ['B'] } },
    });
    const ofB = sales.filter(({ store }) => store === 'B');
    expect(known).toEqual({
      model: 'sales',
      reason: null,
      values: ofB.map((row) => ({ moment: row.month, value: row.sales })),
    });
    const backtest = await rowsOf(post('sales', 'rows=lean&contributions=true&backtest=3', [{ store: 'B' }]));
    for (const row of backtest) {
      const sum = addUp(row, 'sales') + Number(row['sales_season']);
      expect(Math.abs(sum - Number(row['sales']))).toBeLessThanOrEqual(0.0051);
    }
  });
});

describe('contributions are refused with 400', () => {
  const refusal = async (name: string, rows: readonly Row[]) => {
    const response = await post(name, 'contributions=true', rows);
    expect(response.status).toBe(400);
    const { errors }: { errors: { pointer: string; message: string }[] } = JSON.parse(await response.text());
    expect(errors[0]?.pointer).toBe('/query/contributions');
    return errors[0]?.message;
  };

  test('by a model with an input column of such a name', async () => {
    await train(
      'claimed',
      'price',
      houses.map((house) => ({ ...house, price_base: house.size })),
    );
    expect(await refusal('claimed', asked)).toContain('would add a column "price_base"');
  });

  test('beyond ten million numbers in an array of JSON, with the bound', async () => {
    const columns = Array.from({ length: 120 }, (_, at) => at);
    const wide = Array.from({ length: 60 }, (_, index) => {
      return { ...Object.fromEntries(columns.map((at) => [`c${at}`, (index * (at + 1)) % 101])), y: index };
    });
    await train('wide', 'y', wide);
    const rows = Array.from({ length: 90_000 }, () => ({}));
    expect(await refusal('wide', rows)).toContain('an array of JSON has at most 10,000,000; send fewer rows');
    expect((await post('wide', 'contributions=true', rows.slice(0, 1))).status).toBe(200);
  });
});
