/** The rows that a model misses, and where it errs most. Against the server alone. */
import { answered } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { effortOf } from '../sent-tables.js';
import { ownProject, roster } from '../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';
const ERRORS = '/api/projects/{projectName}/models/{modelName}/errors';

type Row = Record<string, unknown>;
type Query = Omit<NonNullable<Parameters<typeof roster.PUT<typeof ONE>>[1]>['params']['query'], 'target'>;

let projectName: string;
beforeAll(async () => {
  projectName = await ownProject();
});

async function errorsOf(modelName: string, body: Row[], query: Query = {}) {
  const path = { projectName, modelName };
  const params = { path, query: { target: 'y', ...effortOf(query), ...query } };
  await settled(roster, path, await answered(roster.PUT(ONE, { params, body })));
  return answered(roster.GET(ERRORS, { params: { path } }));
}

const noise = (row: number, salt = 1) => (Math.imul(row + 1, 2654435761 * salt) >>> 0) / 2 ** 32 - 0.5;

/** Prices that nobody could tell in the south. */
const SHOPS = Array.from({ length: 600 }, (_, row) => {
  const shop = ['north', 'east', 'south', 'west'][row % 4] ?? '';
  const size = noise(row, 3);
  return {
    shop,
    size,
    note: 'x'.repeat(row === 7 ? 5000 : 3),
    y: 10 * size + (shop === 'south' ? 20 : 1) * noise(row, 7),
  };
});

describe('the errors of numbers', () => {
  test('are the largest of all measured rows, with their values, and name the slice that is not chance', async () => {
    const errors = await errorsOf('shops', SHOPS);
    expect(errors).toMatchObject({ model: 'shops', version: 1, measure: 'absolute_error', reason: null });
    expect(errors).toMatchObject({ measured_rows: 600, confidence: 0.9, columns: ['shop', 'size', 'note'] });
    expect(errors.rows).toHaveLength(50);
    const sizes = errors.rows.map(({ error }) => error);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    for (const { row, values, truth, predicted, lower, upper, error } of errors.rows) {
      expect(error).toBeCloseTo(Math.abs(Number(truth) - Number(predicted)), 6);
      expect(lower ?? Number.NaN).toBeLessThanOrEqual(upper ?? Number.NaN);
      const sent = SHOPS[row ?? -1];
      expect(values.slice(0, 2)).toEqual([sent?.shop, sent?.size]);
      expect(truth).toBe(sent?.y);
    }
    const names = ['y_base', 'y_contribution_shop', 'y_contribution_size', 'y_contribution_note'];
    expect(errors.contributions).toEqual(names);
    for (const { contributions, predicted } of errors.rows) {
      const sum = contributions.reduce((all, value) => all + value, 0);
      expect(Math.abs(sum - Number(predicted))).toBeLessThan(1e-9);
    }
    const [slice] = errors.slices;
    expect(errors.slices).toHaveLength(1);
    expect(slice).toMatchObject({ column: 'shop', value: 'south', from: null, to: null, rows: 150 });
    expect(slice?.error).toBeGreaterThan(2 * (errors.error ?? 0));
    expect(slice?.p_value).toBeLessThan(0.05);
    expect(slice?.message).toMatch(
      /^Where "shop" is "south", in 150 rows, the predictions are off by .* in all rows, /,
    );
    expect(JSON.stringify(errors).length).toBeLessThan(30_000);
  });

  test('name no slice where errors are chance', async () => {
    const table = SHOPS.map(({ shop, size }, row) => ({ shop, size, y: noise(row, 11) }));
    expect((await errorsOf('chance', table)).slices).toEqual([]);
  });
});

test('rows of CSV have their lines, also behind rows without a target', async () => {
  const path = { projectName, modelName: 'lines' };
  const lines = SHOPS.slice(0, 200).map(({ shop, size, y }, row) => `${shop},${size},${row % 9 === 0 ? '' : y}`);
  const params = { path, query: { target: 'y', ...effortOf({}) } };
  const body = ['shop,size,y', ...lines].join('\n');
  const begun = await answered(roster.PUT(ONE, { params, headers: { 'Content-Type': 'text/csv' }, body }));
  await settled(roster, path, begun);
  const { rows, measured_rows } = await answered(roster.GET(ERRORS, { params: { path } }));
  expect(measured_rows).toBe(177);
  for (const { line, row, values, truth } of rows) {
    expect(row).toBeNull();
    expect(lines[(line ?? 0) - 2]).toBe([...values, truth].join(','));
  }
});

