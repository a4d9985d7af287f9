import { describe, expect, test } from 'vitest';
import { band, covered, makeRows, readRows } from '../../../testkit/prediction/sample-tables.js';
import {
  createPredictor,
  decodeModel,
  encodeModel,
  type Prediction,
  Predictor,
  type RegressionModel,
  readRowsTable,
  train,
} from '../index.js';

/** Whole numbers in a range, which follow from x with some noise. */
function wholeRows(count: number, least: number, most: number) {
  return makeRows(count, (random) => {
    const x = random();
    const y = least + (most - least) * x + 3 * (random() - 0.5);
    return { x, z: random(), y: Math.min(Math.max(Math.round(y), least), most) };
  });
}

/** Counts whose mean is about `rate`, and depends on x (Knuth's method for Poisson deviates). */
function countRows(count: number, rate: number) {
  return makeRows(count, (random) => {
    const x = 2 * (random() + random() + random() - 1.5);
    const limit = Math.exp(-rate * Math.exp(0.7 * x));
    let y = 0;
    for (let product = random(); product > limit; product *= random()) y++;
    return { x, z: random(), y };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rootMeanSquare(errors: readonly number[]): number {
  return Math.sqrt(mean(errors.map((error) => error ** 2)));
}

function errorsOf(predictions: readonly Prediction[]): number[] {
  return predictions.map(({ value, original }) => value - Number(original));
}

const TABLES = [
  ['few', wholeRows(6000, 1, 4)],
  ['many', wholeRows(6000, -20, 20)],
  ['counted', countRows(6000, 0.3)],
] as const;

describe.each(TABLES)('a target of %s whole numbers', (_how, rows) => {
  const table = rows.slice(0, 3000);
  const others = rows.slice(3000);
  const truths = rows.map(({ y }) => Number(y));
  const model = train(readRows(table, 'y'));
  const predictor = new Predictor(model);
  const own = predictor.predict(others);

  test('is answered with a mean between whole bounds', () => {
    const asked = predictor.predict(others, { confidence: 0.9 });
    for (const { value, min, max } of [...own, ...asked]) {
      expect([min, max].every(Number.isInteger)).toBe(true);
      expect(min).toBeLessThanOrEqual(value);
      expect(max).toBeGreaterThanOrEqual(value);
      expect(min).toBeGreaterThanOrEqual(Math.min(...truths));
    }
    expect(own.some(({ value }) => !Number.isInteger(value))).toBe(true);
  });

  test('is answered with confidences that come true between these bounds', () => {
    for (const predictions of [own, predictor.predict(others, { confidence: 0.6 })]) {
      const nominal = mean(predictions.map(({ confidence }) => confidence));
      expect(Math.abs(covered(predictions) - nominal)).toBeLessThan(band(nominal, 3000, 3000));
    }
  });

  test('is measured as it is answered', () => {
    for (const { nominal, observed, rows: count } of model.metrics.reliability) {
      expect(Math.abs(observed - nominal)).toBeLessThan(band(nominal, count, count) + 1 / count);
    }
    expect(Math.abs(rootMeanSquare(errorsOf(own)) / model.metrics.rmse - 1)).toBeLessThan(0.1);
  });

  test('is answered with whole numbers by a model that was stored before means were kept', () => {
    const { keeps_mean: _, ...target_support } = model.target_support;
    const stored = decodeModel(encodeModel({ ...model, target_support }));
    const answers = new Predictor(asRegressor(stored)).predict(others);
    for (const { value, min, max } of answers) {
      expect([value, min, max].every(Number.isInteger)).toBe(true);
    }
    const kept = new Predictor(asRegressor(decodeModel(encodeModel(model)))).predict(others);
    expect(kept).toEqual(own);
  });
});

function asRegressor(model: ReturnType<typeof decodeModel>): RegressionModel {
  if (model.task === 'regression') return model;
  throw new Error('The model is of another task.');
}

describe.each([0.1, 0.3, 1, 5])('counts with a mean of %d', (rate) => {
  const rows = countRows(5000, rate);
  const { metrics } = train(readRows(rows, 'y'));
  const groups = metrics.predicted_actual;
  const sumOf = (of: (group: (typeof groups)[number]) => number) =>
    groups.reduce((sum, group) => sum + group.rows * of(group), 0);

  test('are predicted so that the sum over rows that were held out is that of the truths', () => {
    const predicted = sumOf((group) => group.predicted);
    const actual = sumOf((group) => group.actual);
    expect(Math.abs(predicted / actual - 1)).toBeLessThan(0.02);
  });

  test('are predicted no worse than by their mean', () => {
    expect(metrics.rmse).toBeLessThan(1.01 * metrics.baseline_rmse);
  });
});

test('a region of few whole numbers is bounded by those that the target has', () => {
  const rows = makeRows(1200, (random) => {
    const x = random();
    return { x, y: [0, 10, 20][Math.min(2, Math.floor(2 * x + 1.2 * random()))] };
  });
  const predictor = new Predictor(train(readRows(rows.slice(0, 600), 'y')));
  for (const { value, min, max } of predictor.predict(rows.slice(600), { confidence: 0.8 })) {
    expect([0, 10, 20]).toContain(min);
    expect([0, 10, 20]).toContain(max);
    expect(min).toBeLessThanOrEqual(value);
    expect(max).toBeGreaterThanOrEqual(value);
  }
});

describe('forecasts of counts', () => {
  const goal = { orderBy: 'day', groupBy: ['shop'], horizon: 4, known: [] };
  const rows = countRows(3000, 2).map(({ y }, index) => ({
    day: 1 + Math.floor(index / 60),
    shop: `shop ${index % 60}`,
    y,
  }));
  const isComing = ({ day }: { day: number }) => day > 46;
  const model = train(
    readRowsTable(
      rows.filter((row) => !isComing(row)),
      'y',
      { task: goal },
    ),
  );
  if (model.task !== 'forecast') throw new Error('The model is of another task.');
  const answers = createPredictor(model).predict([], { confidence: 0.8 });
  const truths = new Map(rows.filter(isComing).map((row) => [`${row.shop} ${row.day}`, row.y]));

  test('are means between whole bounds, which hold as many truths as they promise', () => {
    let kept = 0;
    for (const { row, value, min, max } of answers) {
      expect([min, max].every(Number.isInteger)).toBe(true);
      expect(min).toBeLessThanOrEqual(value);
      expect(max).toBeGreaterThanOrEqual(value);
      const truth = Number(truths.get(`${row['shop']} ${row['day']}`));
      kept += Number(truth >= min && truth <= max);
    }
    expect(answers).toHaveLength(240);
    expect(answers.some(({ value }) => !Number.isInteger(value))).toBe(true);
    expect(kept / answers.length).toBeGreaterThan(0.72);
  });

  test('have the bounds of the release that stored their model', () => {
    const { whole_target: _, ...earlier } = model;
    const stored = decodeModel(encodeModel(earlier));
    if (stored.task !== 'forecast') throw new Error('The model is of another task.');
    const bounds = createPredictor(stored).predict([], { confidence: 0.8 });
    expect(bounds.map(({ value }) => value)).toEqual(answers.map(({ value }) => value));
    expect(bounds.some(({ max }) => !Number.isInteger(max))).toBe(true);
  });
});
