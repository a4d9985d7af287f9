import * as v from 'valibot';
import type { ModelLineReader, ModelLineWriter } from '../../model/model-lines.js';
import {
  columnSchema,
  countSchema,
  forestHeadSchema,
  indexSchema,
  levelSchema,
  nonNegativeSchema,
} from '../../model/schemas.js';
import { numberReadingSchema } from '../../table/codec/format.js';
import { gridSchema, reportSchema } from '../../table/codec/series.js';
import type { ColumnSummary } from '../../table/column-profile.js';
import type { NumberReading } from '../../table/number-formats.js';
import type { SeriesReport } from '../../table/series-table.js';
import type { TimeGrid } from '../../table/time-grid.js';
import type { Forest } from '../../trees/forest/tree.js';
import type { Steps } from '../../trees/steps.js';
import type { Forests } from './forests.js';

/** A trained forecaster, with the ends of its series: plain data, immutable. */
export interface SeriesModel {
  readonly task: 'forecast';
  readonly target: string;
  readonly target_reading: NumberReading | null;
  readonly row_count: number;
  readonly order_by: string;
  readonly group_by: readonly string[];
  readonly known: readonly string[];
  readonly grid: TimeGrid;
  readonly report: SeriesReport;
  /** The column that orders rows, those that tell series apart, and all others. */
  readonly columns: readonly ColumnSummary[];
  readonly metrics: SeriesMetrics;
  readonly method: ForecastModel;
  readonly series: readonly StoredSeries[];
}

/** The end of a series: as many values as a forecast or a backtest looks at. */
export interface StoredSeries {
  /** Its values of the group columns; '' is a missing one. */
  readonly groups: readonly string[];
  /** The position of the first value that is kept. */
  readonly start: number;
  readonly values: Float64Array;
  /** By column that is not known ahead, and by column that is, as long as the values. */
  readonly past: readonly Float64Array[];
  readonly known: readonly Float64Array[];
}

/** A fitted method. It has nothing of the series: forecasts are made from the history that is given then. */
export interface ForecastModel extends Forests {
  readonly season: number;
  readonly horizon: number;
  /** The most values before a forecast that are looked at. */
  readonly history_needed: number;
  readonly past_count: number;
  readonly known_count: number;
  /** The inputs of the trees, in words. */
  readonly features: readonly string[];
  /** Fitted without the last values of each series, at least `horizon` of them. */
  readonly backtest: Forests;
  /** The weight of the value forest, 0 to 1, chosen by an earlier window. */
  readonly value_weight: number;
  /** By step: |error| ÷ expected error of a backtest, ascending. */
  readonly scores: readonly (readonly number[])[];
  readonly metrics: ForecastMetrics;
}

/** The last values of each series that must be kept: a backtest begins before as many of them as the horizon. */
export function valuesToKeep({ history_needed, horizon }: ForecastModel): number {
  return history_needed + horizon;
}

/** Errors of forecasts of values that were not learnt from. */
export type ForecastErrors = v.InferOutput<typeof errorsSchema>;

/** The results of backtests on the ends of the series. */
export type ForecastMetrics = v.InferOutput<typeof methodMetricsSchema>;

export type SeriesMetrics = v.InferOutput<typeof metricsSchema>;

export type WorstSeries = SeriesMetrics['worst_series'][number];

const errorsSchema = v.strictObject({
  /** Mean absolute error, in units of the target. */
  mae: nonNegativeSchema,
  /** 200 × |error| ÷ (|value| + |forecast|), on average; 0 where both are 0. */
  smape: nonNegativeSchema,
  /** Mean absolute error ÷ that of the seasonal naive forecast within the history; null if that makes none. */
  mase: v.nullable(nonNegativeSchema),
});

const methodMetricsSchema = v.strictObject({
  /** Forecast values that were compared. */
  value_count: indexSchema,
  errors: errorsSchema,
  /** Of repeating the last season. */
  baseline_errors: errorsSchema,
  /** The same by step, from the first. */
  errors_by_step: v.array(errorsSchema),
  baseline_errors_by_step: v.array(errorsSchema),
  /** The level at which coverage was counted: 0.9. */
  interval_level: levelSchema,
  /**
   * The share of values within intervals that were calibrated on other windows; null if the series are too few or
   * too short to count it.
   */
  interval_coverage: v.nullable(levelSchema),
  /** The same by step. */
  interval_coverage_by_step: v.array(v.nullable(levelSchema)),
});

