import * as v from 'valibot';
import type { ModelLineReader, ModelLineWriter } from '../../model/model-lines.js';
import {
  columnSchema,
  countSchema,
  forestHeadSchema,
  indexSchema,
  levelSchema,
  nonNegativeSchema,
  numbersSchema,
} from '../../model/schemas.js';
import { isRowObject } from '../../table/cells.js';
import { listedWordsSchema, numberReadingSchema } from '../../table/codec/format.js';
import { gridSchema, holidaysSchema, reportSchema } from '../../table/codec/series.js';
import type { ColumnSummary } from '../../table/column-profile.js';
import type { HolidayDays } from '../../table/holidays.js';
import type { ListedWords } from '../../table/missing-words.js';
import type { NumberReading } from '../../table/reading/column-reading.js';
import type { SeriesReport } from '../../table/series-table.js';
import type { TimeGrid } from '../../table/time-grid.js';
import type { Forest } from '../../trees/forest/tree.js';
import type { Steps } from '../../trees/steps.js';
import { type CompetitionPlan, nameBases } from './competition.js';
import type { EventColumn } from './events.js';
import type { NaiveShare } from './forecaster.js';
import type { Forests } from './forests.js';
import { type SeriesEnd, type SeriesEnds, SeriesEndsBuilder } from './series-ends.js';
import { isFit } from './series-fit.js';

/** A trained forecaster, with the ends of its series: immutable, and plain data but for these. */
export interface SeriesModel {
  readonly task: 'forecast';
  readonly target: string;
  readonly target_reading: NumberReading | null;
  /** Absent in models of releases that did not list them: see `textReader`. */
  readonly missing_words?: ListedWords;
  /** True if each value of the target was a whole number: bounds are, too. Models of releases before 0.3.0 lack it. */
  readonly whole_target?: true;
  readonly row_count: number;
  readonly order_by: string;
  readonly group_by: readonly string[];
  readonly known: readonly string[];
  readonly grid: TimeGrid;
  /** The holidays of the table and of ten years after it, where they were asked for. */
  readonly holidays?: HolidayDays;
  /** The columns known ahead that name rare events. */
  readonly events?: readonly EventColumn[];
  readonly report: SeriesReport;
  /** The column that orders rows, those that tell series apart, and all others. */
  readonly columns: readonly ColumnSummary[];
  readonly metrics: SeriesMetrics;
  readonly method: ForecastModel;
  readonly series: SeriesEnds;
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
  /** The naive forecast that others are mixed with, where a backtest found it better. */
  readonly naive?: NaiveShare;
  /** Absent where one season is looked for, and in models of earlier releases. */
  readonly competition?: CompetitionPlan;
  /** True if intermittent demand is forecast by its mean. Absent in models of earlier releases. */
  readonly intermittent?: true;
  /** By step: |error| ÷ expected error of a backtest, ascending. */
  readonly scores: readonly (readonly number[])[];
  readonly metrics: ForecastMetrics;
}

/** The last values of each series that must be kept: a backtest begins before as many of them as the horizon. */
export function valuesToKeep({ history_needed, horizon }: Pick<ForecastModel, 'history_needed' | 'horizon'>): number {
  return history_needed + horizon;
}

/** Errors of forecasts of values that were not learnt from. */
export type ForecastErrors = v.InferOutput<typeof errorsSchema>;

/** The results of backtests on the ends of the series. */
export type ForecastMetrics = v.InferOutput<typeof methodMetricsSchema>;

export type SeriesMetrics = v.InferOutput<typeof metricsSchema>;

/** A season that was looked for. */
export type SeasonMetrics = v.InferOutput<typeof seasonSchema>;

export type WorstSeries = SeriesMetrics['worst_series'][number];

const errorsSchema = v.strictObject({
  /** Mean absolute error, in units of the target. */
  mae: nonNegativeSchema,
  /** 200 × |error| ÷ (|value| + |forecast|), on average; 0 where both are 0. */
  smape: nonNegativeSchema,
  /** Mean absolute error ÷ that of the seasonal naive forecast within the history; null if that makes none. */
  mase: v.nullable(nonNegativeSchema),
});

const seasonSchema = v.strictObject({
  /** In steps; not always whole. */
  length: v.pipe(v.number(), v.minValue(1)),
  /** The share of the series in which a test finds it. */
  series_share: levelSchema,
  /** The mean share of the variance beside the course that it explains there; null if it is found in none. */
  strength: v.nullable(levelSchema),
  /** The errors of repeating the values of one season before. */
  repeat_errors: errorsSchema,
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
  /** By step: how many independent scores those that calibrate the intervals are worth. Absent in older models. */
  effective_scores_by_step: v.exactOptional(v.array(nonNegativeSchema)),
  /** Where several seasons are looked for. */
  seasons: v.exactOptional(v.array(seasonSchema)),
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
  cuts: v.array(numbersSchema()),
  value_forest: forestHeadSchema,
  error_forest: forestHeadSchema,
  error_floor: nonNegativeSchema,
  base_errors: v.exactOptional(numbersSchema((error) => error > 0)),
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
  naive: v.exactOptional(v.strictObject({ index: indexSchema, share: levelSchema })),
  competition: v.exactOptional(
    v.strictObject({
      seasons: numbersSchema(),
      window: countSchema,
      stride: countSchema,
      origins: indexSchema,
      long: v.exactOptional(v.strictObject({ seasons: numbersSchema(), window: countSchema })),
    }),
  ),
  intermittent: v.exactOptional(v.literal(true)),
  scores: v.array(numbersSchema((score) => score >= 0)),
  metrics: methodMetricsSchema,
});

