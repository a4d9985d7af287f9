/**
 * Tests of numbers and dates in the forms of public files, in every direction that texts take: a column, a target, rows
 * to predict, truths, series and previews. Each form trains the same model as the values that it stands for.
 *
 * Other forms of public files have their tests elsewhere, in every format:
 *
 * | form | tests |
 * |---|---|
 * | words for missing values, in columns and targets | `prediction/src/io/missing-words.rest.test.ts`; over HTTP `missing-words.test.ts` |
 * | a row of totals, a column that tells the target | `odd-tables.rest.test.ts` |
 * | empty columns, an index | `prediction/src/io/unnamed-columns.test.ts` |
 * | encodings of CSV | `prediction/src/io/csv/csv-text.test.ts`; over HTTP `contradictions.test.ts` |
 * | whole numbers beyond 2^53 as ids | `ids.test.ts` |
 */
import { MEDIA_TYPES, type Model } from 'roster-client';
import { seededRandom } from 'roster-prediction/internals';
import { beforeAll, describe, expect, test } from 'vitest';
import { toColumns, writeFile } from '../../testkit/data/table-files.js';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send } from '../target.js';
import { addTruths, listIds, NONE, predictRows, type Rows } from './promised-rows.js';

/** The formats that have texts where people write numbers and dates. */
const FORMATS = ['csv', 'json', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];

const ROWS = 120;

/** The cells of a column as they are written, and the numbers or dates that they stand for; null is missing. */
interface Form {
  readonly texts: readonly string[];
  readonly values: readonly (number | string | null)[];
  /** The readings that the model reports. */
  readonly reading: object;
}

const random = seededRandom(49);
const grouped = (value: number, mark: string) => String(value).replace(/\B(?=(\d{3})+$)/g, mark);
const two = (value: number) => String(value).padStart(2, '0');

function numbersAs(
  least: number,
  most: number,
  write: (value: number, row: number) => string,
  reading: object,
  decimals = 0,
): Form {
  const values = Array.from({ length: ROWS }, () => Number((least + (most - least) * random()).toFixed(decimals)) + 0);
  const marks = { kind: 'number', unit: null, group: null, decided_by: 'values', ...reading };
  return { texts: values.map(write), values, reading: marks };
}

const NUMBERS: Readonly<Record<string, Form>> = {
  'thousands by commas': numbersAs(0, 2000, (value) => grouped(value, ','), { decimal: '.', group: ',' }),
  'thousands by commas, some with cents': numbersAs(
    5e4,
    14e4,
    (value, row) => `${grouped(value, ',')}${row % 2 ? '.00' : ''}`,
    { decimal: '.', group: ',' },
  ),
  'thousands by points': numbersAs(0, 3000, (value) => grouped(value, '.'), { decimal: ',', group: '.' }),
  'three decimals': numbersAs(0, 9, (value) => value.toFixed(3).replace('.', ','), { decimal: ',' }, 3),
  'thousands by spaces': numbersAs(500, 9e5, (value) => grouped(value, ' '), { decimal: '.', group: ' ' }),
  accounting: numbersAs(-2000, 2000, (value) => (value < 0 ? `(${grouped(-value, ',')})` : grouped(value, ',')), {
    decimal: '.',
    group: ',',
  }),
  percentages: numbersAs(0, 99, (value) => `${value.toFixed(1).replace('.', ',')} %`, { unit: '%', decimal: ',' }, 1),
};

