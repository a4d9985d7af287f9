import { describe, expect, test } from 'vitest';
import { band, covered, judge, type Row } from './fixtures.js';
import type { Model, Prediction } from './index.js';

function rootMeanSquareError(predictions: readonly Prediction[], rows: Row[], target: string) {
  const squares = predictions.map(
    ({ value }, index) => (value - Number(rows[index]?.[target])) ** 2,
  );
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

const diamonds = await judge('diamonds', 'price');
const housing = await judge('txhousing', 'median');

describe.each([
  { name: 'diamonds', ...diamonds, leastR2: 0.96 },
  { name: 'txhousing', ...housing, leastR2: 0.93 },
])('on $name', ({ model, predictor, testRows, target, leastR2 }) => {
  const calibrated = model.metrics.held_out_rows;

  test.each([0.5, 0.8, 0.9, 0.95])(
    'intervals at level %d cover that share of new rows',
    (level) => {
      const predictions = predictor.predict(testRows, { confidence: level });
      expect(predictions.every(({ confidence }) => confidence === level)).toBe(true);
      const share = covered(predictions);
      expect(Math.abs(share - level)).toBeLessThan(band(level, calibrated, testRows.length));
    },
  );

  test('confidences that rows get of their own accord are true on the whole', () => {
    const predictions = predictor.predict(testRows);
    const said =
      predictions.reduce((sum, { confidence }) => sum + confidence, 0) / predictions.length;
    // Levels from 0.01 to 0.99 are mixed here: a row's own variance is c(1 − c), averaged below.
    const mixed =
      predictions.reduce((sum, { confidence: c }) => sum + c * (1 - c), 0) / predictions.length;
    const tolerance = 3 * Math.sqrt(mixed * (1 / calibrated + 1 / testRows.length));
    expect(Math.abs(covered(predictions) - said)).toBeLessThan(tolerance);
    expect(new Set(predictions.map(({ confidence }) => confidence)).size).toBeGreaterThan(10);
  });

  test('the easiest and the hardest fifth of the rows are both covered', () => {
    const predictions = predictor.predict(testRows, { confidence: 0.9 });
    const byWidth = predictions.toSorted((a, b) => a.max - a.min - (b.max - b.min));
    const fifth = Math.floor(byWidth.length / 5);
    // A fifth is counted on a fifth of the rows, and calibrated by about as large a share.
    const tolerance = band(0.9, calibrated / 5, fifth);
    expect(Math.abs(covered(byWidth.slice(0, fifth)) - 0.9)).toBeLessThan(tolerance);
    expect(Math.abs(covered(byWidth.slice(-fifth)) - 0.9)).toBeLessThan(tolerance);
  });

  test('predictions are good, and as good as the metrics say', () => {
    const { r2, rmse, mae, baseline_rmse, baseline_mae, interval_coverage } = model.metrics;
    expect(r2).toBeGreaterThan(leastR2);
    expect(r2).toBeCloseTo(1 - (rmse / baseline_rmse) ** 2, 2);
    expect(mae).toBeLessThan(baseline_mae / 4);
    const onNewRows = rootMeanSquareError(predictor.predict(testRows), testRows, target);
    expect(onNewRows / rmse).toBeGreaterThan(0.8);
    expect(onNewRows / rmse).toBeLessThan(1.25);
    // Each half is counted, and calibrates the other.
    const tolerance = band(0.9, calibrated, calibrated);
    expect(Math.abs(interval_coverage - 0.9)).toBeLessThan(tolerance);
  });

  test('trees keep to 32 leaves and 256 bins', () => {
    const trees = treesOf(model);
    expect(trees.length).toBeGreaterThan(50);
    expect(Math.max(...trees.map(({ leaves }) => leaves.length))).toBeLessThanOrEqual(32);
    const bins = trees.flatMap(({ splits }) => splits.flatMap(({ left_bins }) => left_bins));
    expect(Math.min(...bins)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...bins)).toBeLessThanOrEqual(255);
  });
});

function treesOf({ value_forest, error_forest }: Model) {
  return [...value_forest.trees, ...error_forest.trees];
}

test('columns of diamonds are summed up', () => {
  expect(diamonds.model.columns.map(({ name, kind }) => [name, kind])).toEqual([
    ['carat', 'number'],
    ['cut', 'category'],
    ['color', 'category'],
    ['clarity', 'category'],
    ['depth', 'number'],
    ['table', 'number'],
    ['x', 'number'],
    ['y', 'number'],
    ['z', 'number'],
  ]);
  const [carat, cut] = diamonds.model.columns;
  expect(carat).toMatchObject({ used: true, reason: null, missing_share: 0, categories: null });
  expect(carat?.min).toBeCloseTo(0.2, 1);
  expect(cut).toMatchObject({ min: null, max: null });
  expect(cut?.categories).toEqual(['Ideal', 'Premium', 'Very Good', 'Good', 'Fair']);
});

test('a second training on the same rows gives the same model to the last bit', async () => {
  expect(await judge('txhousing', 'median').then(({ model }) => model)).toEqual(housing.model);
});
