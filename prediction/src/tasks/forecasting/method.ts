import { type Width, widthAt } from '../../intervals/conformal.js';
import type { Progress } from '../../training/progress.js';
import type { Steps } from '../../trees/steps.js';
import { measureForecasts } from './metrics.js';
import type { ForecastModel } from './model.js';
import type { ForecastSeries, Grid, SeriesSet } from './series.js';

export interface FitOptions {
  /** Steps to forecast, at most `maxHorizon`. */
  readonly horizon: number;
  /** The most values before a forecast that are looked at; if left out, some seasons. */
  readonly window?: number;
  readonly seed: number;
  readonly progress: Progress;
}

export interface FittedForecaster {
  readonly model: ForecastModel;
  /** By series: MASE of its backtest; NaN where there is none. */
  readonly seriesErrors: Float64Array;
}

/** The forecasts of one series, from the first step after its last value. */
export interface Forecast {
  readonly values: Float64Array;
  /** The size of an error to expect, by step, in units of the target. */
  readonly scales: Float64Array;
  /** Below this, no value is possible: 0 for a history without negative values, else −∞. */
  readonly lowest: number;
}

/** An interval, and the level that it keeps: lower than asked for if the calibration is too small. */
export interface ForecastInterval {
  readonly low: number;
  readonly high: number;
  readonly level: number;
}

/** A step needs as many scores to be calibrated for intervals at 0.9. */
const MIN_SCORES = 9;

/** The fewest values before a forecast in a backtest. */
const MIN_HISTORY = 3;

const MIN_WINDOW = 120;
const WINDOW_SEASONS = 12;

/** Scores that a step is calibrated on, if the series allow it. */
const ENOUGH_SCORES = 200;

/** The largest horizon that a set of series can calibrate; 0 if none. */
export function maxHorizon({ series }: SeriesSet): number {
  let longest = 0;
  for (const { values } of series) longest = Math.max(longest, values.length - MIN_HISTORY);
  const countByHorizon = new Float64Array(longest + 2);
  for (const { values } of series) {
    const most = values.length - MIN_HISTORY;
    for (let horizon = 1; horizon <= most; horizon++) {
      countByHorizon[horizon] = (countByHorizon[horizon] ?? 0) + most - horizon + 1;
    }
  }
  let horizon = longest;
  while (horizon > 0 && (countByHorizon[horizon] ?? 0) < MIN_SCORES) horizon--;
  return horizon;
}

/** @throws {RangeError} if the horizon is not within 1 to `maxHorizon`. */
export function fitForecaster(
  set: SeriesSet,
  { horizon, window, progress }: FitOptions,
): FittedForecaster {
  const most = maxHorizon(set);
  if (!(Number.isInteger(horizon) && horizon >= 1 && horizon <= most)) {
    throw new RangeError(`The horizon must be within 1 to ${most}, but is ${horizon}.`);
  }
  const [first] = set.series;
  const history_needed = window ?? Math.max(MIN_WINDOW, WINDOW_SEASONS * set.season);
  const scores: number[][] = Array.from({ length: horizon }, () => []);
  const origins = Math.ceil(ENOUGH_SCORES / set.series.length);
  const measured = measureForecasts(set, horizon, (series, origin) => {
    const values = series.values.subarray(Math.max(0, origin - history_needed), origin);
    return forecastNaive(values, set.season, horizon).values;
  });
  const onSeries = progress.stage(1, set.series.length);
  for (const [index, { values }] of set.series.entries()) {
    for (let back = 0; back < origins; back++) {
      const origin = values.length - horizon - back;
      if (origin < MIN_HISTORY) break;
      const history = values.subarray(Math.max(0, origin - history_needed), origin);
      const { values: forecast, scales } = forecastNaive(history, set.season, horizon);
      for (let step = 0; step < horizon; step++) {
        const error = (values[origin + step] ?? Number.NaN) - (forecast[step] ?? 0);
        if (!Number.isNaN(error)) scores[step]?.push(Math.abs(error) / (scales[step] ?? 1));
      }
    }
    onSeries(index + 1);
  }
  for (const ofStep of scores) ofStep.sort((a, b) => a - b);
  progress.finish();
  return {
    model: {
      season: set.season,
      horizon,
      history_needed,
      past_count: first?.past.length ?? 0,
      known_count: first?.known.length ?? 0,
      features: [],
      cuts: [],
      value_forest: { base: 0, trees: [] },
      error_forest: { base: 0, trees: [] },
      error_floor: 1,
      scores,
      metrics: measured.metrics,
    },
    seriesErrors: measured.seriesErrors,
  };
}

/** A fitted method made ready for forecasting. */
export class Forecaster {
  readonly #model: ForecastModel;

  // biome-ignore lint/correctness/useYield: lays out forests later
  static *create(model: ForecastModel, _grid: Grid): Steps<Forecaster> {
    return new Forecaster(model);
  }

  private constructor(model: ForecastModel) {
    this.#model = model;
  }

  /**
   * Forecasts series from their ends on; they need not be those of the training.
   *
   * @throws {RangeError} if the steps are more than the model's horizon.
   */
  forecast(series: readonly ForecastSeries[], steps: number): Forecast[] {
    const { horizon, history_needed, season } = this.#model;
    if (steps > horizon) throw new RangeError(`At most ${horizon} steps, not ${steps}.`);
    return series.map(({ values }) =>
      forecastNaive(values.subarray(Math.max(0, values.length - history_needed)), season, steps),
    );
  }

  /** @param step from 0. */
  interval(
    { values, scales, lowest }: Forecast,
    step: number,
    confidence: number,
  ): ForecastInterval {
    const { level, score }: Width = widthAt(this.#model.scores[step] ?? [], confidence);
    const value = values[step] ?? 0;
    const reach = score * (scales[step] ?? 0);
    return { low: Math.max(value - reach, lowest), high: Math.max(value + reach, lowest), level };
  }
}

function forecastNaive(history: Float64Array, season: number, steps: number): Forecast {
  let last = 0;
  let lowest = 0;
  for (const value of history) {
    if (Number.isNaN(value)) continue;
    last = value;
    if (value < 0) lowest = Number.NEGATIVE_INFINITY;
  }
  const values = Float64Array.from({ length: steps }, (_, step) => {
    const at = history.length - season + (step % season);
    const value = history[at] ?? last;
    return Number.isNaN(value) ? last : value;
  });
  let sum = 0;
  let count = 0;
  for (let at = season; at < history.length; at++) {
    const difference = (history[at] ?? 0) - (history[at - season] ?? 0);
    if (Number.isNaN(difference)) continue;
    sum += Math.abs(difference);
    count++;
  }
  const scale = sum > 0 ? sum / count : Math.max(Math.abs(last) / 10, 2 ** -40);
  return { values, scales: new Float64Array(steps).fill(scale), lowest };
}
