import { describe, expect, test } from 'vitest';
import { learnForest } from '../../testkit/prediction/reference-trees.js';
import { band, covered, type Dataset, judge, measureError, type Row } from '../../testkit/prediction/sample-tables.js';
import { type Prediction, Predictor, type RegressionModel, type RegressionTable } from './index.js';
import { toStandard } from './intervals/target-range.js';
import { everyRow } from './training/folds.js';
import { prepareTable } from './trees/binning/dataset.js';
import { seededRandom, shuffledRange } from './trees/random.js';

const diamonds = await judge('diamonds', 'price');
const housing = await judge('txhousing', 'median');
const rides = await judge('chicago', 'ridership');

/** With fewer rows, the covered fraction means nothing. */
const MIN_ROWS_IN_RANGE = 20;

/** Returns the tenth that a confidence is in; a full tenth counts as the one below. */
function rangeOf(confidence: number): number {
  return Math.floor(10 * (confidence - 0.005));
}

/** A copy of a row without the given columns. */
function without(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** Copies of the rows without one to all of the columns, any number and any set equally often. */
function maskAtRandom(rows: readonly Row[], names: readonly string[]): Row[] {
  const random = seededRandom(99);
  return rows.map((row) => {
    const count = 1 + Math.floor(random() * names.length);
    const masked = shuffledRange(names.length, random).subarray(0, count);
    return without(
      row,
      names.filter((_, index) => masked.includes(index)),
    );
  });
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/**
 * A level holds for partial rows taken together; rows that all leave out the same columns are few
 * among those that calibrated it, and may fall short by this much. The worst here are diamonds of
 * unseen clarity.
 */
const OFF = 0.085;

describe.each([
  { name: 'diamonds', ...diamonds, leastR2: 0.96 },
  { name: 'txhousing', ...housing, leastR2: 0.93 },
  { name: 'chicago', ...rides, leastR2: 0.9 },
])('on $name', ({ model, predictor, testRows, leastR2 }) => {
  const calibrated = model.metrics.held_out_rows;

  test.each([0.5, 0.8, 0.9, 0.95])('intervals at level %d cover that fraction of new rows', (level) => {
    const predictions = predictor.predict(testRows, { confidence: level });
    expect(predictions.every(({ confidence }) => confidence === level)).toBe(true);
    const share = covered(predictions);
    expect(Math.abs(share - level)).toBeLessThan(band(level, calibrated, testRows.length));
  });

  test('confidences chosen per row hold on average', () => {
    const predictions = predictor.predict(testRows);
    const said = predictions.reduce((sum, { confidence }) => sum + confidence, 0) / predictions.length;
    // Levels from 0.01 to 0.99 are mixed here: the variance of a row is c(1 − c), averaged below.
    const mixed = predictions.reduce((sum, { confidence: c }) => sum + c * (1 - c), 0) / predictions.length;
    const tolerance = 3 * Math.sqrt(mixed * (1 / calibrated + 1 / testRows.length));
    expect(Math.abs(covered(predictions) - said)).toBeLessThan(tolerance);
    expect(new Set(predictions.map(({ confidence }) => confidence)).size).toBeGreaterThan(10);
  });

  test('every quintile of rows is covered, from the easiest to the hardest', () => {
    const byWidth = predictor
      .predict(testRows, { confidence: 0.9 })
      .toSorted((a, b) => a.max - a.min - (b.max - b.min));
    for (let fifth = 0; fifth < 5; fifth++) {
      const part = byWidth.slice((fifth * byWidth.length) / 5, ((fifth + 1) * byWidth.length) / 5);
      // A fifth is counted on a fifth of the rows, and calibrated on about the same fraction.
      const tolerance = band(0.9, calibrated / 5, part.length);
      expect(Math.abs(covered(part) - 0.9), `fifth ${fifth}`).toBeLessThan(tolerance);
    }
  });

  test('confidences hold in every range, as counted in training and on new rows', () => {
    const counted = model.metrics.reliability;
    expect(counted.reduce((sum, { rows }) => sum + rows, 0)).toBe(calibrated);
    for (const { nominal, observed, rows } of counted) {
      expect(Math.abs(observed - nominal), `${nominal}`).toBeLessThan(band(nominal, rows, rows) + 1 / rows);
    }
    const predictions = predictor.predict(testRows);
    for (const { nominal, rows } of counted) {
      const isHere = ({ confidence }: Prediction) => rangeOf(confidence) === rangeOf(nominal);
      const here = predictions.filter(isHere);
      if (here.length < MIN_ROWS_IN_RANGE) continue;
      const mean = here.reduce((sum, { confidence }) => sum + confidence, 0) / here.length;
      const tolerance = band(mean, rows, here.length);
      expect(Math.abs(covered(here) - mean), `${nominal}`).toBeLessThan(tolerance);
    }
  });

  test('predictions are good, and as good as the metrics say', () => {
    const { r2, rmse, mae, baseline_rmse, baseline_mae, interval_coverage } = model.metrics;
    expect(r2).toBeGreaterThan(leastR2);
    expect(r2).toBeCloseTo(1 - (rmse / baseline_rmse) ** 2, 2);
    expect(mae).toBeLessThan(baseline_mae / 4);
    const onNewRows = measureError(predictor.predict(testRows));
    expect(onNewRows / rmse).toBeGreaterThan(0.8);
    expect(onNewRows / rmse).toBeLessThan(1.25);
    const byError = model.metrics.interval_coverage_by_error ?? [];
    expect(byError).toHaveLength(5);
    expect(byError.reduce((sum, share) => sum + share, 0) / 5).toBeCloseTo(interval_coverage, 2);
    // Each half calibrates the other.
    const tolerance = band(0.9, calibrated, calibrated);
    expect(Math.abs(interval_coverage - 0.9)).toBeLessThan(tolerance);
  });

  test('trees keep to 32 leaves and 256 bins', () => {
    const trees = treesOf(model);
    expect(trees.length).toBeGreaterThan(50);
    expect(Math.max(...trees.map(({ leaves }) => leaves.length))).toBeLessThanOrEqual(32);
    const bins = trees.flatMap(({ splits }) => splits.flatMap(({ left_bins }) => left_bins));
    expect(bins.filter((bin) => bin < 0 || bin > 255)).toEqual([]);
  });
});

function treesOf({ value_forest, error_forest }: RegressionModel) {
  return [...value_forest.trees, ...error_forest.trees];
}

describe.each([
  { name: 'diamonds', ...diamonds, main: 'carat', minor: 'table', category: 'clarity' },
  { name: 'txhousing', ...housing, main: 'city', minor: 'month', category: 'city' },
])(
  'on $name, rows that leave out what the table always had',
  ({ model, predictor, testRows, target, main, minor, category }) => {
    const names = model.columns.map(({ name }) => name);
    const masked = maskAtRandom(testRows, names);
    const unseen = testRows.map((row) => ({ ...row, [category]: 'unheard of' }));
    const alike = [
      { left: main, rows: testRows.map((row) => without(row, [main])) },
      { left: minor, rows: testRows.map((row) => without(row, [minor])) },
      { left: 'all', rows: testRows.map((row) => without(row, names)) },
      { left: `all but ${main}`, rows: testRows.map((row) => ({ ...empty(row), [main]: row[main] })) },
      { left: `${category}, which is unseen`, rows: unseen },
    ];

    function empty(row: Row): Row {
      return { [target]: row[target] };
    }

    test.each([0.5, 0.8, 0.9])('are covered at level %d, whatever they leave out', (level) => {
      const share = covered(predictor.predict(masked, { confidence: level }));
      const tolerance = band(level, model.metrics.held_out_rows, masked.length);
      expect(Math.abs(share - level)).toBeLessThan(tolerance);
    });

    test('get confidences that are true, low ones and high ones', () => {
      const byConfidence = predictor.predict(masked).toSorted((a, b) => a.confidence - b.confidence);
      const third = Math.floor(byConfidence.length / 3);
      for (const part of [0, 1, 2].map((of) => byConfidence.slice(of * third, (of + 1) * third))) {
        const said = part.map(({ confidence }) => confidence);
        const variance = average(said.map((level) => level * (1 - level)));
        const calibrated = model.metrics.held_out_rows / 3;
        const tolerance = 3 * Math.sqrt(variance * (1 / calibrated + 1 / third));
        expect(Math.abs(covered(part) - average(said))).toBeLessThan(tolerance);
      }
    });

    test.each(alike)('are not badly under-covered if they all leave out $left', ({ rows }) => {
      for (const level of [0.5, 0.8, 0.9]) {
        const share = covered(predictor.predict(rows, { confidence: level }));
        expect(share).toBeGreaterThan(level - OFF);
      }
      const own = predictor.predict(rows);
      expect(covered(own)).toBeGreaterThan(average(own.map((p) => p.confidence)) - OFF);
    });

    test('leave the answers to other rows as they are, to the last bit', () => {
      const plain = new Predictor({ ...model, partial_rows: null });
      const rows = testRows.slice(0, 300);
      const mixed = predictor.predict(rows.flatMap((row) => [row, empty(row)]));
      expect(mixed.filter((_, index) => index % 2 === 0)).toEqual(plain.predict(rows));
    });

    test('are as unsure as the target varies if they leave out everything', () => {
      const complete = average(predictor.predict(testRows).map(({ confidence }) => confidence));
      const nothing = predictor.predict([{}, null, 7, 'text', [], { other: 1 }]);
      for (const prediction of nothing) expect(prediction).toEqual(nothing[0]);
      const [{ value, confidence } = { value: 0, confidence: 1 }] = nothing;
      expect(confidence).toBeLessThan(complete - 0.3);
      const targets = testRows.map((row) => Number(row[target]));
      const offMean = Math.abs(value - average(targets));
      expect(offMean).toBeLessThan(model.metrics.baseline_rmse / 4);
    });

    test('cost little where the column matters little', () => {
      const confidenceOf = (left: string) =>
        average(predictor.predict(testRows.map((row) => without(row, [left]))).map((p) => p.confidence));
      expect(confidenceOf(minor)).toBeGreaterThan(confidenceOf(category) + 0.01);
    });
  },
);

test('gaps that training has learnt about leave a row ordinary', () => {
  const plain = new Predictor({ ...housing.model, partial_rows: null });
  const gaps = housing.testRows.slice(0, 300).map((row) => without(row, ['listings']));
  expect(housing.predictor.predict(gaps)).toEqual(plain.predict(gaps));
});

test('columns of diamonds are summarized', () => {
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

test('the most important columns of a diamond are its weight, clarity and colour, and lengths that follow the weight', () => {
  const { columns, metrics } = diamonds.model;
  const byPermutation = columns
    .toSorted((a, b) => (b.importance?.permutation ?? 0) - (a.importance?.permutation ?? 0))
    .map(({ name }) => name);
  expect(byPermutation.slice(0, 5).sort()).toEqual(['carat', 'clarity', 'color', 'x', 'y'].sort());
  const [carat] = columns;
  expect(carat?.importance?.permutation).toBeGreaterThan(metrics.rmse);
});

test('the date is the most important column of rides in Chicago: by weekday and season', () => {
  const { model, predictor, testRows } = rides;
  expect(model.features.map(({ part }) => part)).toContain('day_of_week');
  expect(model.columns[0]?.importance?.gain).toBeGreaterThan(0.8);
  expect(measureError(predictor.predict(testRows))).toBeLessThan(2);
});

/**
 * The root mean squared errors of LightGBM 4.1.0 (its command line) on the test rows of `judge`,
 * trained on all of the other rows: objective=regression num_trees=100 num_leaves=31
 * learning_rate=0.1 min_data_in_leaf=20 max_bin=255, text columns as categorical_feature, dates as
 * milliseconds and as the same parts that Roster derives from them.
 */
const LIGHTGBM: { name: Dataset; target: string; error: number }[] = [
  { name: 'diamonds', target: 'price', error: 617.495 },
  { name: 'txhousing', target: 'median', error: 8573.14 },
  { name: 'txhousing', target: 'sales', error: 62.9352 },
  { name: 'chicago', target: 'ridership', error: 1.61615 },
  { name: 'concrete', target: 'compressive_strength', error: 4.52631 },
];

/** The model, but with a forest grown at the settings above. */
function atTheSameSettings(table: RegressionTable, model: RegressionModel): RegressionModel {
  const target = table.targetValues.map((value) => toStandard(model.target_scale, value));
  const limits = { maxLeaves: 31, minRowsPerLeaf: 20 };
  const rows = everyRow(table.rowCount);
  return {
    ...model,
    value_forest: learnForest(prepareTable(table).binned, rows, target, limits, 100),
    partial_rows: null,
  };
}

test.each(LIGHTGBM)(
  'on $name, $target, errors are at most 3 % above LightGBM at its settings, and below it at ours',
  async ({ name, target, error }) => {
    const { table, model, testRows } = await judge(name, target);
    const errorWith = (of: RegressionModel) => measureError(new Predictor(of).predict(testRows));
    expect(errorWith(atTheSameSettings(table, model)) / error).toBeLessThan(1.03);
    expect(errorWith(model) / error).toBeLessThan(1);
  },
);
