import { expect, test } from 'vitest';
import { Progress } from '../../training/progress.js';
import { finish } from '../../trees/steps.js';
import { Forecaster, fitForecaster, maxHorizon } from './method.js';
import type { ForecastSeries, SeriesSet } from './series.js';

const calendar = (position: number) => [position % 12];

function series(values: readonly number[], start = 0): ForecastSeries {
  return { start, values: Float64Array.from(values), past: [], known: [] };
}

test('refuses a horizon beyond what the series can calibrate', () => {
  const set: SeriesSet = { season: 1, calendar, series: [series(Array.from({ length: 30 }, Math.sin))] };
  expect(maxHorizon(set)).toBe(19);
  const progress = new Progress(() => {});
  expect(() => fitForecaster(set, { horizon: 20, seed: 1, progress })).toThrow(
    'The horizon must be within 1 to 19, but is 20.',
  );
  const { model } = fitForecaster(set, { horizon: 19, seed: 1, progress });
  const forecaster = finish(Forecaster.create(model, set));
  const [forecast] = forecaster.forecast(set.series, 19);
  expect(forecast?.values).toHaveLength(19);
});