/** @param time of each day, in UTC. */
function datesAs(write: (date: Date) => string, order: string, time = ''): Form {
  const dates = Array.from({ length: ROWS }, (_, row) => new Date(Date.UTC(2012, 0, 1 + 9 * row)));
  const values = dates.map((date) => `${date.toISOString().slice(0, 10)}${time}`);
  return { texts: dates.map(write), values, reading: { kind: 'date', order, decided_by: 'values' } };
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const [year, month, day] = [
  (date: Date) => date.getUTCFullYear(),
  (date: Date) => date.getUTCMonth() + 1,
  (date: Date) => date.getUTCDate(),
];
const iso = (date: Date) => date.toISOString().slice(0, 10);

const DATES: Readonly<Record<string, Form>> = {
  'year first': datesAs((date) => iso(date).replaceAll('-', '/'), 'unambiguous'),
  'short years': datesAs((date) => `${month(date)}/${day(date)}/${two(year(date) % 100)}`, 'month-first'),
  'offsets of hours': datesAs((date) => `${iso(date)} 10:00:00+02`, 'unambiguous', 'T08:00:00Z'),
  UTC: datesAs((date) => `${iso(date)} 21:29:00 UTC`, 'unambiguous', 'T21:29:00Z'),
  unpadded: datesAs((date) => `${year(date)}-${month(date)}-${day(date)}`, 'unambiguous'),
  'names of months': datesAs((date) => `${day(date)}-${MONTHS[month(date) - 1]}-${year(date)}`, 'unambiguous'),
};

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

let models = 0;

/** Sends a table in a format, and returns the model once it is trained, with its address. */
async function train(format: Format, rows: Rows, query: string) {
  const modelName = `model-${++models}`;
  const address = `/api/projects/${projectName}/models/${modelName}`;
  const response = await post(`${address}?${query}`, format, rows, 'PUT');
  expect(response.status, await response.clone().text()).toBe(202);
  const model = await settled(roster, { projectName, modelName });
  expect(model).toMatchObject({ status: 'ready', row_count: rows.length });
  return { model, address };
}

function post(path: string, format: Format, rows: Rows, method = 'POST'): Promise<Response> {
  return send(path, {
    method,
    headers: { 'Content-Type': MEDIA_TYPES[format] },
    body: new Uint8Array(writeFile(format, toColumns(rows))),
  });
}

/** The fields of a preview that the tests read. */
interface Preview extends Pick<Model, 'findings'> {
  readonly columns: readonly object[];
}

async function preview(format: Format, rows: Rows, query = ''): Promise<Preview> {
  const response = await post(`/api/projects/${projectName}/tables/preview?${query}`, format, rows);
  return (await response.json()) as Preview;
}

/** The summary of the column `v`, without what only texts have. */
function columnOf({ columns }: Model) {
  const { reading, ...column } = columns?.find(({ name }) => name === 'v') ?? {};
  return { reading, column };
}

const valuesOf = (answers: readonly Readonly<Record<string, unknown>>[], name: string) =>
  answers.map((row) => Number(row[name]));

describe.each(Object.entries({ ...NUMBERS, ...DATES }))('%s', (_, { texts, values, reading }) => {
  const measure = (row: number) => (typeof values[row] === 'number' ? values[row] / 7 : row) + ((row * 37) % 11) / 10;
  const written = texts.map((v, row) => ({ v, y: measure(row) }));
  const meant = values.map((v, row) => ({ v, y: measure(row) }));
  const asked = (rows: Rows) => rows.slice(0, 40).map(({ v = null }) => ({ v }));

  test('train, and are predicted from, as the values that they stand for', async () => {
    const typed = await train('json', meant, 'target=y');
    const expected = valuesOf(await predictRows(typed.address, '', asked(meant)), 'y');
    for (const format of FORMATS) {
      const { model, address } = await train(format, written, 'target=y');
      expect(columnOf(model)).toEqual({ reading, column: columnOf(typed.model).column });
      expect(model.metrics).toEqual(typed.model.metrics);
      const rows = await predictRows(address, '', asked(written), [format, 'json']);
      expect(valuesOf(rows, 'y')).toEqual(expected);
      expect(valuesOf(await predictRows(address, '', asked(meant)), 'y')).toEqual(expected);
      expect(await preview(format, written)).toMatchObject({
        columns: [
          { name: 'v', reading },
          { name: 'y', reading: null },
        ],
      });
    }
  });
});

describe.each(Object.entries(NUMBERS))('%s', (_, { texts, values, reading }) => {
  test('are predicted as the numbers that they are, and truths are met in this form', async () => {
    const rowsOf = (cells: readonly (string | number | null)[]) =>
      cells.map((v, row) => ({ x: Number(values[row]) + (row % 7), v }));
    const typed = await train('json', rowsOf(values), 'target=v');
    for (const format of FORMATS) {
      const { model, address } = await train(format, rowsOf(texts), 'target=v');
      expect(model).toMatchObject({ task: 'regression', target_reading: reading });
      expect(model.metrics).toEqual(typed.model.metrics);
      const ids = listIds(await predictRows(address, 'remember=true', rowsOf(values).slice(0, 20)));
      const truths = (cells: Form['values']) =>
        ids.map((__service_row_id, row) => ({ __service_row_id, v: cells[row] ?? null }));
      expect(await addTruths(address, truths(texts), { format })).toEqual({ ...NONE, matched: 20 });
      expect(await addTruths(address, truths(values))).toEqual({ ...NONE, unchanged: 20 });
    }
  });

  test('are forecast as the numbers that they are', async () => {
    const rowsOf = (cells: Form['values']) => cells.map((v, row) => ({ when: String(1900 + row), v }));
    const query = 'target=v&order_by=when&horizon=3';
    const typed = await train('json', rowsOf(values), query);
    const expected = valuesOf(await predictRows(typed.address, '', []), 'v');
    for (const format of FORMATS) {
      const { model, address } = await train(format, rowsOf(texts), query);
      expect(model).toMatchObject({ target_reading: reading });
      expect(valuesOf(await predictRows(address, '', []), 'v')).toEqual(expected);
    }
  });
});

describe.each(Object.entries(DATES))('%s', (_, { texts, values }) => {
  test('order a series, and are asked for and met, as the dates that they are', async () => {
    const rowsOf = (cells: Form['values']) =>
      cells.map((v, row) => ({ v, y: 100 + 10 * (row % 5) + ((row * 37) % 11) }));
    const [past, future] = [(rows: Rows) => rows.slice(0, -3), (rows: Rows) => rows.slice(-3)];
    const query = 'target=y&order_by=v&horizon=3';
    const typed = await train('json', past(rowsOf(values)), query);
    const expected = valuesOf(await predictRows(typed.address, '', []), 'y');
    for (const format of FORMATS) {
      const { address } = await train(format, past(rowsOf(texts)), query);
      const answers = await predictRows(address, 'remember=true', []);
      expect(valuesOf(answers, 'y')).toEqual(expected);
      expect(answers.map(({ v }) => Date.parse(String(v)))).toEqual(
        future(rowsOf(values)).map(({ v }) => Date.parse(String(v))),
      );
      const named = future(rowsOf(texts)).map(({ v = null }) => ({ v }));
      expect(valuesOf(await predictRows(address, '', named, [format, 'json']), 'y')).toEqual(expected);
      expect(await addTruths(address, future(rowsOf(texts)), { format })).toEqual({ ...NONE, matched: 3 });
    }
  });
});

describe.each(FORMATS)('in %s', (format) => {
  test('a first column without a name is not learnt from, and rows to predict may have it', async () => {
    const rows = Array.from({ length: ROWS }, (_, row) => ({ '': row, x: row % 9, y: 3 * (row % 9) + (row % 2) }));
    const { model, address } = await train(format, rows, 'target=y');
    expect(model.columns).toMatchObject([
      { name: 'column_1', used: false, reason: expect.stringContaining('no name') },
      { name: 'x', used: true },
    ]);
    const asked = rows.slice(0, 9).map(({ y: _, ...row }) => row);
    const answers = await predictRows(address, 'unknown=refuse', asked, [format, 'json']);
    expect(answers.map((row) => Number(row['column_1']))).toEqual(asked.map((_, row) => row));
  });

  test('one text among dates is a missing value, also where the day and the month are decided by the others', async () => {
    const rows = Array.from({ length: 200 }, (_, row) => ({
      v: row === 9 ? 'TBD' : `${two(1 + (row % 12))}/${13 + (row % 15)}/${2010 + (row % 10)}`,
      y: 100 * (row % 10) + (row % 12),
    }));
    const { model, address } = await train(format, rows, 'target=y');
    expect(columnOf(model)).toMatchObject({
      reading: { kind: 'date', order: 'month-first' },
      column: { kind: 'date', missing_share: 1 / 200, min: '2010-01-13T00:00:00.000Z' },
    });
    const [odd, missing] = await predictRows(
      address,
      '',
      [{ v: 'TBD' }, { v: null }, { v: '01/13/2010' }],
      [format, 'json'],
    );
    expect(odd?.['y']).toBe(missing?.['y']);
  });

  test('None is a class in a table, a preview, rows to predict and truths', async () => {
    const rows = Array.from({ length: ROWS }, (_, row) => ({
      x: row,
      damage: row % 5 ? 'None' : row < 60 ? 'Minor' : 'Medium',
    }));
    const { model, address } = await train(format, rows, 'target=damage');
    expect(model).toMatchObject({
      classes: [{ name: 'None', rows: 96 }, { rows: 12 }, { rows: 12 }],
      reading: { rows_sent: ROWS, rows_used: ROWS, left_out: [] },
    });
    const { columns } = await preview(format, rows, 'target=damage');
    expect(columns).toMatchObject([{ name: 'x' }, { name: 'damage', kind: 'category', missing: [] }]);
    const asked = await predictRows(address, 'remember=true', [{ x: 1 }, { x: 2 }], [format, 'json']);
    expect(asked.map(({ damage }) => damage)).toEqual(['None', 'None']);
    const truths = listIds(asked).map((__service_row_id) => ({ __service_row_id, damage: 'None' }));
    expect(await addTruths(address, truths, { format })).toEqual({ ...NONE, matched: 2 });
  });

  test('texts among the numbers of a target are refused, and a preview names each parameter that trains it', async () => {
    const rows = Array.from({ length: ROWS }, (_, row) => ({ x: row % 40, y: row % 20 ? String(row % 7) : 'k.A.' }));
    const address = `/api/projects/${projectName}/models/refused`;
    expect((await post(`${address}?target=y`, format, rows, 'PUT')).status).toBe(422);
    const { findings } = await preview(format, rows, 'target=y');
    const remedies = [
      { parameter: 'missing_in', value: 'y=k.A.' },
      { parameter: 'as_number', value: 'y' },
      { parameter: 'task', value: 'classification' },
    ];
    expect(findings).toMatchObject([
      { kind: 'unread_values', column: 'y', rows: 6, effect: expect.stringContaining('refuses'), remedies },
    ]);
    for (const { parameter, value } of remedies) {
      const query = new URLSearchParams({ target: 'y', [parameter]: value });
      const trained = await post(`${address}?${query}`, format, rows, 'PUT');
      expect([parameter, trained.status]).toEqual([parameter, 202]);
      await settled(roster, { projectName, modelName: 'refused' });
    }
  });

  test('small counts are predicted as means that add up, between whole bounds', async () => {
    const rows = Array.from({ length: 1500 }, () => {
      const x = Number((2 * (random() + random() + random() - 1.5)).toFixed(3));
      return { x, y: poisson(0.3 * Math.exp(0.7 * x)) };
    });
    const { address } = await train(format, rows, 'target=y');
    const answers = await predictRows(
      address,
      '',
      rows.map(({ x }) => ({ x })),
      [format, 'json'],
    );
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const truth = sum(rows.map(({ y }) => y));
    expect(Math.abs(sum(valuesOf(answers, 'y')) - truth)).toBeLessThan(0.02 * truth);
    expect([...valuesOf(answers, 'y_min'), ...valuesOf(answers, 'y_max')].every(Number.isInteger)).toBe(true);
  });
});

/** Draws a count (Knuth 1969). */
function poisson(mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}