/** The head of an encoded forecaster. Columns and series are separate lines. */
export const forecastHeadSchema = v.object({
  task: v.literal('forecast'),
  target: v.string(),
  target_reading: v.nullable(numberReadingSchema),
  missing_words: listedWordsSchema,
  whole_target: v.exactOptional(v.literal(true)),
  row_count: countSchema,
  order_by: v.string(),
  group_by: v.array(v.string()),
  known: v.array(v.string()),
  grid: gridSchema,
  holidays: v.exactOptional(holidaysSchema),
  events: v.exactOptional(v.array(v.strictObject({ column: indexSchema, usual: v.nullable(v.number()) }))),
  report: reportSchema,
  columns: indexSchema,
  metrics: metricsSchema,
  method: methodSchema,
  series: countSchema,
});

/** Series are most of a model of many, and valibot would take five times as long to check them. */
const seriesSchema = v.custom<SeriesEnd>(isSeriesEnd, 'The values are not those of a series.');

function isSeriesEnd(value: unknown): value is SeriesEnd {
  if (!isRowObject(value)) return false;
  const { groups, start, values, past, known, fit, ...rest } = value;
  return (
    Array.isArray(groups) &&
    groups.every((text) => typeof text === 'string') &&
    Number.isSafeInteger(start) &&
    isCells(values) &&
    (fit === undefined || Array.isArray(fit)) &&
    Object.keys(rest).length === 0 &&
    [past, known].every((columns) => Array.isArray(columns) && columns.every(isCells))
  );
}

function isCells(value: unknown): boolean {
  return Array.isArray(value) && value.every((cell) => cell === null || typeof cell === 'number');
}

/** Returns the head of a forecaster, and writes the rest of it as lines. */
export function encodeForecast(model: SeriesModel, lines: ModelLineWriter) {
  const { columns, series, method, ...rest } = model;
  return {
    ...rest,
    columns: lines.items(columns),
    method: { ...method, ...encodeForests(method, lines), backtest: encodeForests(method.backtest, lines) },
    series: lines.items(writeSeries(series)),
  };
}

function* writeSeries(series: SeriesEnds) {
  for (const { groups, start, values, past, known, fit } of series) {
    yield {
      groups,
      start,
      values: writeNumbers(values),
      past: past.map(writeNumbers),
      known: known.map(writeNumbers),
      ...(fit && { fit: [...fit] }),
    };
  }
}

function encodeForests({ value_forest, error_forest, ...rest }: Forests, lines: ModelLineWriter) {
  return { ...rest, value_forest: lines.forest(value_forest), error_forest: lines.forest(error_forest) };
}

function* decodeForests(
  { value_forest: valueHead, error_forest: errorHead, ...rest }: v.InferOutput<typeof forestsSchema>,
  features: number,
  lines: ModelLineReader,
): Steps<Forests> {
  const value_forest = yield* lines.forest(valueHead);
  const error_forest = yield* lines.forest(errorHead);
  for (const forest of [value_forest, error_forest]) checkFeatures(forest, features);
  return { ...rest, value_forest, error_forest };
}

/** JSON has no NaN. */
function writeNumbers(values: Float64Array): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

/** Cells that are read in one step, a name counted as some. */
const CELLS_PER_STEP = 4096;
const CELLS_OF_NAME = 16;

/** Reads the rest of a forecaster behind its head. */
export function* decodeForecast(
  head: v.InferOutput<typeof forecastHeadSchema>,
  lines: ModelLineReader,
): Steps<SeriesModel> {
  const columns = yield* lines.items(head.columns, columnSchema);
  const { features, past_count, known_count } = head.method;
  const forests = yield* decodeForests(head.method, features.length, lines);
  const backtest = yield* decodeForests(head.method.backtest, features.length, lines);
  const ends = new SeriesEndsBuilder({ groups: head.group_by.length, past: past_count, known: known_count });
  const bases = head.method.competition ? nameBases(head.method.competition).length : 0;
  let cells = 0;
  while (ends.count < head.series) {
    const series = v.parse(seriesSchema, lines.next());
    if (series.fit && !isFit(series.fit, bases)) throw new Error('The fit of a series is not that of its bases.');
    ends.add(series);
    cells += CELLS_OF_NAME + series.values.length * (1 + past_count + known_count);
    if (cells < CELLS_PER_STEP) continue;
    cells = 0;
    yield;
  }
  const series = yield* ends.finish();
  return { ...head, columns, method: { ...head.method, ...forests, backtest }, series };
}

function checkFeatures({ trees }: Forest, count: number): void {
  const isSound = trees.every(({ splits }) => splits.every(({ feature }) => feature < count));
  if (!isSound) throw new Error('A split refers to a feature that the model does not have.');
}