const metricsSchema = v.strictObject({
  ...methodMetricsSchema.entries,
  /** The series whose last values were forecast worst, the worst first; at most 20. */
  worst_series: v.array(
    v.strictObject({
      /** In the order of the group columns; null is a missing value. */
      groups: v.array(v.nullable(v.string())),
      mase: nonNegativeSchema,
    }),
  ),
});

const forestsShape = {
  cuts: v.array(v.array(v.number())),
  value_forest: forestHeadSchema,
  error_forest: forestHeadSchema,
  error_floor: nonNegativeSchema,
};

const forestsSchema = v.strictObject(forestsShape);

const methodSchema = v.strictObject({
  season: countSchema,
  horizon: countSchema,
  history_needed: countSchema,
  past_count: indexSchema,
  known_count: indexSchema,
  features: v.array(v.string()),
  ...forestsShape,
  backtest: forestsSchema,
  value_weight: v.number(),
  scores: v.array(v.array(nonNegativeSchema)),
  metrics: methodMetricsSchema,
});

/** The head of an encoded forecaster. Columns and series are lines of their own. */
export const forecastHeadSchema = v.object({
  task: v.literal('forecast'),
  target: v.string(),
  target_reading: v.nullable(numberReadingSchema),
  row_count: countSchema,
  order_by: v.string(),
  group_by: v.array(v.string()),
  known: v.array(v.string()),
  grid: gridSchema,
  report: reportSchema,
  columns: indexSchema,
  metrics: metricsSchema,
  method: methodSchema,
  series: countSchema,
});

const numbersSchema = v.array(v.nullable(v.number()));

const seriesSchema = v.strictObject({
  groups: v.array(v.string()),
  start: v.pipe(v.number(), v.safeInteger()),
  values: numbersSchema,
  past: v.array(numbersSchema),
  known: v.array(numbersSchema),
});

/** Returns the head of a forecaster, and writes the rest of it as lines. */
export function encodeForecast(model: SeriesModel, lines: ModelLineWriter) {
  const { columns, series, method, ...rest } = model;
  return {
    ...rest,
    columns: lines.items(columns),
    method: {
      ...method,
      ...encodeForests(method, lines),
      backtest: encodeForests(method.backtest, lines),
    },
    series: lines.items(
      series.map(({ groups, start, values, past, known }) => ({
        groups,
        start,
        values: writeNumbers(values),
        past: past.map(writeNumbers),
        known: known.map(writeNumbers),
      })),
    ),
  };
}

function encodeForests(
  { cuts, value_forest, error_forest, error_floor }: Forests,
  lines: ModelLineWriter,
) {
  return {
    cuts,
    value_forest: lines.forest(value_forest),
    error_forest: lines.forest(error_forest),
    error_floor,
  };
}

function* decodeForests(
  { cuts, error_floor, ...head }: v.InferOutput<typeof forestsSchema>,
  features: number,
  lines: ModelLineReader,
): Steps<Forests> {
  const value_forest = yield* lines.forest(head.value_forest);
  const error_forest = yield* lines.forest(head.error_forest);
  for (const forest of [value_forest, error_forest]) checkFeatures(forest, features);
  return { cuts, value_forest, error_forest, error_floor };
}

/** JSON has no NaN. */
function writeNumbers(values: Float64Array): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

function readNumbers(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}

/** Reads the rest of a forecaster behind its head. */
export function* decodeForecast(
  head: v.InferOutput<typeof forecastHeadSchema>,
  lines: ModelLineReader,
): Steps<SeriesModel> {
  const columns = yield* lines.items(head.columns, columnSchema);
  const { features, past_count, known_count } = head.method;
  const forests = yield* decodeForests(head.method, features.length, lines);
  const backtest = yield* decodeForests(head.method.backtest, features.length, lines);
  const series: StoredSeries[] = [];
  while (series.length < head.series) {
    const { groups, start, values, past, known } = v.parse(seriesSchema, lines.next());
    const isWhole = [...past, ...known].every(({ length }) => length === values.length);
    const isSound = past.length === past_count && known.length === known_count && isWhole;
    if (!isSound || groups.length !== head.group_by.length) {
      throw new Error('A series does not have the columns of its model.');
    }
    series.push({
      groups,
      start,
      values: readNumbers(values),
      past: past.map(readNumbers),
      known: known.map(readNumbers),
    });
    yield;
  }
  return { ...head, columns, method: { ...head.method, ...forests, backtest }, series };
}

function checkFeatures({ trees }: Forest, count: number): void {
  const isSound = trees.every(({ splits }) => splits.every(({ feature }) => feature < count));
  if (!isSound) throw new Error('A split refers to a feature that the model does not have.');
}
