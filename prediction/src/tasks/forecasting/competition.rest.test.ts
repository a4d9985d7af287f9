import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Progress } from '../../training/progress.js';
import { seededRandom } from '../../trees/random.js';
import { finish } from '../../trees/steps.js';
import { averageErrors, weighBases } from './base-weights.js';
import { Competition, planCompetition } from './competition.js';
import { Forecaster, fitForecaster } from './method.js';
import { findSeasonMix } from './season-mix.js';
import type { ForecastSeries, SeriesSet } from './series.js';

const DAY = 24;
const WEEK = 168;
const HORIZON = 6;

/** Values by position, with noise between -1 and 1. */
function makeSeries(count: number, length: number, seed: number, valueAt: (at: number, noise: number) => number) {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (): ForecastSeries => {
    const values = Float64Array.from({ length }, (_, at) => valueAt(at, 2 * random() - 1));
    return { start: 0, values, past: [], known: [] };
  });
}

/** Hours that are busy by day, and less at weekends. */
const busy = (at: number, noise: number) =>
  100 + 40 * Math.sin((2 * Math.PI * at) / DAY) * (Math.floor(at / DAY) % 7 < 5 ? 1 : 0.1) + 5 * noise;

function hourly(series: readonly ForecastSeries[]): SeriesSet {
  return { season: DAY, seasons: [DAY, WEEK], calendar: (at) => [at % DAY, Math.floor(at / DAY) % 7], series };
}

function fit(set: SeriesSet, horizon = HORIZON) {
  return fitForecaster(set, { horizon, seed: 1, progress: new Progress(() => {}) }).model;
}

/** The MASE of a model on its last backtest, in units of that of the best season that is repeated. */
function besideNaive({ metrics }: ReturnType<typeof fit>): number {
  const best = Math.min(
    ...(metrics.seasons ?? []).map(({ repeat_errors }) => repeat_errors.mase ?? Number.POSITIVE_INFINITY),
  );
  return (metrics.errors.mase ?? Number.NaN) / best;
}

describe('seasons', () => {
  test('are found together, and taken out together', () => {
    const [one] = makeSeries(1, 6 * WEEK, 1, busy);
    const { found, course, at } = findSeasonMix(one?.values ?? new Float64Array(), [DAY, WEEK]);
    expect(found.map(({ length }) => length)).toEqual([DAY, WEEK]);
    for (const { strength } of found) expect(strength).toBeGreaterThan(0.5);
    expect(Math.max(...course.subarray(WEEK)) - Math.min(...course.subarray(WEEK))).toBeLessThan(40);
    const noon = at(7 * WEEK + 6);
    expect(noon - at(7 * WEEK + 5 * DAY + 6)).toBeGreaterThan(25);
  });

  test('need not be a whole number of steps', () => {
    const year = 365.25 / 7;
    const [one] = makeSeries(1, 520, 2, (at, noise) => 50 + 20 * Math.sin((2 * Math.PI * at) / year) + 3 * noise);
    const { found, at } = findSeasonMix(one?.values ?? new Float64Array(), [year]);
    expect(found).toHaveLength(1);
    // Ten years on, 52 weeks a year would be two weeks late.
    expect(at(Math.round(20.25 * year))).toBeGreaterThan(18);
  });

  test('are not found in noise', () => {
    const [one] = makeSeries(1, 6 * WEEK, 3, (_, noise) => 100 + noise);
    expect(findSeasonMix(one?.values ?? new Float64Array(), [DAY, WEEK]).found.length).toBeLessThan(2);
  });

  test('are reported with how many series have them, how strong they are, and what repeating them would miss', () => {
    const model = fit(hourly(makeSeries(2, 4 * WEEK, 4, busy)), 3);
    const [day, week] = model.metrics.seasons ?? [];
    expect(day).toMatchObject({ length: DAY, series_share: 1 });
    expect(week).toMatchObject({ length: WEEK, series_share: 1 });
    expect(week?.strength).toBeGreaterThan(0.5);
    expect(week?.repeat_errors.mase).toBeLessThan(day?.repeat_errors.mase ?? 0);
    expect(besideNaive(model)).toBeLessThan(0.9);
  });
});

