/** The rows that measure a model: random ones, the last ones, and whole groups. Against the server alone. */
import { answered, type Model } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { effortOf } from '../sent-tables.js';
import { ownProject, roster } from '../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';

type Row = Record<string, unknown>;
type Query = Omit<NonNullable<Parameters<typeof roster.PUT<typeof ONE>>[1]>['params']['query'], 'target'>;

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

function begin(modelName: string, body: Row[], query: Query) {
  const params = { path: { projectName, modelName }, query: { target: 'y', ...effortOf(query), ...query } };
  return roster.PUT(ONE, { params, body });
}

async function train(modelName: string, body: Row[], query: Query): Promise<Model> {
  return settled(roster, { projectName, modelName }, await answered(begin(modelName, body, query)));
}

async function refusalOf(body: Row[], query: Query) {
  const { error } = await begin('refused', body, query);
  return error;
}

const noise = (row: number) => ((row * 7919) % 1000) / 1000;
const day = (row: number) => new Date(Date.UTC(2024, 0, 1 + row)).toISOString().slice(0, 10);

/** Prices that rise with time, in an order that is not that of time. */
const RISING = Array.from({ length: 300 }, (_, at) => {
  const row = (at * 77) % 300;
  return { sold_on: day(row), size: noise(row), shop: `s${row % 30}`, y: row / 10 + 5 * noise(row) };
});

function measured({ metrics }: Model) {
  if (metrics === null || !('validation' in metrics)) throw new Error('The model is not ready.');
  return metrics;
}

describe('validate=last', () => {
  let model: Model;
  beforeAll(async () => {
    model = await train('rising', RISING, { validate: 'last', validate_by: 'sold_on' });
  });

  test('measures the model by the last rows in the order of the column, and says so', async () => {
    const { validation, held_out_rows } = measured(model);
    expect(held_out_rows).toBe(60);
    expect(validation).toEqual({
      method: 'last',
      column: 'sold_on',
      from: day(240),
      groups: null,
      ungrouped_rows: null,
    });
    expect(model.summary).toContain('on the last 60 rows by "sold_on", from 2024-08-28 on');
  });

  test('shows errors that random rows flatter', async () => {
    const random = measured(await train('random', RISING, {}));
    expect(random.validation).toMatchObject({ method: 'random', column: null });
    const { rmse } = Object.assign({ rmse: 0 }, measured(model));
    expect(rmse).toBeGreaterThan(2 * Object.assign({ rmse: 0 }, random).rmse);
  });

  test('keeps rows of one moment together', async () => {
    const table = RISING.map((row) => ({ ...row, sold_on: row.sold_on.slice(0, 7) }));
    const { validation, held_out_rows } = measured(
      await train('months', table, { validate: 'last', validate_by: 'sold_on' }),
    );
    expect(validation.from).toBe('2024-08');
    expect(held_out_rows).toBe(87);
  });

  test('takes the order of the rows in the table without a column', async () => {
    const model = await train(
      'in-order',
      RISING.toSorted((one, other) => (one.sold_on < other.sold_on ? -1 : 1)),
      { validate: 'last' },
    );
    expect(measured(model).validation).toMatchObject({ method: 'last', column: null, from: null });
    expect(model.summary).toContain('on the last 60 rows of the table');
  });
});

describe('validate=group', () => {
  test('keeps the rows of a group together, also of a column that is left out', async () => {
    const table = Array.from({ length: 240 }, (_, row) => {
      const patient = Math.floor(row / 8);
      return {
        patient: row % 40 === 0 ? null : `p${patient}`,
        hidden: noise(patient),
        y: 100 * noise(patient) ** 3 + noise(row),
      };
    });
    const query: Query = { validate: 'group', validate_by: 'patient', exclude: ['patient'] };
    const grouped = await train('patients', table, query);
    const { validation } = measured(grouped);
    expect(validation).toMatchObject({ method: 'group', column: 'patient', groups: 30, ungrouped_rows: 6 });
    expect(grouped.summary).toContain('that keeps the groups of "patient" together');
    const random = await train('rows', table, { exclude: ['patient'] });
    const mae = (model: Model) => Object.assign({ mae: 0 }, measured(model)).mae;
    expect(mae(grouped)).toBeGreaterThan(1.5 * mae(random));
  });
});

test('a model of classes says which rows measured it', async () => {
  const table = RISING.map(({ y, ...row }) => ({ ...row, y: y > 15 ? 'high' : 'low' }));
  const model = await train('classes', table, { validate: 'group', validate_by: 'shop' });
  expect(measured(model).validation).toMatchObject({ method: 'group', column: 'shop', groups: 30 });
});

describe('refuses', () => {
  test.each<[string, Query, string]>([
    ['a column without a split', { validate_by: 'sold_on' }, '/query/validate_by'],
    ['groups without a column', { validate: 'group' }, '/query/validate_by'],
    ['the target', { validate: 'last', validate_by: 'y' }, '/query/validate_by'],
    ['a forecast', { validate: 'last', order_by: 'sold_on', horizon: 2 }, '/query/validate'],
  ])('%s', async (_, query, pointer) => {
    expect(await refusalOf(RISING, query)).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  test.each<[string, Row[], Query, RegExp]>([
    [
      'a column that is not there',
      RISING,
      { validate: 'last', validate_by: 'when' },
      /no column "when", which validate_by/,
    ],
    [
      'rows without a moment',
      [...RISING, { y: 1 }],
      { validate: 'last', validate_by: 'sold_on' },
      /no value in the column/,
    ],
    [
      'too few moments',
      RISING.map((row, at) => ({ ...row, sold_on: 2020 + (at % 3) })),
      { validate: 'last', validate_by: 'sold_on' },
      /too few different values/,
    ],
    ['too few rows', RISING.slice(0, 90), { validate: 'last' }, /Only 90 rows .* at least 100/],
    [
      'dates of two meanings',
      RISING.map((row, at) => ({ ...row, sold_on: `0${1 + (at % 9)}/0${1 + (at % 7)}/2024` })),
      { validate: 'last', validate_by: 'sold_on' },
      /date_order/,
    ],
    [
      'one group',
      RISING.map((row) => ({ ...row, shop: 'a' })),
      { validate: 'group', validate_by: 'shop' },
      /only one group/,
    ],
    [
      'too few groups',
      RISING.map((row, at) => ({ ...row, shop: at % 4 })),
      { validate: 'group', validate_by: 'shop' },
      /only 4 groups/,
    ],
    [
      'a group of most rows',
      RISING.map((row, at) => ({ ...row, shop: at < 200 ? 0 : at })),
      { validate: 'group', validate_by: 'shop' },
      /200 of 300 rows in one group/,
    ],
  ])('%s', async (_, table, query, message) => {
    const error = await refusalOf(table, query);
    expect(error).toMatchObject({ status: 422, errors: [{ message: expect.stringMatching(message) }] });
  });
});
