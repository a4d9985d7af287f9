import { expect, test } from 'vitest';
import { describeSeasons } from './season-words.js';

const errors = (mae: number) => ({ mae, smape: 10, mase: 1 });
const metrics = {
  value_count: 100,
  errors: errors(3.1372),
  baseline_errors: errors(9),
  errors_by_step: [],
  baseline_errors_by_step: [],
  interval_level: 0.9,
  interval_coverage: 0.9,
  interval_coverage_by_step: [],
  worst_series: [],
};
const gridOf = (unit: 'hour' | 'weekday' | 'week') =>
  ({ form: 'date', step: { unit, count: 1 }, origin: 0, day: 1 }) as const;
const season = (length: number, series_share: number, mae: number) => ({
  length,
  series_share,
  strength: series_share > 0 ? 0.75 : null,
  repeat_errors: errors(mae),
});

test('seasons that were found are named, with the best naive forecast', () => {
  const seasons = [season(24, 1, 8), season(168, 0.5, 4)];
  expect(describeSeasons({ grid: gridOf('hour'), metrics: { ...metrics, seasons } })).toBe(
    'Values repeat by the day (in 100 % of the series, where it makes up 75 % of the movement) and the week (in 50 % of the series, where it makes up 75 % of the movement). On the last values of the series, forecasts were off by 3.14 on average; the best naive forecast, repeating the last week, by 4.',
  );
});

test('seasons that were not found, or not looked for, are none', () => {
  const seasons = [season(5, 0, 20), season(260.9, 0, 30)];
  expect(describeSeasons({ grid: gridOf('weekday'), metrics: { ...metrics, seasons } })).toMatch(
    /^No season was found\. .* repeating the last season or value, by 9\.$/,
  );
  expect(describeSeasons({ grid: gridOf('week'), metrics })).toMatch(/^On the last values/);
});