describe('a forecast by several bases', () => {
  const long = makeSeries(3, 8 * WEEK, 5, busy);

  test('looks at no more values than it needs, and at none behind its origin', () => {
    const { plan, needed } = planCompetition([DAY, WEEK], HORIZON, 8 * WEEK);
    const end = needed + 100;
    const [one] = long;
    if (!one) throw new Error('There is no series.');
    const kept = { ...one, start: 100, values: one.values.slice(100, end) };
    const moved = { ...one, values: one.values.map((value, at) => (at < end ? value : 9 * value)) };
    const whole = new Competition(plan).forecast(one, end, HORIZON);
    expect(new Competition(plan).forecast(kept, needed, HORIZON)).toEqual(whole);
    expect(new Competition(plan).forecast(moved, end, HORIZON)).toEqual(whole);
  });

  test('is the same whatever was forecast before it, and for fewer steps', () => {
    const { plan } = planCompetition([DAY, WEEK], HORIZON, 8 * WEEK);
    const cached = new Competition(plan, 100_000);
    for (const series of long) for (const end of [900, 910, 1000]) cached.forecast(series, end, HORIZON);
    for (const series of long) {
      const alone = new Competition(plan).forecast(series, 950, HORIZON);
      expect(cached.forecast(series, 950, HORIZON)).toEqual(alone);
      expect(cached.forecast(series, 950, 2).values).toEqual(alone.values.subarray(0, 2));
    }
  });

  test('is the same of the same series and seed, also of a stored model', () => {
    const set = hourly(makeSeries(2, 300, 6, busy));
    const [model, again] = [fit(set), fit(set)];
    expect(JSON.stringify(again)).toBe(JSON.stringify(model));
    const read = finish(Forecaster.create(JSON.parse(JSON.stringify(model)), { season: DAY, calendar: set.calendar }));
    const forecaster = finish(Forecaster.create(model, set));
    expect(read.forecast(set.series, HORIZON)).toEqual(forecaster.forecast(set.series, HORIZON));
  });

  test('is the same by what the training found at the end of a series, which is weighed once', () => {
    const set = hourly(makeSeries(2, 300, 6, busy));
    const { model, fits } = fitForecaster(set, { horizon: HORIZON, seed: 1, progress: new Progress(() => {}) });
    const forecaster = finish(Forecaster.create(model, set));
    const anew = forecaster.forecast(set.series, HORIZON);
    const fitted = set.series.map((one, index) => ({ ...one, fit: fits[index] ?? new Uint16Array() }));
    expect(forecaster.forecast(fitted, HORIZON)).toEqual(anew);
    // By other weights, others: those of the model are not computed again.
    const last = fitted.map((one) => ({
      ...one,
      fit: one.fit.map((part, at) => (at === 0 ? 4096 : at < one.fit.length - 3 ? 0 : part)),
    }));
    expect(forecaster.forecast(last, HORIZON)).not.toEqual(anew);
  });

  test('has parts that add up to it', () => {
    const set = hourly(makeSeries(2, 300, 7, busy));
    const [forecast] = finish(Forecaster.create(fit(set), set)).forecast(set.series, HORIZON, false, true);
    for (const [step, parts] of (forecast?.explanations ?? []).entries()) {
      const sum = parts.reduce((total, part) => total + part, 0);
      expect(sum).toBeCloseTo(forecast?.values[step] ?? Number.NaN, 6);
    }
    expect(forecast?.explanations).toHaveLength(HORIZON);
  });

  test.each<[string, Float64Array]>([
    ['a constant', new Float64Array(200).fill(7)],
    ['zeros, then one', Float64Array.from({ length: 200 }, (_, at) => (at === 199 ? 1 : 0))],
    ['a single row', Float64Array.of(5)],
    ['gaps alone', new Float64Array(400).fill(Number.NaN)],
    ['no rows', new Float64Array()],
    [
      'a gap of a month',
      Float64Array.from({ length: 1500 }, (_, at) => (at > 500 && at < 1220 ? Number.NaN : busy(at, 0))),
    ],
    ['huge values', Float64Array.from({ length: 500 }, (_, at) => 1e306 * busy(at, 0))],
    ['tiny values', Float64Array.from({ length: 500 }, (_, at) => 1e-306 * busy(at, 0))],
    ['values that grow without end', Float64Array.from({ length: 500 }, (_, at) => 2 ** at)],
  ])('is finite: %s', (_, values) => {
    const { plan } = planCompetition([DAY, WEEK], HORIZON, 8 * WEEK);
    const series = { start: 5, values, past: [], known: [] };
    const { values: forecast, unit } = new Competition(plan).forecast(series, values.length, HORIZON);
    for (const value of forecast) expect(Number.isFinite(value * unit)).toBe(true);
  });
});

