import { baseColumn, contributionColumn, seasonColumn } from '../table/column-names.js';
import type { ForecastTable } from '../table/series-table.js';
import { createSeriesSet } from '../tasks/forecasting/horizon.js';
import { Forecaster } from '../tasks/forecasting/method.js';
import type { SeriesModel } from '../tasks/forecasting/series-model.js';
import { finish } from '../trees/steps.js';
import { MAX_ERROR_COLUMNS } from './model-errors.js';

/** A forecast of a backtest: the index of its series, that of the value in it, and its step from 1. */
interface Forecasted {
  readonly series: number;
  readonly position: number;
  readonly step: number;
}

/** The parts of forecasts, in units of the target: a number for each name, by forecast. */
interface Explained {
  readonly names: readonly string[];
  readonly values: readonly (readonly number[])[];
}

/**
 * Explains forecasts of the last backtest by its trees, from the history that each had: by the base, its season, the
 * target's past, the calendar, and the columns. Of many columns those are named that contribute most.
 */
export function explainForecasts(
  table: ForecastTable,
  { method, target }: Pick<SeriesModel, 'method' | 'target'>,
  forecasts: readonly Forecasted[],
): Explained {
  const set = createSeriesSet(table);
  const forecaster = finish(Forecaster.create(method, set));
  if (!forecaster.isExplainable) return { names: [], values: forecasts.map(() => []) };
  finish(forecaster.prepare());
  const parts = forecasts.flatMap(({ series, position, step }) => {
    const one = set.series[series];
    return one === undefined ? [] : [{ series: one, end: position - step + 1 }];
  });
  const steps = Math.max(1, ...forecasts.map(({ step }) => step));
  const explained = forecaster.forecastParts(parts, steps, true, true);
  const values = explained.map(({ explanations }, at) => explanations?.[(forecasts[at]?.step ?? 1) - 1]);
  const columns = [...table.covariates].sort((one, other) => Number(one.isKnown) - Number(other.isKnown));
  const names = [
    baseColumn(target),
    seasonColumn(target),
    ...[target, table.goal.orderBy, ...columns.map(({ name }) => name)].map((name) => contributionColumn(target, name)),
  ];
  const shown = chooseLargest(values, names.length);
  return {
    names: shown.map((at) => names[at] ?? ''),
    values: values.map((ofForecast) => shown.map((at) => ofForecast?.[at] ?? 0)),
  };
}

/** The base, the season, the target's past and the calendar. */
const ALWAYS = 4;

/** Returns the indexes of the numbers that are shown, ascending. */
function chooseLargest(values: readonly (Float64Array | undefined)[], count: number): number[] {
  const all = Array.from({ length: count }, (_, at) => at);
  if (count <= MAX_ERROR_COLUMNS) return all;
  const sizes = all.map((at) => values.reduce((sum, ofForecast) => sum + Math.abs(ofForecast?.[at] ?? 0), 0));
  return all
    .sort((one, other) => {
      const isAlways = Number(other < ALWAYS) - Number(one < ALWAYS);
      return isAlways || (sizes[other] ?? 0) - (sizes[one] ?? 0);
    })
    .slice(0, MAX_ERROR_COLUMNS)
    .sort((one, other) => one - other);
}
