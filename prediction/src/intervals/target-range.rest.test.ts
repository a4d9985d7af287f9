import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { covered, makeRows, type Row, readRows } from '../../../testkit/prediction/sample-tables.js';
import { type Prediction, Predictor, train } from '../index.js';
import { findSupport, withinSupport } from './target-range.js';

const LEVELS = [0.5, 0.8, 0.9, 0.95];

/** Trains on the first rows, and predicts the others at several levels and of its own accord. */
function predictOthers(rows: readonly Row[], count: number): Prediction[][] {
  const predictor = new Predictor(train(readRows(rows.slice(0, count), 'y')));
  const others = rows.slice(count);
  return [...LEVELS.map((confidence) => predictor.predict(others, { confidence })), predictor.predict(others)];
}

function expectCovered(predictions: readonly Prediction[][]): void {
  for (const [index, level] of LEVELS.entries()) {
    expect(covered(predictions[index] ?? []), String(level)).toBeGreaterThan(level - 0.05);
  }
}

/** A deviate of the standard normal distribution (Box & Muller 1958). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

describe('answers keep to what the target can be', () => {
  test('of two values: within them, and the bounds are either', () => {
    const rows = makeRows(2000, (random) => {
      const x = random();
      return { x, z: random(), y: Number(random() < x) };
    });
    const predictions = predictOthers(rows, 1000);
    for (const { value, min, max } of predictions.flat()) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      expect([min, max].every((end) => end === 0 || end === 1 || end === value)).toBe(true);
    }
    expectCovered(predictions);
  });

  test('of few values: bounds are among them or the value itself', () => {
    const stars = [1, 2, 3, 4.5, 5];
    const rows = makeRows(2000, (random) => {
      const x = random();
      return { x, y: stars[Math.min(4, Math.floor(5 * x + random()))] };
    });
    const predictions = predictOthers(rows, 1000);
    for (const { value, min, max } of predictions[2] ?? []) {
      expect(min === value || stars.includes(min)).toBe(true);
      expect(stars.some((star) => star >= min && star <= max)).toBe(true);
      expect(max === value || stars.includes(max)).toBe(true);
    }
    expectCovered(predictions);
  });

  test('of counts: whole bounds, none below zero', () => {
    const rows = makeRows(2000, (random) => {
      const x = random();
      return { x, y: Math.floor(-20 * x * Math.log(1 - random())) };
    });
    const predictions = predictOthers(rows, 1000);
    for (const { value, min, max } of predictions[2] ?? []) {
      expect(min).toBeGreaterThanOrEqual(0);
      expect(min === value || Number.isInteger(min)).toBe(true);
      expect(max === value || Number.isInteger(max)).toBe(true);
    }
    expectCovered(predictions);
  });

  test('of heavy tails: nothing below zero, and covered', () => {
    const rows = makeRows(2000, (random) => {
      const x = random();
      return { x, z: random(), y: Math.exp(3 * x + 1.5 * normal(random)) };
    });
    const predictions = predictOthers(rows, 1000);
    for (const { min } of predictions.flat()) expect(min).toBeGreaterThanOrEqual(0);
    expectCovered(predictions);
  });

  test('of positive numbers: no negative price, even for rows far from all others', () => {
    const rows = makeRows(1500, (random) => {
      const size = random();
      return { size, y: 5 + 1000 * size * random() };
    });
    const predictor = new Predictor(train(readRows(rows.slice(0, 1000), 'y')));
    const far = [{ size: -1e9 }, { size: 0 }, {}, ...rows.slice(1000)];
    for (const confidence of LEVELS) {
      for (const { min } of predictor.predict(far, { confidence })) {
        expect(min).toBeGreaterThanOrEqual(0);
      }
    }
    expectCovered(predictOthers(rows, 1000));
  });

  test('of one value but for one row', () => {
    const rows = makeRows(300, (_random, index) => ({ x: index, y: index === 77 ? 9 : 5 }));
    const predictor = new Predictor(train(readRows(rows, 'y')));
    for (const { value, min, max } of predictor.predict(rows, { confidence: 0.95 })) {
      expect(value).toBeGreaterThanOrEqual(5);
      expect(max).toBeLessThanOrEqual(9);
      expect(min).toBeGreaterThanOrEqual(5);
      expect(value).toBeLessThan(6);
    }
  });

  test('of negative numbers: none above zero', () => {
    const rows = makeRows(500, (random) => ({ x: random(), y: -(random() ** 4) }));
    for (const { max } of predictOthers(rows, 400).flat()) expect(max).toBeLessThanOrEqual(0);
  });

  test('of numbers of either sign: wherever they lie', () => {
    const rows = makeRows(500, (random) => ({ x: random(), y: random() - 0.01 }));
    const [ofHalf = []] = predictOthers(rows, 400);
    expect(ofHalf.some(({ min, max }) => min < 0.4 && max > 0.4)).toBe(true);
    expect(findSupport(Float64Array.from(rows, ({ y }) => Number(y)))).toEqual({
      lower: null,
      upper: null,
      is_whole: false,
      values: null,
    });
  });
});

describe('the support', () => {
  const targets = fc.array(
    fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
    { minLength: 1, maxLength: 60 },
  );
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: -6, max: 6, noNaN: true }),
  );
  const answer = fc
    .tuple(number, number, number)
    .map((numbers) => numbers.toSorted((a, b) => a - b))
    .map(([min = 0, value = 0, max = 0]) => ({ min, value, max }));

  test('never lets go of a value that the target had and the interval held', () => {
    fc.assert(
      fc.property(targets, answer, (values, before) => {
        const after = withinSupport(findSupport(Float64Array.from(values)), before);
        expect(after.min <= after.value && after.value <= after.max).toBe(true);
        for (const value of values) {
          if (value < before.min || value > before.max) continue;
          expect(after.min <= value && value <= after.max).toBe(true);
        }
        const slack = (before.max / 2 - before.min / 2) / 5;
        const isHeld = (value: number) => value >= before.min && value <= before.max;
        if (!values.some(isHeld)) return;
        // A whole value may lie just outside, and the bounds include it.
        expect(after.min).toBeGreaterThanOrEqual(Math.min(before.min - slack, after.value));
        expect(after.max).toBeLessThanOrEqual(Math.max(before.max + slack, after.value));
      }),
    );
  });

  test('ends where the scale does, if many values lie there', () => {
    const percents = Float64Array.from({ length: 300 }, (_, index) => Math.min(100, index + 0.5));
    expect(findSupport(percents)).toMatchObject({ lower: 0, upper: 100 });
    const prices = Float64Array.from({ length: 300 }, (_, index) => 10 + index / 7);
    expect(findSupport(prices)).toMatchObject({ lower: 0, upper: null });
    const one = Float64Array.from({ length: 300 }, (_, index) => index / 7);
    expect(findSupport(one)).toMatchObject({ lower: 0, upper: null });
    expect(findSupport(one.map((value) => -value))).toMatchObject({ lower: null, upper: 0 });
  });
});
