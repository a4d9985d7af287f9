import { widthAt } from '../intervals/conformal.js';
import { findUnit, toFinite, WHOLE, withinSupport } from '../intervals/target-range.js';
import { formatMoment } from '../table/moments.js';
import type { ForecastTable } from '../table/series-table.js';
import { findMoment } from '../table/time-grid.js';
import type { Outcome } from '../tasks/forecasting/backtest.js';
import { MIN_SCORES } from '../tasks/forecasting/series.js';
import type { SeriesModel } from '../tasks/forecasting/series-model.js';
import { cutText } from '../text/cut-text.js';
import { ERROR_LEVEL } from '../training/train-model.js';
import { explainForecasts } from './explain-forecasts.js';
import { findSlices, NO_SLICE, type Partition } from './find-slices.js';
import {
  type ErrorSlice,
  MAX_ERROR_COLUMNS,
  MAX_ERROR_ROWS,
  MAX_ERROR_TEXT,
  type ModelErrors,
  type RowError,
} from './model-errors.js';
import { describeSlice, type ErrorWords } from './row-errors.js';

/** A slice of fewer series is one of `worst_series`, not a kind of them. */
const MIN_SERIES = 5;

/** The groups of steps that are slices. */
const STEP_GROUPS = 4;

/** Slices by groups, and slices by steps. */
const FAMILIES = 2;

/** A forecast of a backtest, and its error. */
interface Judged extends Outcome {
  /** From 1. */
  readonly step: number;
  readonly error: number;
}

/**
 * Finds the forecasts of a backtest that were off most, and the groups and steps where a model errs most. Forecasts of
 * one series err alike, so that chance is judged by series: a group of them by the mean errors of its series, and steps
 * by what they err more than the others of the same series.
 *
 * @param outcomes by step, as the last backtest had them.
 */
export function findForecastErrors(
  table: ForecastTable,
  model: Pick<SeriesModel, 'method' | 'target' | 'whole_target'>,
  outcomes: readonly (readonly Outcome[])[],
): ModelErrors {
  const isScaled = outcomes.some((ofStep) => ofStep.some(({ naiveError }) => naiveError > 0));
  const judged = outcomes.flatMap((ofStep, index) =>
    ofStep.flatMap((outcome): Judged[] => {
      const { actual, forecast, naiveError, unit } = outcome;
      if (isScaled && !(naiveError > 0)) return [];
      const error = Math.abs(actual - forecast);
      return [{ ...outcome, step: index + 1, error: toFinite(isScaled ? error / naiveError : unit * error) }];
    }),
  );
  const unit = findUnit(Float64Array.from(judged, ({ error }) => error));
  const mean = judged.reduce((sum, { error }) => sum + error / unit, 0) / Math.max(judged.length, 1);
  const error = toFinite(unit * mean);
  const words = isScaled ? SCALED : ABSOLUTE;
  const { orderBy, groupBy } = table.goal;
  const worst = judged.toSorted((one, other) => other.error - one.error).slice(0, MAX_ERROR_ROWS);
  const reasons = explainForecasts(table, model, worst);
  return {
    measure: isScaled ? 'scaled_error' : 'absolute_error',
    error,
    measured_rows: judged.length,
    confidence: ERROR_LEVEL,
    columns: [orderBy, ...groupBy].slice(0, MAX_ERROR_COLUMNS),
    contributions: reasons.names,
    rows: worst.map((outcome, at) => describeForecast(table, model, outcome, reasons.values[at] ?? [])),
    slices: [...sliceByGroup(table, judged, unit), ...sliceByStep(judged, unit, outcomes.length)]
      .sort((one, other) => other.error - one.error)
      .slice(0, 3)
      .map(({ column, value, from, to, ...slice }) =>
        describeSlice(column, { value, from, to }, { ...slice, error: toFinite(unit * slice.error) }, error, words),
      ),
  };
}

const SCALED: ErrorWords = {
  of: 'forecasts',
  say: (error) => `the error is ${error} times that of repeating the last season within the history`,
};
const ABSOLUTE: ErrorWords = { of: 'forecasts', say: (error) => `the forecasts are off by ${error} on average` };

function describeForecast(
  { starts, grid, ...table }: ForecastTable,
  { method, whole_target }: Pick<SeriesModel, 'method' | 'whole_target'>,
  { series, position, unit, actual, forecast, scale, lowest, step, error }: Judged,
  contributions: readonly number[],
): RowError {
  const scores = method.scores[step - 1] ?? [];
  const reach = scores.length < MIN_SCORES ? null : widthAt(scores, ERROR_LEVEL).score * scale;
  const inUnits = (value: number) => toFinite(unit * Math.max(value, lowest));
  const bounds = {
    value: inUnits(forecast),
    min: inUnits(forecast - (reach ?? 0)),
    max: inUnits(forecast + (reach ?? 0)),
  };
  const { value, min, max } = whole_target ? withinSupport(WHOLE, bounds) : bounds;
  const moment = formatMoment(grid.form, findMoment(grid, (starts[series] ?? 0) + position));
  return {
    line: null,
    row: null,
    step,
    values: [moment, ...readGroups(table, series)].slice(0, MAX_ERROR_COLUMNS),
    truth: toFinite(unit * actual),
    predicted: value,
    lower: reach === null ? null : min,
    upper: reach === null ? null : max,
    probability: null,
    error,
    contributions,
  };
}