describe('bases are weighed', () => {
  test('by the errors of all series, where one has too few values to tell', () => {
    const ofAll = [1, 0.5, 4];
    const [few = 0, better = 0, worse = 0] = weighBases([Number.NaN, Number.NaN, Number.NaN], {
      isSeasonal: true,
      ofAll,
    });
    expect(better).toBeGreaterThan(8 * few);
    expect(worse).toBeLessThan(0.01);
    expect(weighBases([undefined, Number.NaN, undefined], { isSeasonal: true, ofAll })).toEqual(
      Float64Array.of(0, 1, 0),
    );
  });

  test('as the worst, where no series could compare them', () => {
    const ofAll = averageErrors([
      [1, 3, Number.NaN],
      [1, 2, undefined],
    ]);
    expect(ofAll[2]).toBe(ofAll[1]);
    expect(ofAll[1]).toBeGreaterThan(2 * (ofAll[0] ?? 0));
  });

  test('between their errors and those of all series, and add up to 1', () => {
    const errors = fc.array(
      fc.oneof(fc.constant(undefined), fc.constant(Number.NaN), fc.double({ min: 0, max: 1e9, noNaN: true })),
      { minLength: 1, maxLength: 16 },
    );
    fc.assert(
      fc.property(fc.array(errors, { minLength: 1, maxLength: 5 }), (bySeries) => {
        const ofAll = averageErrors(bySeries);
        for (const ofSeries of bySeries) {
          const weights = weighBases(ofSeries, { isSeasonal: false, ofAll });
          expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(1);
          expect(weights.every((weight) => weight >= 0 && Number.isInteger(4096 * weight))).toBe(true);
        }
      }),
    );
    const [own = 0, other = 0] = weighBases([1, 2], { isSeasonal: false, ofAll: [1, 1] });
    const [moved = 0] = weighBases([1, 2], { isSeasonal: false, ofAll: [2, 1] });
    expect(own).toBeGreaterThan(other);
    expect(moved).toBeLessThan(own);
  });
});

describe('series unlike the others of their table', () => {
  const LONG = 5 * WEEK;
  const gap = [LONG / 4, LONG / 2] as const;
  const odd: Record<string, ForecastSeries[]> = {
    'shorter than a season, and than the horizon': makeSeries(1, 20, 10, busy),
    'a long gap': makeSeries(1, LONG, 11, (at, noise) => (at > gap[0] && at < gap[1] ? Number.NaN : busy(at, noise))),
    'a season that appears at the end': makeSeries(1, LONG, 12, (at, noise) =>
      at < 3 * WEEK ? 100 + 5 * noise : busy(at, noise),
    ),
    'zeros, then one': makeSeries(1, LONG, 13, (at) => (at === LONG - 1 ? 1 : 0)),
  };
  const set = hourly([...makeSeries(4, LONG, 14, busy), ...Object.values(odd).flat()]);
  const horizon = DAY;
  const forecaster = finish(Forecaster.create(fit(set, horizon), set));

  test.each(Object.entries(odd))('are forecast within finite intervals: %s', (_, series) => {
    const [forecast] = forecaster.forecast(series, horizon);
    expect(forecast?.values).toHaveLength(horizon);
    for (let step = 0; forecast && step < horizon; step++) {
      const { low, high } = forecaster.interval(forecast, step, 0.9);
      const value = forecast.values[step] ?? Number.NaN;
      expect([low, value, high].every(Number.isFinite)).toBe(true);
      expect(low <= value && value <= high && low >= 0).toBe(true);
    }
  });

  test('follow a season that appears at the end, and one behind a gap', () => {
    for (const kind of ['a season that appears at the end', 'a long gap']) {
      const [forecast] = forecaster.forecast(odd[kind] ?? [], horizon);
      const [high = 0, low = 0] = [6, 18].map((hour) => forecast?.values[hour]);
      expect(high - low).toBeGreaterThan(40);
    }
  });
});

describe('no model is worse than the best naive forecast on its backtest by more than a hundredth', () => {
  let level = 0;
  const kinds: [string, (at: number, noise: number) => number][] = [
    ['a random walk', (at, noise) => (level = at === 0 ? 100 : level + noise)],
    ['noise', (_, noise) => 100 + noise],
    ['the same day again and again', (at) => (at * 7919) % DAY],
    ['the same week again and again', (at) => (at * 7919) % WEEK],
    ['a level that breaks', (at, noise) => (Math.floor(at / 90) % 2) * 50 + noise],
  ];

  test.each(kinds)('%s', (_, valueAt) => {
    const model = fit(hourly(makeSeries(2, 400, 8, valueAt)), 3);
    const ofSeasons = besideNaive(model);
    expect(Number.isNaN(ofSeasons) || ofSeasons <= 1.01).toBe(true);
  });

  test('a model of one season, too', () => {
    const series = makeSeries(20, 60, 9, (at) => (at * 7919) % 12);
    const { metrics } = fit({ season: 12, calendar: (at) => [at % 12], series });
    expect(metrics.errors.mae).toBeLessThanOrEqual(1.01 * metrics.baseline_errors.mae);
  });
});
