import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMoment, parseMoment, readMoment } from './moments.js';
import { ISO_DATES } from './reading/column-reading.js';
import {
  createCalendar,
  findGrid,
  findMoment,
  findPosition,
  seasonLength,
  seasonLengths,
  type TimeStep,
} from './time-grid.js';

/** The grid of one series whose moments are written so. */
function gridOf(texts: readonly string[]) {
  const moments = texts.map((text) => {
    const moment = parseMoment(text, Number);
    if (moment === undefined) throw new Error(`${text} is not a moment`);
    return moment;
  });
  const values = Float64Array.from(moments, ({ value }) => value);
  return findGrid(moments[0]?.form ?? 'number', values, Uint32Array.of(values.length));
}

const utc = (...parts: [number, number, number]) => new Date(Date.UTC(...parts)).toISOString().slice(0, 10);

/** The day so many weekdays after a Wednesday. */
const weekdayFrom = (year: number, month: number, wednesday: number, index: number) =>
  utc(year, month, wednesday + index + 2 * Math.floor((index + 2) / 5));

const lastDay = (year: number, month: number) => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

test.each(['0000-01-01', '0001-01-01', '0099-12-31', '9999-12-31', '0000-Q1', '0007-W01', '9999-W52'])(
  '%s is read and written as it is',
  (text) => {
    const moment = readMoment(text, ISO_DATES);
    expect(moment && formatMoment(moment.form, moment.value)).toBe(text);
  },
);

test('moments after the year 9999 are written whole', () => {
  const months = Array.from({ length: 12 }, (_, index) => `9999-${String(index + 1).padStart(2, '0')}`);
  const days = Array.from({ length: 9 }, (_, index) => `9999-12-${23 + index}`);
  const written = [months, days].map((texts) => {
    const grid = gridOf(texts);
    return formatMoment(grid.form, findMoment(grid, texts.length));
  });
  expect(written).toEqual(['+010000-01', '+010000-01-01']);
});

test('steps of months lead through the first century', () => {
  const grid = gridOf(['0098-11', '0098-12', '0099-01', '0099-02']);
  expect(grid.step).toEqual({ unit: 'month', count: 1 });
  expect(formatMoment(grid.form, findMoment(grid, 14))).toBe('0100-01');
  expect(findPosition(grid, findMoment(grid, 14))).toBe(14);
});

test('positions that two neighbouring doubles would share are none', () => {
  const grid = gridOf(['0', '1', '2']);
  expect(findPosition(grid, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
  expect(findPosition(grid, 2 ** 53)).toBeUndefined();
});

describe('a step is found', () => {
  test.each<[string, (index: number) => string, TimeStep, number]>([
    ['days', (index) => utc(2024, 0, 1 + index), { unit: 'day', count: 1 }, 7],
    ['two days', (index) => utc(2024, 0, 1 + 2 * index), { unit: 'day', count: 2 }, 1],
    ['weekdays', (index) => weekdayFrom(2024, 0, 3, index), { unit: 'weekday', count: 1 }, 5],
    [
      'weekdays far east of Greenwich',
      (index) => `${weekdayFrom(2024, 0, 3, index)}T08:00:00+10:00`,
      { unit: 'weekday', count: 1 },
      5,
    ],
    ['weeks', (index) => utc(2024, 0, 1 + 7 * index), { unit: 'week', count: 1 }, 52],
    ['month ends', (index) => utc(2023, index + 1, 0), { unit: 'month', count: 1 }, 12],
    [
      '30ths, and ends of February',
      (index) => utc(2023, index, Math.min(30, lastDay(2023, index))),
      { unit: 'month', count: 1 },
      12,
    ],
    ['quarters', (index) => utc(2000, 3 * index, 1), { unit: 'quarter', count: 1 }, 4],
    ['years', (index) => utc(1900 + index, 6, 1), { unit: 'year', count: 1 }, 1],
    [
      'quarters of an hour',
      (index) => new Date(Date.UTC(2024, 2, 31, 0, 15 * index)).toISOString(),
      { unit: 'minute', count: 15 },
      96,
    ],
    ['decimal years', (index) => (2000 + index / 12).toFixed(4), { unit: 'number', count: 1 / 12 }, 12],
    ['decimal years of three digits', (index) => (2000 + index / 12).toFixed(3), { unit: 'number', count: 1 / 12 }, 12],
    ['days of decimal years', (index) => String(1900 + index / 365.25), { unit: 'number', count: 1 / 365.25 }, 365],
    ['numbers', (index) => String(7 + 2.5 * index), { unit: 'number', count: 2.5 }, 1],
  ])('of %s', (_, moment, step, season) => {
    const texts = Array.from({ length: 40 }, (_, index) => moment(index));
    const grid = gridOf(texts);
    expect(grid.step.unit).toBe(step.unit);
    expect(grid.step.count).toBeCloseTo(step.count, 9);
    expect(seasonLength(grid)).toBe(season);
    const positions = texts.map((text) => findPosition(grid, parseMoment(text, Number)?.value ?? 0));
    expect(positions).toEqual(texts.map((_, index) => index));
  });

  test('with gaps, and not from a single stray moment', () => {
    const days = Array.from({ length: 400 }, (_, index) => index).filter((day) => day % 9 !== 4);
    const grid = gridOf([...days.map((day) => utc(2024, 0, 1 + 2 * day)), utc(2024, 0, 802)]);
    expect(grid.step).toEqual({ unit: 'day', count: 2 });
    expect(findPosition(grid, Date.UTC(2024, 0, 802))).toBeUndefined();
  });
});

test('a moment is read as it was written, in every form', () => {
  const time = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) });
  const form = fc.constantFrom('month' as const, 'date' as const, 'local' as const, 0, 90, -330);
  fc.assert(
    fc.property(time, form, (milliseconds, written) => {
      const text = String(formatMoment(written, milliseconds));
      const read = parseMoment(text, Number);
      expect(read?.form).toBe(written);
      expect(formatMoment(written, read?.value ?? Number.NaN)).toBe(text);
    }),
  );
});

