import { describe, expect, test } from 'vitest';
import { Progress } from '../../training/progress.js';
import { seededRandom } from '../../trees/random.js';
import { finish } from '../../trees/steps.js';
import { forecastIntermittent, isIntermittent } from './intermittent.js';
import { Forecaster, fitForecaster } from './method.js';
import type { ForecastSeries, SeriesSet } from './series.js';

const SEASON = 7;
const HORIZON = 3;
const LENGTH = 100;

/** Demands at random with a rate that drifts, each of 1 to 9, so that sizes differ; zeros at all other steps. */
function makeDemand(count: number, length: number, seed: number) {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const rate = 0.1 + 0.4 * random();
    const drift = 1 + 0.2 * (random() - 0.5);
    return Float64Array.from({ length }, (_, at) =>
      random() < rate * drift ** (at / length) ? 1 + Math.floor(9 * random() ** 2) : 0,
    );
  });
}

function setOf(series: readonly Float64Array[], seasons?: readonly number[]): SeriesSet {
  return {
    season: SEASON,
    ...(seasons && { seasons }),
    calendar: (position) => [position % SEASON],
    series: series.map((values): ForecastSeries => ({ start: 0, values, past: [], known: [] })),
  };
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

describe('demand with zeros between', () => {
  test.each<[string, number, readonly number[] | undefined]>([
    ['one season', 80, undefined],
    ['several seasons', 40, [SEASON, 365.25]],
  ])('is forecast by its mean, within intervals, with %s', (_, count, seasons) => {
    const all = makeDemand(count, LENGTH + HORIZON, 1);
    const set = setOf(
      all.map((values) => values.subarray(0, LENGTH)),
      seasons,
    );
    const options = { horizon: HORIZON, seed: 1, progress: new Progress(() => {}) };
    const { model } = fitForecaster(set, options);
    const forecaster = finish(Forecaster.create(model, set));
    const forecasts = forecaster.forecast(set.series, HORIZON);
    let [forecast, expected, covered] = [0, 0, 0];
    for (const [index, one] of forecasts.entries()) {
      forecast += sumOf(one.values);
      // The rate of the whole history, as chance moves the few values that come.
      expected += (sumOf(all[index] ?? one.values) / (LENGTH + HORIZON)) * HORIZON;
      for (let step = 0; step < HORIZON; step++) {
        const { low, high } = forecaster.interval(one, step, 0.9);
        const actual = all[index]?.[LENGTH + step] ?? Number.NaN;
        expect(low).toBeGreaterThanOrEqual(0);
        if (low <= actual && actual <= high) covered++;
      }
    }
    expect(forecast / expected).toBeGreaterThan(0.95);
    expect(forecast / expected).toBeLessThan(1.05);
    // A share of 120 values has a standard error of .03.
    expect(Math.abs(covered / (count * HORIZON) - 0.9)).toBeLessThan(0.06);
    expect(model.intermittent).toBe(true);
  });

  test('has the seasons of its rate, where they are more than chance', () => {
    const [even] = makeDemand(1, 30 * SEASON, 2);
    if (!even) throw new Error('There is no series.');
    const weekly = even.map((value, at) => (at % SEASON < 2 ? 0 : value));
    expect(isIntermittent(weekly)).toBe(true);
    const { values } = forecastIntermittent(weekly, [SEASON], SEASON);
    for (const [at, value] of values.entries()) {
      if (at < 2) expect(value).toBeLessThan(0.4);
      else expect(value).toBeGreaterThan(0.4);
    }
    const flat = forecastIntermittent(even, [SEASON], SEASON);
    expect(Math.max(...flat.values) - Math.min(...flat.values)).toBeLessThan(0.5 * (flat.values[0] ?? 0));
  });

  test('follows a rate that falls, and demand that ends', () => {
    const [first] = makeDemand(1, 400, 3);
    if (!first) throw new Error('There is no series.');
    const ended = first.map((value, at) => (at < 300 ? value : 0));
    const before = forecastIntermittent(ended.subarray(0, 300), [], 1).values[0] ?? 0;
    const after = forecastIntermittent(ended, [], 1).values[0] ?? 0;
    expect(after).toBeLessThan(0.2 * before);
  });

  test.each<[string, readonly number[], boolean]>([
    ['all zeros, then one', [...new Array<number>(50).fill(0), 1], true],
    ['all zeros', new Array<number>(50).fill(0), false],
    ['a launch', [...new Array<number>(30).fill(0), 3, 4, 5, 4, 3, 5, 4, 4], false],
    ['an end', [3, 4, 5, 4, 3, 5, 4, 4, ...new Array<number>(30).fill(0)], false],
    ['negative values', [0, 0, -1, 0, 2, 0, 0, 1], false],
    ['few zeros', [1, 2, 3, 0, 2, 1, 3, 4, 2, 1], false],
  ])('is distinguished from other series: %s', (_, values, expected) => {
    const history = Float64Array.from(values);
    expect(isIntermittent(history)).toBe(expected);
    const { values: forecast } = forecastIntermittent(history, [SEASON], 3);
    for (const value of forecast) expect(Number.isFinite(value) && value >= 0).toBe(true);
  });
});
