import { describe, expect, test } from 'vitest';
import type { HolidayDays } from '../../table/holidays.js';
import type { TimeGrid } from '../../table/time-grid.js';
import { seededRandom } from '../../trees/random.js';
import { forecastBase } from './base-forecast.js';
import { EventEffects } from './event-effects.js';
import { createEventGrid, findEventColumns } from './events.js';
import type { EventGrid, ForecastSeries } from './series.js';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Every 37th day is a holiday, of one of two names. */
const HOLIDAYS: HolidayDays = {
  regions: ['XX'],
  days: Array.from({ length: 40 }, (_, index) => 10 + 37 * index),
  codes: Array.from({ length: 40 }, (_, index) => index % 2),
  names: ['quiet', 'busy'],
};
const days: TimeGrid = { form: 'date', step: { unit: 'day', count: 1 }, origin: 0, day: 1 };
const hours: TimeGrid = { form: 'local', step: { unit: 'hour', count: 1 }, origin: 0, day: 1 };

/** 1 on usual days, else what a holiday makes of them. */
const FACTORS = [0.2, 1.8];
const factorAt = (day: number) => FACTORS[HOLIDAYS.codes[HOLIDAYS.days.indexOf(day)] ?? -1] ?? 1;

function makeSeries(length: number, valueAt: (at: number, noise: number) => number): ForecastSeries {
  const random = seededRandom(7);
  return {
    start: 0,
    values: Float64Array.from({ length }, (_, at) => valueAt(at, 2 * random() - 1)),
    past: [],
    known: [],
  };
}

/** Forecasts the steps after `end`, by a base that knows no holidays. */
function forecast(grid: TimeGrid, series: ForecastSeries, end: number, steps: number): Float64Array {
  const events = createEventGrid(grid, HOLIDAYS, []);
  if (events === undefined) throw new Error('The steps have no days');
  const { unit, values } = new EventEffects(events, 3000).forecast(series, end, (one) =>
    forecastBase(one.values.subarray(0, end), events.cycle, steps, false),
  );
  return values.map((value) => unit * value);
}

describe('holidays', () => {
  const week = [1, 1, 1, 1, 1.2, 1.5, 0.4];
  const usualAt = (at: number) => 100 * (week[(at + 3) % 7] ?? 1);

  test('are forecast as earlier ones of their name were, in shares of a usual day', () => {
    const series = makeSeries(600, (at, noise) => usualAt(at) * factorAt(at) * (1 + 0.03 * noise));
    // The days 602 and 639 are holidays.
    for (const end of [600, 635]) {
      const all = makeSeries(end, (at, noise) => usualAt(at) * factorAt(at) * (1 + 0.03 * noise));
      const values = forecast(days, end === 600 ? series : all, end, 7);
      for (const [step, value] of values.entries()) {
        const expected = usualAt(end + step) * factorAt(end + step);
        expect(Math.abs(value - expected)).toBeLessThan(0.15 * usualAt(end + step));
      }
    }
  });

  test('are added to series with negative values', () => {
    const added = (at: number) => (factorAt(at) === 1 ? 0 : factorAt(at) < 1 ? -80 : 80);
    const series = makeSeries(600, (at, noise) => (at % 7) - 3 + added(at) + noise);
    const values = forecast(days, series, 600, 7);
    expect(values[2]).toBeLessThan(-60);
    expect(Math.abs(values[3] ?? 0)).toBeLessThan(10);
  });

  test('have hours of their own', () => {
    const isNight = (at: number) => at % 24 < 8;
    const series = makeSeries(24 * 190, (at, noise) => {
      const usual = isNight(at) ? 20 : 100;
      // Only the hours of the day differ.
      return usual * (isNight(at) || factorAt(Math.floor(at / 24)) === 1 ? 1 : 0.3) + noise;
    });
    // The day 195 is a holiday.
    const end = 24 * 190;
    const values = forecast(hours, series, end, 24 * 6);
    expect(values[24 * 5 + 3]).toBeGreaterThan(15);
    expect(values[24 * 5 + 12]).toBeLessThan(45);
    expect(values[24 * 4 + 12]).toBeGreaterThan(85);
  });

  test('change nothing where they are usual days, and are unknown to the past', () => {
    const series = makeSeries(600, (at, noise) => usualAt(at) * (1 + 0.1 * noise));
    const plain = forecastBase(series.values, 7, 7, false);
    for (const [step, value] of forecast(days, series, 600, 7).entries()) {
      const own = plain.unit * (plain.values[step] ?? 0);
      expect(Math.abs(value - own)).toBeLessThan(0.2 * own);
    }
    const later = { ...series, values: series.values.map((value, at) => (at < 400 ? value : 9 * value)) };
    expect(forecast(days, later, 400, 7)).toEqual(forecast(days, series, 400, 7));
  });
});