test('the errors of classes are log losses, with the probability of the true class', async () => {
  const table = SHOPS.map(({ y, ...row }) => ({ ...row, y: y > 0 ? 'gain' : 'loss' }));
  const errors = await errorsOf('classes', table);
  expect(errors.measure).toBe('log_loss');
  const [worst] = errors.rows;
  expect(worst?.lower).toBeNull();
  expect(worst?.error).toBeCloseTo(-Math.log(worst?.probability ?? 0), 9);
  expect(['gain', 'loss']).toContain(worst?.truth);
  expect(errors.slices[0]).toMatchObject({ column: 'shop', value: 'south' });
  for (const { contributions, predicted, truth, probability } of errors.rows) {
    const sum = contributions.reduce((all, value) => all + value, 0);
    const ofPredicted = predicted === truth ? Number(probability) : 1 - Number(probability);
    // The shares of the classes are mixed into probabilities.
    expect(Math.abs(1 / (1 + Math.exp(-sum)) - ofPredicted)).toBeLessThan(0.02);
  }
});

test('the errors of forecasts have the moment, the series and the step, and name groups of series', async () => {
  const table = Array.from({ length: 40 }, (_, series) =>
    Array.from({ length: 36 }, (_unused, month) => {
      const region = series % 4 === 0 ? 'wild' : 'calm';
      const wave = 10 * Math.sin((Math.PI * month) / 6);
      const shock = month < 32 ? 0 : noise(40 * month + series, 5) * (region === 'wild' ? 60 : 1);
      const date = `${2020 + Math.floor(month / 12)}-${String(1 + (month % 12)).padStart(2, '0')}`;
      return { month: date, region, shop: `s${series}`, y: 100 + wave + noise(36 * series + month, 9) + shock };
    }),
  ).flat();
  const query = { order_by: 'month', group_by: ['region', 'shop'], horizon: 4 };
  const errors = await errorsOf('sales', table, query);
  expect(errors).toMatchObject({ measure: 'scaled_error', columns: ['month', 'region', 'shop'] });
  expect(errors.rows).toHaveLength(50);
  expect(errors.contributions).toEqual(['y_base', 'y_season', 'y_contribution_y', 'y_contribution_month']);
  for (const { line, row, step, values, truth, predicted, contributions } of errors.rows) {
    expect([line, row]).toEqual([null, null]);
    expect(contributions.reduce((sum, each) => sum + each, 0)).toBeCloseTo(Number(predicted), 9);
    expect(step).toBeGreaterThan(0);
    const [month, region, shop] = values;
    expect(table).toContainEqual({ month, region, shop, y: truth });
  }
  expect(errors.slices).toContainEqual(expect.objectContaining({ column: 'region', value: 'wild' }));
});

test('the errors of a forecast name what columns that are known ahead, and others, contributed', async () => {
  const table = Array.from({ length: 60 }, (_, month) => {
    const date = `${2019 + Math.floor(month / 12)}-${String(1 + (month % 12)).padStart(2, '0')}`;
    const offer = noise(month, 2);
    return { month: date, offer, visits: 5 * noise(month + 99, 7), y: 50 + 40 * offer + noise(month, 5) };
  });
  const errors = await errorsOf('offers', table, { order_by: 'month', known: ['offer'], horizon: 3 });
  const contributed = ['y', 'month', 'visits', 'offer'].map((name) => `y_contribution_${name}`);
  expect(errors.contributions).toEqual(['y_base', 'y_season', ...contributed]);
  for (const { predicted, contributions } of errors.rows) {
    expect(contributions.reduce((sum, each) => sum + each, 0)).toBeCloseTo(Number(predicted), 9);
  }
});

test('a version that is in training, or is not there, has none', async () => {
  const path = { projectName, modelName: 'begun' };
  const params = { path, query: { target: 'y', ...effortOf({}) } };
  const begun = await answered(roster.PUT(ONE, { params, body: SHOPS }));
  const early = await answered(roster.GET(ERRORS, { params: { path } }));
  if (early.measure === null) expect(early.reason).toContain('in training');
  await settled(roster, path, begun);
  const { error } = await roster.GET(ERRORS, { params: { path, query: { version: 9 } } });
  expect(error?.type).toBe('/problems/model-not-found');
});
