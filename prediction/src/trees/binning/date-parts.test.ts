import { describe, expect, test } from 'vitest';
import { makeRows, measureError, QUICK, type Row, readRows } from '../../../../testkit/prediction/sample-tables.js';
import { Predictor, type RegressionModel, train } from '../../index.js';
import { DATE_PARTS } from './date-parts.js';

const DAY = 24 * 60 * 60 * 1000;

function dayAt(index: number, step = DAY): string {
  return new Date(Date.UTC(2022, 0, 1) + index * step).toISOString();
}

function partsOf({ features }: RegressionModel) {
  return features.map(({ part }) => part);
}

function trainOn(rows: readonly Row[]): RegressionModel {
  return train(readRows(rows, 'y'), QUICK);
}

describe('a date', () => {
  test.each([
    ['weekends', 'day_of_week', DAY, (date: Date) => Number(date.getUTCDay() % 6 === 0)],
    ['July', 'month', DAY, (date: Date) => Number(date.getUTCMonth() === 6)],
    ['the first of the month', 'day_of_month', DAY, (date: Date) => Number(date.getUTCDate() < 3)],
    ['rush hours', 'hour', DAY / 24, (date: Date) => Number(date.getUTCHours() === 8)],
  ] as const)('shows %s, in days to come too', (_name, part, step, isSo) => {
    const make = (index: number, random: () => number): Row => {
      const day = dayAt(index, step);
      return { day, y: 10 * isSo(new Date(day)) + random() };
    };
    const rows = makeRows(1100, (random, index) => make(index, random));
    const model = trainOn(rows);
    expect(partsOf(model)).toContain(part);
    const later = makeRows(300, (random, index) => make(1100 + index, random));
    expect(measureError(new Predictor(model).predict(later))).toBeLessThan(1);
  });

  test('yields recurring parts, and none that time alone determines', () => {
    const over = (count: number, step: number) =>
      partsOf(trainOn(makeRows(count, (random, x) => ({ day: dayAt(x, step), y: random() }))));
    expect(over(60, DAY / 24)).toEqual([null, 'hour']);
    expect(over(60, DAY / 2)).toEqual([null, 'day_of_week', 'hour']);
    expect(over(60, DAY)).toEqual([null, 'day_of_month', 'day_of_week']);
    expect(over(900, DAY)).toEqual([null, ...DATE_PARTS.filter((part) => part !== 'hour')]);
    expect(over(60, 1000)).toEqual([null]);
  });

  test('before 1970 has the same parts', () => {
    const rows = makeRows(800, (random, index) => {
      const day = new Date(Date.UTC(1900, 0, 1) + index * DAY);
      return { day: day.toISOString().slice(0, 10), y: Number(day.getUTCDay() === 1) + random() / 9 };
    });
    expect(trainOn(rows).metrics.r2).toBeGreaterThan(0.9);
  });

  test('is missing in all of its parts or in none', () => {
    const rows = makeRows(800, (random, index) => ({ day: dayAt(index), x: random(), y: (index % 7) + random() }));
    const predictor = new Predictor(trainOn(rows));
    const unknown = [{ x: 0.5 }, { x: 0.5, day: 'soon' }, { x: 0.5, day: null }];
    const [first, ...others] = predictor.predict(unknown);
    for (const other of others) expect(other).toEqual(first);
    expect(first?.value).toBeCloseTo(3.5, 0);
  });
});
