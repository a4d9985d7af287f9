import { isWhole } from '../../intervals/target-range.js';
import { CATEGORY_BYTES, type ColumnSummary, chooseCategories } from '../../table/column-profile.js';
import { DEFAULT_WORDS } from '../../table/missing-words.js';
import type { ForecastTable } from '../../table/series-table.js';
import type { Progress } from '../../training/progress.js';
import { finish } from '../../trees/steps.js';
import type { Outcome } from './backtest.js';
import { createSeriesSet, findEvents } from './horizon.js';
import { fitForecaster } from './method.js';
import type { ForecastSeries } from './series.js';
import { type SeriesEnds, SeriesEndsBuilder } from './series-ends.js';
import type { SeriesModel, WorstSeries } from './series-model.js';
import { valuesToKeep } from './series-model.js';

const MAX_WORST = 20;

/** Trains a forecaster. @param onBacktest gets the outcomes of the last backtest, by step. */
export function trainForecast(
  table: ForecastTable,
  progress: Progress,
  seed: number,
  onBacktest?: (outcomes: readonly (readonly Outcome[])[]) => void,
): SeriesModel {
  const { target, rowCount, goal, grid, report } = table;
  const whole = table.values.every((value) => Number.isNaN(value) || isWhole(value));
  const set = createSeriesSet(table);
  const events = findEvents(table);
  const {
    model: method,
    seriesErrors,
    outcomes,
    fits,
  } = fitForecaster(set, {
    horizon: goal.horizon,
    ...(goal.window !== undefined && { window: goal.window }),
    isWhole: whole,
    seed,
    progress,
  });
  onBacktest?.(outcomes);
  return {
    task: 'forecast',
    target,
    target_reading: table.targetReading ?? null,
    ...(table.missingWords && { missing_words: table.missingWords }),
    ...(whole && { whole_target: true }),
    row_count: rowCount,
    order_by: goal.orderBy,
    group_by: [...goal.groupBy],
    known: [...goal.known],
    grid,
    ...(table.holidays && { holidays: table.holidays }),
    ...(events.length > 0 && { events }),
    report,
    columns: summarizeColumns(table),
    metrics: { ...method.metrics, worst_series: findWorst(table, seriesErrors) },
    method,
    series: keepEnds(table, set.series, valuesToKeep(method), fits),
  };
}

/**
 * Returns the series of a table, of each as many of its last values as are needed.
 *
 * @param fits by series
 */
function keepEnds(
  table: ForecastTable,
  series: readonly ForecastSeries[],
  most: number,
  fits: readonly (Uint16Array | undefined)[],
): SeriesEnds {
  const [first] = series;
  const ends = new SeriesEndsBuilder({
    groups: table.goal.groupBy.length,
    past: first?.past.length ?? 0,
    known: first?.known.length ?? 0,
  });
  for (const [index, { start, values, past, known }] of series.entries()) {
    const cut = Math.max(0, values.length - most);
    const end = (column: Float64Array) => column.subarray(cut);
    const fit = fits[index];
    ends.add({
      groups: readGroups(table, index),
      start: start + cut,
      values: end(values),
      past: past.map(end),
      known: known.map(end),
      ...(fit && { fit }),
    });
  }
  return finish(ends.finish());
}

function readGroups({ goal, groupTexts, groupCodes }: ForecastTable, series: number): string[] {
  const count = goal.groupBy.length;
  return groupTexts.map((texts, group) => texts[groupCodes[series * count + group] ?? 0] ?? '');
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
      ...(table.missingWords && { missing_words: DEFAULT_WORDS }),
      reading: grid.reading ?? null,
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