test('a whole number keeps all of its digits', () => {
  const milliseconds = Array.from({ length: 40 }, (_, index) => 1_700_000_000_123 + 1001 * index);
  const grid = gridOf(milliseconds.map(String));
  const written = milliseconds.map((_, index) => formatMoment('number', findMoment(grid, index)));
  expect(written).toEqual(milliseconds);
});

test('positions and moments are each other’s inverse, and the calendar has as many parts at each', () => {
  const first = fc.date({ min: new Date('1990-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  const unit = fc.constantFrom<TimeStep>(
    { unit: 'hour', count: 6 },
    { unit: 'day', count: 1 },
    { unit: 'week', count: 1 },
    { unit: 'month', count: 1 },
    { unit: 'quarter', count: 1 },
    { unit: 'year', count: 1 },
  );
  fc.assert(
    fc.property(first, unit, fc.integer({ min: -500, max: 500 }), (date, step, position) => {
      const form = step.unit === 'hour' ? 'local' : 'date';
      const origin = Math.floor(date.getTime() / 86_400_000) * 86_400_000;
      const grid = { form, step, origin, day: new Date(origin).getUTCDate() } as const;
      expect(findPosition(grid, findMoment(grid, position))).toBe(position);
      const calendar = createCalendar(grid);
      expect(calendar(position)).toHaveLength(calendar(0).length);
    }),
  );
});

test('a calendar has the parts of a moment, whatever was asked before', () => {
  const days = createCalendar(gridOf(['2024-02-28', '2024-02-29', '2024-03-01', '2024-03-02']));
  for (let position = 0; position < 1001; position++) days(position);
  // The day of the week, the month from 0, and the day.
  expect(days(1)).toEqual([4, 1, 29]);
  const months = createCalendar(gridOf(['2024-01', '2024-02', '2024-03', '2024-04']));
  expect(months(13)).toEqual([1]);
});

test.each(['2026-02-30', '2026-13-01', '2026-1-1', '31.01.2026', '2026-01-31T25:00', '', 'NaN'])(
  '%j is not a moment',
  (text) => {
    expect(parseMoment(text, (cell) => (cell === '' ? Number.NaN : Number(cell)))).toBeUndefined();
  },
);

test('a step of weekdays has no place for a weekend', () => {
  const grid = gridOf(Array.from({ length: 40 }, (_, index) => weekdayFrom(2024, 0, 3, index)));
  const positionOf = (day: string) => findPosition(grid, Date.parse(day));
  expect(['2024-01-05', '2024-01-08'].map(positionOf)).toEqual([2, 3]);
  expect(['2024-01-06', '2024-01-07'].map(positionOf)).toEqual([undefined, undefined]);
  expect(positionOf('2023-12-29')).toBe(-3);
});

test.each<[TimeStep, number[] | undefined]>([
  [{ unit: 'minute', count: 1 }, [1440, 10_080]],
  [{ unit: 'minute', count: 30 }, [48, 336, 17_532]],
  [{ unit: 'hour', count: 1 }, [24, 168, 8766]],
  [{ unit: 'hour', count: 5 }, [33.6, 1753.2]],
  [{ unit: 'day', count: 1 }, [7, 365.25]],
  [{ unit: 'day', count: 2 }, [182.625]],
  [{ unit: 'weekday', count: 1 }, [5, (365.25 / 7) * 5]],
  [{ unit: 'week', count: 1 }, [365.25 / 7]],
  [{ unit: 'month', count: 1 }, undefined],
  [{ unit: 'number', count: 1 }, undefined],
  [{ unit: 'second', count: 1 }, undefined],
])('the seasons that series of a step may have: %j', (step, lengths) => {
  const form = step.unit === 'number' ? 'number' : 'date';
  expect(seasonLengths({ form, step, origin: 0, day: 1 })).toEqual(lengths);
});