type Groups = Pick<ForecastTable, 'goal' | 'groupTexts' | 'groupCodes'>;

function readGroups({ goal, groupTexts, groupCodes }: Groups, series: number): (string | null)[] {
  return goal.groupBy.map((_, group) => {
    const text = groupTexts[group]?.[groupCodes[series * goal.groupBy.length + group] ?? 0] ?? '';
    return text === '' ? null : cutText(text, MAX_ERROR_TEXT);
  });
}

type FoundSlice = Omit<ErrorSlice, 'message' | 'rows' | 'p_value'> & { readonly items: number; readonly p: number };

/** Finds values of group columns whose series err most, by the mean errors of series. */
function sliceByGroup(table: ForecastTable, judged: readonly Judged[], unit: number): FoundSlice[] {
  const { groupBy } = table.goal;
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { series, error } of judged) {
    const of = sums.get(series) ?? { sum: 0, count: 0 };
    sums.set(series, { sum: of.sum + error / unit, count: of.count + 1 });
  }
  const items = [...sums].map(([series, { sum, count }]) => ({ series, count, error: sum / count }));
  const partitions = groupBy.map((_, group): Partition => {
    const codes = items.map(({ series }) => table.groupCodes[series * groupBy.length + group] ?? 0);
    const sliceCount = Math.min(table.groupTexts[group]?.length ?? 0, NO_SLICE);
    return { codes: Uint16Array.from(codes, (code) => Math.min(code, NO_SLICE)), sliceCount };
  });
  const errors = Float64Array.from(items, ({ error }) => error);
  const found = findSlices(errors, partitions, { minItems: MIN_SERIES, families: FAMILIES });
  return found.map(({ partition, slice, error, p }) => {
    const text = table.groupTexts[partition]?.[slice] ?? '';
    const own = items.filter((_, index) => partitions[partition]?.codes[index] === slice);
    const rows = own.reduce((sum, { count }) => sum + count, 0);
    const value = text === '' ? null : cutText(text, MAX_ERROR_TEXT);
    return { column: groupBy[partition] ?? '', value, from: null, to: null, items: rows, error, p };
  });
}

/** Finds groups of steps at which forecasts err most, by their errors beside those of other steps of the same series. */
function sliceByStep(judged: readonly Judged[], unit: number, horizon: number): FoundSlice[] {
  const groups = Math.min(horizon, STEP_GROUPS);
  const groupOf = (step: number) => Math.floor(((step - 1) * groups) / horizon);
  const sums = new Map<number, { readonly errors: number[]; readonly counts: number[] }>();
  for (const { series, step, error } of judged) {
    const none = { errors: new Array<number>(groups).fill(0), counts: new Array<number>(groups).fill(0) };
    const of = sums.get(series) ?? none;
    const group = groupOf(step);
    of.errors[group] = (of.errors[group] ?? 0) + error / unit;
    of.counts[group] = (of.counts[group] ?? 0) + 1;
    sums.set(series, of);
  }
  const items = [...sums.values()].flatMap(({ errors, counts }) => {
    const means = errors.map((sum, group) => sum / Math.max(counts[group] ?? 0, 1));
    const present = means.filter((_, group) => (counts[group] ?? 0) > 0);
    const mean = present.reduce((sum, error) => sum + error, 0) / present.length;
    return means.flatMap((error, group) => {
      const count = counts[group] ?? 0;
      return count === 0 ? [] : [{ group, count, error, beyond: error - mean }];
    });
  });
  const errors = Float64Array.from(items, ({ error }) => error);
  const tested = Float64Array.from(items, ({ beyond }) => beyond);
  const partition = { codes: Uint16Array.from(items, ({ group }) => group), sliceCount: groups };
  const found = findSlices(errors, [partition], { minItems: MIN_SERIES, families: FAMILIES, tested });
  return found.map(({ slice, error, p }) => {
    const steps = Array.from({ length: horizon }, (_, index) => index + 1).filter((step) => groupOf(step) === slice);
    const rows = items.reduce((sum, { group, count }) => sum + (group === slice ? count : 0), 0);
    return { column: 'step', value: null, from: steps[0] ?? 1, to: steps.at(-1) ?? horizon, items: rows, error, p };
  });
}
