import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../trees/random.js';
import type { Outcome } from './backtest.js';
import { countEffective, widenLevel } from './effective-scores.js';

const SERIES = 40;
const MOMENTS = 60;

/** Outcomes of all series at all moments; the error is that of the moment, that of the series, or a part of each. */
function outcomesOf(errorAt: (series: number, moment: number) => number, starts: readonly number[]): Outcome[] {
  return starts.flatMap((start, series) =>
    Array.from({ length: MOMENTS }, (_, moment) => ({
      series,
      position: moment - start,
      unit: 1,
      actual: errorAt(series, moment),
      forecast: 0,
      scale: 1,
      isScaleAssumed: false,
      lowest: Number.NEGATIVE_INFINITY,
      isIntermittent: false,
      repeated: 0,
      naives: [0],
      naiveError: 1,
    })),
  );
}

const random = seededRandom(1);
const own = Float64Array.from({ length: SERIES * MOMENTS }, () => random());
const shocks = Float64Array.from({ length: 2 * MOMENTS }, () => random());
const ownAt = (series: number, moment: number) => own[series * MOMENTS + moment] ?? 0;
const shockAt = (moment: number) => shocks[moment] ?? 0;

// Series that begin at different moments meet a shock at different positions.
const starts = Array.from({ length: SERIES }, (_, series) => -series);

describe('the number of independent scores', () => {
  test('is that of the scores, where series move by themselves', () => {
    const [count = 0] = countEffective([outcomesOf(ownAt, starts)], starts);
    expect(count).toBeGreaterThan(0.6 * SERIES * MOMENTS);
    expect(count).toBeLessThanOrEqual(SERIES * MOMENTS);
  });

  test('is that of the moments, where a shock at each is all there is', () => {
    const [count = 0] = countEffective([outcomesOf((_, moment) => shockAt(moment), starts)], starts);
    expect(count).toBeGreaterThan(0.9 * MOMENTS);
    expect(count).toBeLessThan(1.1 * MOMENTS);
  });

  test('lies between, where shocks are a part of the errors', () => {
    const some = outcomesOf((series, moment) => 0.7 * ownAt(series, moment) + 0.3 * shockAt(moment), starts);
    const [count = 0] = countEffective([some], starts);
    expect(count).toBeGreaterThan(2 * MOMENTS);
    expect(count).toBeLessThan(0.5 * SERIES * MOMENTS);
  });

  test('is smaller for far steps, whose forecasts share what happens meanwhile', () => {
    const steps = 6;
    const sumOf = (count: number) => (_: number, moment: number) => {
      let sum = 0;
      for (let back = 0; back < count; back++) sum += shockAt(moment + back);
      return sum;
    };
    const counts = countEffective(
      Array.from({ length: steps }, (_, step) => outcomesOf(sumOf(step + 1), starts)),
      starts,
    );
    expect(counts[5]).toBeLessThan(0.6 * (counts[0] ?? 0));
    expect(counts[5]).toBeGreaterThan(MOMENTS / 12);
  });

  test('is at least one of any scores, and none of none', () => {
    const [one] = outcomesOf(ownAt, starts);
    expect(countEffective([one ? [one] : [], []], starts)).toEqual([1, 0]);
    const same = outcomesOf(() => 1, starts);
    expect(countEffective([same], starts)[0]).toBeGreaterThanOrEqual(1);
  });
});

test('a level of scores that depend on each other is wider, the more so the fewer they are worth', () => {
  expect(widenLevel(0.9, 500, 500)).toBe(0.9);
  expect(widenLevel(0.9, 500, 50)).toBeGreaterThan(0.905);
  expect(widenLevel(0.9, 500, 10)).toBeGreaterThan(widenLevel(0.9, 500, 50));
  expect(widenLevel(0.9, 500, 1)).toBe(1);
});
