import { describe, expect, test } from 'vitest';
import { Progress } from '../../training/progress.js';
import { seededRandom } from '../../trees/random.js';
import { finish } from '../../trees/steps.js';
import { PartForecaster } from './forecaster.js';
import { fitForests } from './forests.js';
import { InputReader } from './inputs.js';
import { Forecaster, fitForecaster } from './method.js';
import { findSeasons } from './seasons.js';
import { type ForecastSeries, maxHorizon, type SeriesSet } from './series.js';

const HORIZON = 6;
const SEASON = 4;

/** The number, the length and the seed of made series. */
interface Shape {
  readonly count: number;
  readonly length: number;
  readonly seed: number;
}

/** Series with a level, a trend, a season and noise of their own sizes, above 0. */
function makeSeries({ count, length, seed }: Shape): ForecastSeries[] {
  const random = seededRandom(seed);
  const noise = () => random() + random() + random() + random() - 2;
  return Array.from({ length: count }, () => {
    const size = 10 ** (4 * random());
    const swing = 0.3 * random();
    const unrest = 0.01 + 0.1 * random();
    let level = 1;
    const values = Float64Array.from({ length }, (_, at) => {
      level *= 1 + 0.002 + unrest * 0.3 * noise();
      return size * level * (1 + swing * Math.sin((2 * Math.PI * at) / SEASON) + unrest * noise());
    });
    return { start: 0, values, past: [], known: [] };
  });
}

function setOf(series: readonly ForecastSeries[]): SeriesSet {
  return { season: SEASON, calendar: (position) => [position % SEASON], series };
}

function fit(set: SeriesSet, horizon = HORIZON) {
  const progress = new Progress(() => {});
  const { model, seriesErrors } = fitForecaster(set, { horizon, seed: 1, progress });
  return { model, seriesErrors, forecaster: finish(Forecaster.create(model, set)) };
}

/** The first values of series, and what comes after them. */
function cut(series: readonly ForecastSeries[], ahead = HORIZON) {
  return series.map((one) => ({
    history: { ...one, values: one.values.subarray(0, -ahead) },
    coming: one.values.subarray(-ahead),
  }));
}

