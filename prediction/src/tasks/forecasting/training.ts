import {
  CATEGORY_BYTES,
  type ColumnSummary,
  chooseCategories,
} from '../../table/column-profile.js';
import type { ForecastTable } from '../../table/series-table.js';
import type { Progress } from '../../training/progress.js';
import { createSeriesSet } from './horizon.js';
import { fitForecaster } from './method.js';
import type { ForecastSeries } from './series.js';
import type { SeriesModel, StoredSeries, WorstSeries } from './series-model.js';
import { valuesToKeep } from './series-model.js';

const MAX_WORST = 20;

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
      keepEnd(series, readGroups(table, index), valuesToKeep(method)),
    ),
  };
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
