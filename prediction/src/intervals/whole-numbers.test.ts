import { describe, expect, test } from 'vitest';
import { band, covered, makeRows, readRows } from '../../../testkit/prediction/sample-tables.js';
import { type Prediction, Predictor, train } from '../index.js';

/** Whole numbers in a range, which follow from x with some noise. */
function wholeRows(count: number, least: number, most: number) {
  return makeRows(count, (random) => {
    const x = random();
    const y = least + (most - least) * x + 3 * (random() - 0.5);
    return { x, z: random(), y: Math.min(Math.max(Math.round(y), least), most) };
  });
}

describe.each([
  ['few', 1, 4],
  ['many', -20, 20],
])('a target of %s whole numbers', (_how, least, most) => {
  const rows = wholeRows(6000, least, most);
  const model = train(readRows(rows.slice(0, 3000), 'y'));
  const predictor = new Predictor(model);
  const others = rows.slice(3000);
  const own = predictor.predict(others);

  test('is answered with whole numbers, and whole bounds', () => {
    const asked = predictor.predict(others, { confidence: 0.9 });
    for (const { value, min, max } of [...own, ...asked]) {
      expect([value, min, max].every(Number.isInteger)).toBe(true);
      expect(min).toBeLessThanOrEqual(value);
      expect(max).toBeGreaterThanOrEqual(value);
      expect(min).toBeGreaterThanOrEqual(least);
      expect(max).toBeLessThanOrEqual(most);
    }
  });

  test('is answered with confidences that come true after the rounding', () => {
    for (const predictions of [own, predictor.predict(others, { confidence: 0.6 })]) {
      const mean = (of: readonly Prediction[]) =>
        of.reduce((sum, { confidence }) => sum + confidence, 0) / of.length;
      const nominal = mean(predictions);
      expect(Math.abs(covered(predictions) - nominal)).toBeLessThan(band(nominal, 3000, 3000));
    }
  });

  test('is measured as it is answered', () => {
    for (const { nominal, observed, rows: count } of model.metrics.reliability) {
      expect(Math.abs(observed - nominal)).toBeLessThan(band(nominal, count, count) + 1 / count);
    }
    const squares = own.reduce(
      (sum, { value, original }) => sum + (value - Number(original)) ** 2,
      0,
    );
    expect(Math.sqrt(squares / own.length) / model.metrics.rmse).toBeCloseTo(1, 1);
  });
});
