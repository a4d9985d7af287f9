import { createHolidayFinder, dayAndHour, type HolidayDays, NEAR_PLACES, stepsOfDay } from '../../table/holidays.js';
import type { Covariate } from '../../table/series-table.js';
import type { TimeGrid } from '../../table/time-grid.js';
import type { EventGrid, ForecastSeries } from './series.js';

/** A column that is known ahead and names rare events, as plain data of a model. */
export interface EventColumn {
  /** Its place among the columns that are known ahead. */
  readonly column: number;
  /** The value of usual steps, as missing values are; null if these alone are usual. */
  readonly usual: number | null;
}

/** At most this share of the steps are events: more often, trees learn what they change. */
const MAX_SHARE = 0.1;

/** Events are distinguished by whole numbers below this, as categories are. */
const MAX_VALUES = 1000;

/** Kinds of days: near holidays by place, on usual weekdays or at weekends; and one for the events of columns. */
const KINDS = 2 * NEAR_PLACES + 1;
const OF_COLUMN = KINDS - 1;
const HOURS = 24;

const DAYS_OF_WEEK = 7;
const WEEKDAYS = 5;

/** Returns the columns whose values, but for the most frequent one, are rare; none for steps without days. */
export function findEventColumns(grid: TimeGrid, covariates: readonly Covariate[], steps: number): EventColumn[] {
  if (stepsOfDay(grid) === undefined) return [];
  const known = covariates.filter(({ isKnown }) => isKnown);
  return known.flatMap(({ values }, column): EventColumn[] => {
    const counts = new Map<number, number>();
    let count = 0;
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      if (!(Number.isInteger(value) && value >= 0 && value < MAX_VALUES)) return [];
      counts.set(value, (counts.get(value) ?? 0) + 1);
      count++;
    }
    const isRare = (events: number) => events > 0 && events <= MAX_SHARE * steps;
    if (isRare(count)) return [{ column, usual: null }];
    const [usual, most] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), [0, 0]);
    return isRare(count - most) ? [{ column, usual }] : [];
  });
}

/** Returns what tells the steps of events from usual ones; undefined if there are none. */
export function createEventGrid(
  grid: TimeGrid,
  holidays: HolidayDays | undefined,
  columns: readonly EventColumn[],
): EventGrid | undefined {
  const perDay = stepsOfDay(grid);
  if (perDay === undefined || (holidays === undefined && columns.length === 0)) return undefined;
  const findHoliday = holidays && createHolidayFinder(holidays);
  const days = grid.step.unit === 'weekday' ? WEEKDAYS : DAYS_OF_WEEK;
  return {
    cycle: Math.round(days * perDay),
    codeAt: (series, position) => {
      const { day, hour } = dayAndHour(grid, position);
      const hourOf = perDay > 1 ? hour : 0;
      const near = findHoliday?.(day);
      if (near) return encode(0, near.name, hourOf, 2 * near.place + Number(isWeekend(day)));
      const found = columns.findIndex((column) => isEvent(series, position, column));
      if (found < 0) return -1;
      const { column } = columns[found] ?? { column: 0 };
      const value = series.known[column]?.[position - series.start] ?? 0;
      return encode(1 + found, value, hourOf, OF_COLUMN);
    },
    kindsOf: (code) => {
      const group = Math.floor(code / (MAX_VALUES * HOURS * KINDS));
      const ofHour = encode(-1 - group, 0, 0, 0) + (code % (HOURS * KINDS));
      const ofKind = encode(-1 - group, 0, 0, 0) - KINDS + (code % KINDS);
      return perDay > 1 ? [ofKind, ofHour, code] : [ofHour, code];
    },
    ...(findHoliday && {
      nearHoliday: (position) => {
        const near = findHoliday(dayAndHour(grid, position).day);
        return near === undefined ? 0 : 1 + near.place;
      },
    }),
  };
}

function encode(group: number, value: number, hour: number, kind: number): number {
  return ((group * MAX_VALUES + value) * HOURS + hour) * KINDS + kind;
}

function isEvent({ known, start }: ForecastSeries, position: number, { column, usual }: EventColumn): boolean {
  const value = known[column]?.[position - start] ?? Number.NaN;
  return !Number.isNaN(value) && value !== usual && value < MAX_VALUES;
}

/** @param day since 1970, which began on a Thursday. */
function isWeekend(day: number): boolean {
  return (((day + 3) % DAYS_OF_WEEK) + DAYS_OF_WEEK) % DAYS_OF_WEEK >= WEEKDAYS;
}
