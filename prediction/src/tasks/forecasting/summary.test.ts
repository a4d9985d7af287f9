import { expect, test } from 'vitest';
import { describeForecast } from './metrics.js';

const METRICS = {
  value_count: 540,
  errors_by_step: [],
  baseline_errors_by_step: [],
  interval_level: 0.9,
  interval_coverage: null,
  interval_coverage_by_step: [],
  worst_series: [],
};

test.each<[string, number, string]>([
  ['as its errors say', 8, 'Better than repeating the last season: on 540 forecasts of values'],
  [
    'in units of each series, where its errors say the contrary',
    12.9,
    'Better than repeating the last season in units of each series (MASE 0.78 against 0.85): on 540 forecasts of values',
  ],
])('a forecaster is judged %s', (_, mae, begin) => {
  const summary = describeForecast(
    { ...METRICS, errors: { mae, smape: 12, mase: 0.78 }, baseline_errors: { mae: 11.9, smape: 9.6, mase: 0.85 } },
    { method: { season: 12 } },
  );
  expect(summary.slice(0, begin.length)).toBe(begin);
});

test('a forecaster is compared with the best season that is repeated', () => {
  const errorsOf = (mase: number) => ({ mae: 10 * mase, smape: 10, mase });
  const seasons = [24, 168].map((length, index) => ({
    length,
    series_share: 1,
    strength: 0.5,
    repeat_errors: errorsOf(0.9 - index / 10),
  }));
  const metrics = { ...METRICS, errors: errorsOf(0.85), baseline_errors: errorsOf(0.9), seasons };
  expect(describeForecast(metrics, { method: { season: 24 } })).toBe(
    'No better than repeating what was 168 steps before: on 540 forecasts of values at the ends of the series, they are off by 8.5 on average (sMAPE 10 %), repeating what was 168 steps before is by 8 (10 %).',
  );
});

test.each<[string, number, boolean]>([
  ['says that intervals held too few values', 0.859, true],
  ['takes what may be chance for what was promised', 0.88, false],
])('a summary %s', (_, interval_coverage, isTold) => {
  const errors = { mae: 8, smape: 12, mase: 0.78 };
  const metrics = { ...METRICS, errors, baseline_errors: errors, interval_coverage };
  const summary = describeForecast(metrics, { method: { season: 1 } });
  expect(summary.endsWith('within intervals for 90 %, which is too few.')).toBe(isTold);
});
