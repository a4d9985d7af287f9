import { expect, test } from 'vitest';
import { Progress } from '../../training/progress.js';
import { seededRandom } from '../../trees/random.js';
import { finish } from '../../trees/steps.js';
import { Forecaster, fitForecaster } from './method.js';
import type { ForecastSeries, SeriesSet } from './series.js';

const HORIZON = 5;
const LENGTH = 40;
const LIVE = 40;

/** Values after the start of series that were still before. */
const STARTED = 6;

/** Series of values around 25; those after the first ones have one value until they start. */
function makeSeries(still: number, before: number): ForecastSeries[] {
  const random = seededRandom(9);
  return Array.from({ length: LIVE + still }, (_, series) => ({
    start: 0,
    values: Float64Array.from({ length: LENGTH }, (_, at) => {
      const value = 20 + 10 * random();
      return series < LIVE || at >= LENGTH - STARTED ? value : before;
    }),
    past: [],
    known: [],
  }));
}

function fit(series: readonly ForecastSeries[]) {
  const set: SeriesSet = { season: 1, calendar: () => [], series };
  const { model } = fitForecaster(set, { horizon: HORIZON, seed: 1, progress: new Progress(() => {}) });
  const forecaster = finish(Forecaster.create(model, set));
  const forecasts = forecaster.forecast(series, HORIZON);
  const widths = forecasts.slice(0, LIVE).map((forecast) =>
    Array.from({ length: HORIZON }, (_, step) => {
      const { low, high } = forecaster.interval(forecast, step, 0.95);
      return high - low;
    }),
  );
  return { metrics: model.metrics, widths };
}

const alone = fit(makeSeries(0, 0));

test.each([
  [1, 0],
  [4, 0],
  [4, 100],
])('intervals stay in proportion to the errors of a series, beside %i others that stood at %i', (still, before) => {
  const { widths } = fit(makeSeries(still, before));
  for (const [series, ofSeries] of widths.entries()) {
    for (const [step, width] of ofSeries.entries()) {
      const own = alone.widths[series]?.[step] ?? 0;
      expect(width).toBeLessThan(3 * own);
      expect(width).toBeGreaterThan(own / 3);
    }
  }
});

test('series that stay as they are do not narrow the intervals of others', () => {
  const still = makeSeries(3 * LIVE, 0).map((one, series) =>
    series < LIVE ? one : { ...one, values: one.values.fill(0) },
  );
  const { widths } = fit(still);
  for (const [series, ofSeries] of widths.entries()) {
    for (const [step, width] of ofSeries.entries()) {
      expect(width).toBeGreaterThan(0.8 * (alone.widths[series]?.[step] ?? 0));
    }
  }
});

test('the coverage counts series that begin to move, although they do not calibrate', () => {
  const { metrics } = fit(makeSeries(LIVE, 0));
  expect(metrics.value_count).toBe(2 * alone.metrics.value_count);
  expect(metrics.interval_coverage).toBeLessThan(0.8);
});

test('few series that have just begun to move have intervals of the size of their values', () => {
  const { widths } = fit(makeSeries(3, 0).slice(LIVE));
  for (const width of widths.flat()) expect(width).toBeLessThan(1000);
});

test('a table of series that never moved still has intervals', () => {
  const still = makeSeries(0, 0).map((one) => ({ ...one, values: one.values.fill(7) }));
  const { metrics, widths } = fit(still);
  expect(metrics.interval_coverage).toBe(1);
  for (const width of widths.flat()) expect(width).toBeLessThan(0.1);
});
