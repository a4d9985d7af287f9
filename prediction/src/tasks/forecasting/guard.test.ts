import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from './backtest.js';
import { chooseGuard, mixOutcomes } from './guard.js';

const value = fc.integer({ min: 0, max: 100 });
const outcome = fc
  .record({ actual: value, forecast: value, last: value, season: value })
  .map(
    ({ actual, forecast, last, season }): Outcome => ({
      series: 0,
      position: 0,
      unit: 1,
      actual,
      forecast,
      scale: 1,
      isScaleAssumed: false,
      lowest: 0,
      repeated: last,
      naives: [last, season],
      isIntermittent: false,
      naiveError: 2,
    }),
  );

function meanError(outcomes: readonly Outcome[], forecastOf: (outcome: Outcome) => number): number {
  return outcomes.reduce((sum, one) => sum + Math.abs(one.actual - forecastOf(one)), 0) / outcomes.length;
}

test('forecasts that are mixed are at most a hundredth worse than the best naive ones, of which they have no more than that takes', () => {
  let [mixed, plain] = [0, 0];
  fc.assert(
    fc.property(fc.array(outcome, { minLength: 1, maxLength: 12 }), (outcomes) => {
      const naive = chooseGuard([outcomes]);
      const errorOf = (share: typeof naive) => {
        const [ofStep = []] = mixOutcomes([outcomes], share);
        return meanError(ofStep, ({ forecast }) => forecast);
      };
      const best = Math.min(...[0, 1].map((index) => meanError(outcomes, ({ naives }) => naives[index] ?? 0)));
      const most = 1.01 * best + 1e-9;
      expect(errorOf(naive)).toBeLessThanOrEqual(most);
      if (!naive) plain++;
      else {
        mixed++;
        const less = naive.share > 0.25 ? { ...naive, share: naive.share - 0.25 } : undefined;
        expect(errorOf(less)).toBeGreaterThan(most - 2e-9);
      }
    }),
  );
  expect(Math.min(mixed, plain)).toBeGreaterThan(5);
});

test('the mean of intermittent demand is not mixed with naive forecasts, which are mostly 0', () => {
  const rare = fc
    .sample(outcome, 8)
    .map((one) => ({ ...one, actual: 0, forecast: 2, naives: [0], isIntermittent: true }));
  expect(chooseGuard([rare])).toBeUndefined();
  expect(chooseGuard([rare.map((one) => ({ ...one, isIntermittent: false }))])).toEqual({ index: 0, share: 1 });
});
