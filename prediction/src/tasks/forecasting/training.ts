import { CATEGORY_BYTES, type ColumnSummary, chooseCategories } from '../../table/column-profile.js';
import type { Covariate, ForecastTable } from '../../table/series-table.js';
import { quote, TableError } from '../../table/table-error.js';
import { describePosition, seasonLength } from '../../table/time-grid.js';
import type { Progress } from '../../training/progress.js';
import { fitForecaster, maxHorizon } from './method.js';
import type { ForecastSeries, SeriesSet } from './series.js';
import type { SeriesModel, StoredSeries, WorstSeries } from './series-model.js';

const MAX_WORST = 20;

/** Trains a forecaster on the series of a table. */
export function trainForecast(table: ForecastTable, progress: Progress, seed: number): SeriesModel {
  const { target, rowCount, goal, grid, report } = table;
  const set = createSeriesSet(table);
  const { model: method, seriesErrors } = fitForecaster(set, {
    horizon: goal.horizon,
    ...(goal.window !== undefined && { window: goal.window }),
    seed,
    progress,
  });
  return {
    task: 'forecast',
    target,
    target_reading: table.targetReading ?? null,
    row_count: rowCount,
    order_by: goal.orderBy,
    group_by: [...goal.groupBy],
    known: [...goal.known],
    grid,
    report,
    columns: summarizeColumns(table),
    metrics: { ...method.metrics, worst_series: findWorst(table, seriesErrors) },
    method,
    series: set.series.map((series, index) =>
      keepEnd(series, readGroups(table, index), method.history_needed),
    ),
  };
}

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

function createSeriesSet(table: ForecastTable): SeriesSet {
  const { grid, covariates, ends, starts } = table;
  const past = covariates.filter(({ isKnown }) => !isKnown);
  const known = covariates.filter(({ isKnown }) => isKnown);
  const series = Array.from(ends, (end, index): ForecastSeries => {
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0);
    const cut = ({ values }: Pick<Covariate, 'values'>) => values.subarray(from, end);
    return { start: starts[index] ?? 0, values: cut(table), past: past.map(cut), known: known.map(cut) };
  });
  return { season: seasonLength(grid), calendar: (position) => describePosition(grid, position), series };
}

function readGroups({ goal, groupTexts, groupCodes }: ForecastTable, series: number): string[] {
  const count = goal.groupBy.length;
  return groupTexts.map((texts, group) => texts[groupCodes[series * count + group] ?? 0] ?? '');
}

function keepEnd(series: ForecastSeries, groups: string[], most: number): StoredSeries {
  const cut = Math.max(0, series.values.length - most);
  const end = (values: Float64Array) => values.slice(cut);
  return {
    groups,
    start: series.start + cut,
    values: end(series.values),
    past: series.past.map(end),
    known: series.known.map(end),
  };
}

function summarizeColumns(table: ForecastTable): ColumnSummary[] {
  const { goal, groupTexts, grid, report } = table;
  const usual = { used: true, reason: null, missing_share: 0, reading: null, importance: null };
  const bytes = Math.floor(CATEGORY_BYTES / (goal.groupBy.length + table.columns.length + 1));
  return [
    {
      name: goal.orderBy,
      kind: grid.form === 'number' ? 'number' : 'date',
      ...usual,
      min: report.first,
      max: report.last,
      categories: null,
    },
    ...goal.groupBy.map(
      (name, group): ColumnSummary => ({
        name,
        kind: 'category',
        ...usual,
        min: null,
        max: null,
        categories: chooseCategories((groupTexts[group] ?? []).slice(1), bytes),
      }),
    ),
    ...table.columns,
  ];
}

function findWorst(table: ForecastTable, errors: Float64Array): WorstSeries[] {
  return Array.from(errors, (mase, series) => ({ mase, series }))
    .filter(({ mase }) => Number.isFinite(mase))
    .sort((one, other) => other.mase - one.mase)
    .slice(0, MAX_WORST)
    .map(({ mase, series }) => ({
      groups: readGroups(table, series).map((text) => (text === '' ? null : text)),
      mase,
    }));
}
