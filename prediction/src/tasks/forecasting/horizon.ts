import type { Covariate, ForecastTable } from '../../table/series-table.js';
import { quote, TableError } from '../../table/table-error.js';
import { createCalendar, seasonLength, seasonLengths } from '../../table/time-grid.js';
import { type ForecastSeries, maxHorizon, type SeriesSet } from './series.js';

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
  return { season: seasonLength(grid), ...(seasons && { seasons }), calendar: createCalendar(grid), series };
}