describe('the effects of events', () => {
  const series = makeSeries(600, (at, noise) => 100 * factorAt(at) + noise);

  /** Returns how many positions are looked up by each of two forecasts of the same series. */
  function countLookups(maxCells?: number): number[] {
    const grid = createEventGrid(days, HOLIDAYS, []);
    if (grid === undefined) throw new Error('The steps have no days');
    let lookups = 0;
    const codeAt: EventGrid['codeAt'] = (one, position) => {
      lookups++;
      return grid.codeAt(one, position);
    };
    const effects = new EventEffects({ ...grid, codeAt }, 3000, maxCells);
    return [1, 2].map(() => {
      lookups = 0;
      effects.forecast(series, 600, (one) => forecastBase(one.values, grid.cycle, 7, false));
      return lookups;
    });
  }

  test('are stored for a training, which reads a series many times', () => {
    expect(countLookups(600)).toEqual([607, 7]);
  });

  test.each([undefined, 599])('are not stored beyond what the cache holds: %s', (maxCells) => {
    expect(countLookups(maxCells)).toEqual([607, 607]);
  });
});

describe('a column that is known ahead', () => {
  const column = (values: readonly number[]) => ({ name: 'event', isKnown: true, values: Float64Array.from(values) });
  const steps = 100;
  const filled = (valueAt: (at: number) => number) => [column(Array.from({ length: steps }, (_, at) => valueAt(at)))];

  test('names events if all values but one are rare', () => {
    expect(
      findEventColumns(
        days,
        filled((at) => (at % 20 === 0 ? 3 : 1)),
        steps,
      ),
    ).toEqual([{ column: 0, usual: 1 }]);
    expect(
      findEventColumns(
        days,
        filled((at) => (at % 20 === 0 ? 3 : Number.NaN)),
        steps,
      ),
    ).toEqual([{ column: 0, usual: null }]);
  });

  test('names none if they are frequent, or are measures, or steps are longer than a day', () => {
    expect(
      findEventColumns(
        days,
        filled((at) => at % 2),
        steps,
      ),
    ).toEqual([]);
    expect(
      findEventColumns(
        days,
        filled((at) => (at % 20 === 0 ? 0.5 : 0)),
        steps,
      ),
    ).toEqual([]);
    expect(
      findEventColumns(
        days,
        filled(() => 1),
        steps,
      ),
    ).toEqual([]);
    const months: TimeGrid = { ...days, step: { unit: 'month', count: 1 } };
    expect(
      findEventColumns(
        months,
        filled((at) => (at % 20 === 0 ? 3 : 1)),
        steps,
      ),
    ).toEqual([]);
  });

  test('has no event where rows of the future lack it', () => {
    const grid = createEventGrid({ ...hours, origin: 3 * DAY + HOUR }, undefined, [{ column: 0, usual: 0 }]);
    const series = { start: 5, values: new Float64Array(2), past: [], known: [Float64Array.of(0, 4, Number.NaN)] };
    expect([5, 6, 7, 8].map((position) => (grid?.codeAt(series, position) ?? 0) >= 0)).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });
});
