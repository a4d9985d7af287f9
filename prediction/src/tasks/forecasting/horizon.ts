import type { HolidayDays } from '../../table/holidays.js';
import type { Covariate, ForecastTable } from '../../table/series-table.js';
import { quote, TableError } from '../../table/table-error.js';
import { createCalendar, seasonLength, seasonLengths, type TimeGrid } from '../../table/time-grid.js';
import { createEventGrid, type EventColumn, findEventColumns } from './events.js';
import { type ForecastSeries, type Grid, maxHorizon, type SeriesSet } from './series.js';

/** @throws {TableError} if the table cannot calibrate the horizon that is asked for. */
export function refuseHorizon(table: ForecastTable): void {
  const { horizon, groupBy } = table.goal;
  const most = maxHorizon(createSeriesSet(table));
  if (horizon <= most) return;
  const { series, longest } = table.report;
  const found = `The table has ${series.toLocaleString('en')} series${groupBy.length > 0 ? ` by ${groupBy.map(quote).join(' and ')}` : ''}, the longest of ${longest.toLocaleString('en')} steps`;
  const message =
    most === 0
      ? `${found}: too short for a forecast that is measured. Send more rows of each series, or name fewer columns in group_by.`
      : `${found}: it can calibrate a horizon of ${most} at most, not ${horizon}. Ask for a smaller horizon, or send more rows of each series.`;
  throw new TableError([{ message, column: table.goal.orderBy }]);
}

/** Returns the series of a table as views of its columns. */
export function createSeriesSet(table: ForecastTable): SeriesSet {
  const { grid, covariates, ends, starts } = table;
  const past = covariates.filter(({ isKnown }) => !isKnown);
  const known = covariates.filter(({ isKnown }) => isKnown);
  const series = Array.from(ends, (end, index): ForecastSeries => {
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0);
    const cut = ({ values }: Pick<Covariate, 'values'>) => values.subarray(from, end);
    return { start: starts[index] ?? 0, values: cut(table), past: past.map(cut), known: known.map(cut) };
  });
  const seasons = seasonLengths(grid);
  return { ...createGrid(grid, table.holidays, findEvents(table)), ...(seasons && { seasons }), series };
}

/** Returns the columns of a table that name rare events. */
export function findEvents({ grid, covariates, values }: ForecastTable): EventColumn[] {
  return findEventColumns(grid, covariates, values.length);
}

/** Returns what a forecast reads of the moments of its steps, and of their events. */
export function createGrid(
  grid: TimeGrid,
  holidays: HolidayDays | undefined,
  columns: readonly EventColumn[] = [],
): Grid {
  const calendar = createCalendar(grid);
  const events = createEventGrid(grid, holidays, columns);
  const nearHoliday = events?.nearHoliday;
  return {
    season: seasonLength(grid),
    calendar: nearHoliday ? (position) => [...calendar(position), nearHoliday(position)] : calendar,
    ...(events && { events }),
  };
}