/** The share of coming values within their intervals, by step. */
function countCoverage(forecaster: Forecaster, parts: ReturnType<typeof cut>, confidence: number): number[] {
  const forecasts = forecaster.forecast(
    parts.map(({ history }) => history),
    HORIZON,
  );
  return Array.from({ length: HORIZON }, (_, step) => {
    const kept = forecasts.filter((forecast, index) => {
      const { low, high } = forecaster.interval(forecast, step, confidence);
      const value = parts[index]?.coming[step] ?? Number.NaN;
      return low <= value && value <= high;
    });
    return kept.length / forecasts.length;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const many = cut(makeSeries({ count: 300, length: 40, seed: 1 }));
const trained = fit(setOf(many.map(({ history }) => history)));

describe('intervals of forecasts', () => {
  test.each([0.8, 0.9, 0.95])('keep %s at each step', (confidence) => {
    const coverage = countCoverage(trained.forecaster, many, confidence);
    expect(Math.abs(mean(coverage) - confidence)).toBeLessThan(0.05);
    for (const ofStep of coverage) expect(Math.abs(ofStep - confidence)).toBeLessThan(0.08);
  });

  test('hold for series that were not in the training', () => {
    const unseen = cut(makeSeries({ count: 300, length: 40, seed: 2 }));
    expect(Math.abs(mean(countCoverage(trained.forecaster, unseen, 0.9)) - 0.9)).toBeLessThan(0.05);
  });

  test('hold for series that are shorter than those of the training', () => {
    const short = cut(makeSeries({ count: 300, length: 20 + HORIZON, seed: 3 }));
    expect(Math.abs(mean(countCoverage(trained.forecaster, short, 0.9)) - 0.9)).toBeLessThan(0.05);
  });

  test('hold where all series are short', () => {
    const short = cut(makeSeries({ count: 300, length: 20 + HORIZON, seed: 4 }));
    const { forecaster } = fit(setOf(short.map(({ history }) => history)));
    const coverage = mean(countCoverage(forecaster, short, 0.9));
    // Histories of the calibration are a fifth shorter: what was counted on them is off by more than elsewhere.
    expect(Math.abs(coverage - 0.9)).toBeLessThan(0.08);
  });

  test('widen with the confidence, and tell the level that few scores can keep', () => {
    const one = makeSeries({ count: 1, length: 24, seed: 5 });
    const { forecaster } = fit(setOf(one));
    const [forecast] = forecaster.forecast(one, HORIZON);
    if (forecast === undefined) throw new Error('There is no forecast.');
    const widths = [0.5, 0.8, 0.9].map((confidence) => {
      const { low, high, level } = forecaster.interval(forecast, 0, confidence);
      expect(level).toBeGreaterThanOrEqual(confidence);
      return high - low;
    });
    expect(widths.toSorted((a, b) => a - b)).toEqual(widths);
    expect(forecaster.interval(forecast, 0, 0.99).level).toBeLessThan(0.99);
  });

  test('are reported in the metrics, as counted on a window that they were not calibrated on', () => {
    const { metrics } = trained.model;
    expect(metrics.interval_coverage_by_step).toHaveLength(HORIZON);
    expect(Math.abs((metrics.interval_coverage ?? 0) - 0.9)).toBeLessThan(0.04);
  });
});

describe('a fitted method', () => {
  test('is better than repeating the last season, and says so by step and by series', () => {
    const { metrics } = trained.model;
    expect(metrics.errors.mae).toBeLessThan(metrics.baseline_errors.mae);
    expect(metrics.errors.smape).toBeLessThan(metrics.baseline_errors.smape);
    expect(metrics.errors_by_step).toHaveLength(HORIZON);
    expect(metrics.errors_by_step[0]?.mase).toBeLessThan(metrics.errors_by_step[5]?.mase ?? 0);
    expect(trained.seriesErrors).toHaveLength(many.length);
    expect(trained.seriesErrors.every((error) => error > 0)).toBe(true);
  });

  test('is the same for the same series and seed, also as JSON', () => {
    const histories = many.slice(0, 30).map(({ history }) => history);
    const [first, again] = [1, 2].map(() => fit(setOf(histories)));
    if (first === undefined) throw new Error('There is no method.');
    expect(JSON.stringify(again?.model)).toBe(JSON.stringify(first.model));
    const set = setOf([]);
    const read = finish(Forecaster.create(JSON.parse(JSON.stringify(first.model)), set));
    const [forecasts, expected] = [read, first.forecaster].map((forecaster) => forecaster.forecast(histories, HORIZON));
    expect(forecasts).toEqual(expected);
  });

  test('forecasts a series as it does among others', () => {
    const histories = many.map(({ history }) => history);
    const [alone] = trained.forecaster.forecast(histories.slice(7, 8), HORIZON);
    expect(alone).toEqual(trained.forecaster.forecast(histories, HORIZON)[7]);
    const [fewer] = trained.forecaster.forecast(histories.slice(7, 8), 2);
    expect(fewer?.values).toEqual(alone?.values.subarray(0, 2));
  });

  test('looks at no more values than it needs', () => {
    const { history_needed } = trained.model;
    const [long] = makeSeries({ count: 1, length: 3 * history_needed, seed: 6 });
    if (long === undefined) throw new Error('There is no series.');
    const values = long.values.slice(-history_needed);
    const kept = { ...long, start: long.values.length - history_needed, values };
    const [whole, last] = trained.forecaster.forecast([long, kept], HORIZON);
    expect(last).toEqual(whole);
  });

  test('learns from covariates that are known ahead', () => {
    const random = seededRandom(7);
    const series = Array.from({ length: 40 }, (): ForecastSeries => {
      const promotion = Float64Array.from({ length: 60 }, () => (random() < 0.3 ? 1 : 0));
      const values = promotion.map((is) => 100 + 50 * is + 10 * random());
      return { start: 0, values, past: [], known: [promotion] };
    });
    const parts = cut(series);
    const { forecaster } = fit(setOf(parts.map(({ history }) => history)));
    const forecasts = forecaster.forecast(
      parts.map(({ history }) => history),
      HORIZON,
    );
    const errors = forecasts.flatMap(({ values }, index) =>
      [...values].map((value, step) => Math.abs(value - (parts[index]?.coming[step] ?? 0))),
    );
    expect(mean(errors)).toBeLessThan(10);
  });
});

describe('the future', () => {
  const KNOWN = 34;
  const whole = makeSeries({ count: 30, length: 40, seed: 8 }).map((one) => ({
    ...one,
    past: [one.values.map(Math.sqrt)],
  }));
  const moved = whole.map((one) => ({ ...one, values: shiftFuture(one.values), past: one.past.map(shiftFuture) }));

  function shiftFuture(values: Float64Array): Float64Array {
    return values.map((value, at) => (at < KNOWN ? value : 3 * value + 1000));
  }

  function partsOf(series: readonly ForecastSeries[], end: number) {
    return series.map((one) => ({ series: one, end }));
  }

  test('reaches neither forests nor forecasts from before it, bit by bit', () => {
    const reader = new InputReader(setOf([]), { history_needed: 120, past_count: 1, known_count: 0 });
    const [before, after] = [whole, moved].map((series) => {
      const forests = fitForests(partsOf(series, KNOWN), reader, { horizon: HORIZON, seed: 1 }, () => {});
      const forecaster = finish(PartForecaster.create(forests, reader));
      return { forests, forecasts: forecaster.forecast(partsOf(series, KNOWN), HORIZON) };
    });
    expect(before?.forests.value_forest.trees.length).toBeGreaterThan(0);
    expect(JSON.stringify(after?.forests)).toBe(JSON.stringify(before?.forests));
    expect(after?.forecasts).toEqual(before?.forecasts);
  });

  test('reaches no backtest of what came before it, and does not choose the worth of its correction', () => {
    const known = whole.map((one) => ({
      ...one,
      values: one.values.subarray(0, KNOWN),
      past: one.past.map((values) => values.subarray(0, KNOWN)),
    }));
    const [before, after] = [whole, moved].map((series) => {
      const { model, forecaster } = fit(setOf(series));
      const forecasts = [true, false].map((isBacktest) => forecaster.forecast(known, HORIZON, isBacktest));
      return { model, forecasts };
    });
    expect(after?.forecasts[0]).toEqual(before?.forecasts[0]);
    expect(after?.forecasts[1]).not.toEqual(before?.forecasts[1]);
    expect(before?.forecasts[0]).not.toEqual(before?.forecasts[1]);
    expect(after?.model.value_weight).toBe(before?.model.value_weight);
    expect(after?.model.metrics.errors).not.toEqual(before?.model.metrics.errors);
  });
});

describe('series with little to tell', () => {
  const strange = {
    'a constant': new Float64Array(20).fill(7),
    zeros: new Float64Array(20),
    'a single row': Float64Array.of(5),
    'gaps alone': new Float64Array(20).fill(Number.NaN),
    'no rows': new Float64Array(),
    'some gaps': Float64Array.from({ length: 20 }, (_, at) => (at % 3 === 0 ? Number.NaN : 5 + at)),
    'negative values': Float64Array.from({ length: 20 }, (_, at) => -5 - (at % 4)),
    'huge values': Float64Array.from({ length: 20 }, (_, at) => 1e300 * (1 + (at % 4))),
    'tiny values': Float64Array.from({ length: 20 }, (_, at) => 1e-300 * (1 + (at % 4))),
  };

  test.each(Object.entries(strange))('have finite forecasts: %s', (_, values) => {
    const series = [{ start: 0, values, past: [], known: [] }];
    const [forecast] = trained.forecaster.forecast(series, HORIZON);
    if (forecast === undefined) throw new Error('There is no forecast.');
    for (let step = 0; step < HORIZON; step++) {
      const { low, high } = trained.forecaster.interval(forecast, step, 0.9);
      const value = forecast.values[step] ?? Number.NaN;
      expect([low, value, high].every(Number.isFinite)).toBe(true);
      expect(low <= value && value <= high).toBe(true);
    }
  });

  test('stay in the training, where they spoil nothing', () => {
    const odd = Object.entries(strange).map(
      ([, values]): ForecastSeries => ({ start: 0, values, past: [], known: [] }),
    );
    const usual = many.slice(0, 100);
    const { forecaster, seriesErrors } = fit(setOf([...odd, ...usual.map(({ history }) => history)]));
    expect(Math.abs(mean(countCoverage(forecaster, usual, 0.9)) - 0.9)).toBeLessThan(0.05);
    expect(seriesErrors[0]).toBeNaN();
  });

  test('are not judged by what they would forecast within a long gap', () => {
    const [whole] = makeSeries({ count: 1, length: 400, seed: 11 });
    const values = new Float64Array(700).fill(Number.NaN);
    if (whole) {
      values.set(whole.values.subarray(0, 340));
      values.set(whole.values.subarray(340), 640);
    }
    const { scores } = fit(setOf([{ start: 0, values, past: [], known: [] }])).model;
    expect(Math.max(...scores.flat())).toBeLessThan(1000);
  });

  test('have seasons of any length, which are found in a bounded time', { timeout: 120_000 }, () => {
    // With a look at each lag, this would take minutes.
    const season = 200_000;
    const values = new Float64Array(7 * season).map(
      (_, at) => 100 + 20 * Math.sin((2 * Math.PI * at) / season) + (at % 7),
    );
    const seasons = findSeasons(values, season);
    const [high, low] = [season / 4, (3 * season) / 4].map((at) => seasons?.indices[at] ?? 0);
    expect((high ?? 0) / (low ?? 1)).toBeCloseTo(123 / 83, 1);
  });

  test('learn from what is known ahead, where nothing is left before the backtests', () => {
    const known = Float64Array.from({ length: 301 }, (_, at) => Number((at * 7919) % 13 < 4));
    const values = Float64Array.from({ length: 300 }, (_, at) => 100 + 50 * (known[at] ?? 0) + ((at * 104729) % 7));
    const aheadOf = (last: number) => {
      const ahead = known.map((value, at) => (at === 300 ? last : value));
      return { start: 0, values, past: [], known: [ahead] };
    };
    const { forecaster } = fit(setOf([aheadOf(0)]), 1);
    const [low, high] = forecaster.forecast([aheadOf(0), aheadOf(1)], 1);
    expect((high?.values[0] ?? 0) - (low?.values[0] ?? 0)).toBeGreaterThan(10);
  });

  test('of values that are never negative, no forecast is', () => {
    const falling = Array.from({ length: 30 }, (_, index): ForecastSeries => {
      const values = Float64Array.from({ length: 30 }, (_, at) => Math.max(0, 50 - index - 2 * at));
      return { start: 0, values, past: [], known: [] };
    });
    const { forecaster } = fit(setOf(falling));
    for (const forecast of forecaster.forecast(falling, HORIZON)) {
      for (const [step, value] of forecast.values.entries()) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(forecaster.interval(forecast, step, 0.9).low).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe('the largest horizon', () => {
  test('is what the series can calibrate', () => {
    expect(maxHorizon(setOf(makeSeries({ count: 1, length: 30, seed: 9 })))).toBe(19);
    expect(maxHorizon(setOf(makeSeries({ count: 9, length: 10, seed: 9 })))).toBe(7);
    expect(maxHorizon(setOf(makeSeries({ count: 1000, length: 1, seed: 9 })))).toBe(0);
    expect(maxHorizon(setOf([]))).toBe(0);
  });

  test('can be fitted, and no more', () => {
    const set = setOf(makeSeries({ count: 1, length: 30, seed: 9 }));
    expect(() => fit(set, 20)).toThrow('The horizon must be within 1 to 19, but is 20.');
    expect(() => fit(set, 0)).toThrow('The horizon must be within 1 to 19, but is 0.');
    const { forecaster, model } = fit(set, 19);
    expect(model.scores.every((scores) => scores.length >= 9)).toBe(true);
    expect(() => forecaster.forecast(set.series, 20)).toThrow('At most 19 steps, not 20.');
  });
});
