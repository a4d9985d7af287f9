import { powerOfTwo } from '../../intervals/target-range.js';
import { type Answer, type PartForecaster, weighForecast } from './forecaster.js';
import { type ForecastSeries, isOrigin, MIN_HISTORY, type Part, type SeriesSet } from './series.js';

/**
 * The values that a backtest forecasts: of each series those before the last `back`, and of these the last `length`.
 */
export interface Window {
  readonly back: number;
  readonly length: number;
}

/** A forecast of one step, and what came. */
export interface Outcome {
  /** Index of the series, and of the value in it. */
  readonly series: number;
  readonly position: number;
  /** A power of two near the largest value, in which all others are: so no error is too large for a double. */
  readonly unit: number;
  readonly actual: number;
  readonly forecast: number;
  /** The size of the error that was expected. */
  readonly scale: number;
  /** Whether that size is in proportion to a scale that is assumed: see `BaseForecast`. */
  readonly isScaleAssumed: boolean;
  /** Below this, no value is possible: 0, or −∞. */
  readonly lowest: number;
  /** The forecast of repeating the last season. */
  readonly repeated: number;
  /** The naive forecasts of the base. */
  readonly naives: readonly number[];
  /** Whether the forecast is the mean of intermittent demand. */
  readonly isIntermittent: boolean;
  /** The mean error of repeating seasons within the history; NaN if there is none. */
  readonly naiveError: number;
}

interface TestedPart extends Part {
  readonly index: number;
}

/**
 * Forecasts the values of a window from origins before them.
 *
 * @param maxOrigins of all series; more are thinned out, first of each series, then whole series.
 * @param answers that are compared.
 * @returns by answer and step the outcomes, in order of the series.
 */
export function runBacktest(
  forecaster: PartForecaster,
  { series, season }: SeriesSet,
  horizon: number,
  window: Window,
  maxOrigins: number,
  answers: readonly Answer[],
): Outcome[][][] {
  const parts = chooseOrigins(series, horizon, window, maxOrigins);
  const outcomes = answers.map(() => Array.from({ length: horizon }, (): Outcome[] => []));
  for (let start = 0; start < parts.length; start += PARTS_AT_ONCE) {
    const block = parts.slice(start, start + PARTS_AT_ONCE);
    for (const [at, forecast] of forecaster.forecast(block, horizon).entries()) {
      const { series: one, end, index } = block[at] ?? NO_PART;
      const { values } = one;
      const naiveErrorOfPart = meanSeasonalDifference(values, end, season, forecast.unit);
      const weighed = answers.map((answer) => weighForecast(forecast, answer));
      const targetsEnd = values.length - window.back;
      for (let step = 0; step < horizon && end + step < targetsEnd; step++) {
        if (end + step < targetsEnd - window.length) continue;
        const actual = values[end + step] ?? Number.NaN;
        if (Number.isNaN(actual)) continue;
        const repeated = repeatSeason(values, end, season, step);
        const unit = findUnit(forecast.unit, actual, repeated);
        const share = forecast.unit / unit;
        const measured = {
          series: index,
          position: end + step,
          unit,
          actual: actual / unit,
          scale: share * (forecast.scales[step] ?? 0),
          isScaleAssumed: forecast.isScaleAssumed,
          lowest: forecast.lowest,
          isIntermittent: forecast.isIntermittent,
          repeated: repeated / unit,
          naiveError: share * naiveErrorOfPart,
          naives: forecast.naives.map((naive) => share * (naive[step] ?? 0)),
        };
        for (const [choice, values] of weighed.entries()) {
          outcomes[choice]?.[step]?.push({ ...measured, forecast: share * (values[step] ?? 0) });
        }
      }
    }
  }
  return outcomes;
}

const PARTS_AT_ONCE = 1000;

const NO_PART: TestedPart = { series: { start: 0, values: new Float64Array(), past: [], known: [] }, end: 0, index: 0 };

/**
 * With one origin a series, that from which the horizon is the window's end; else spread evenly over those from
 * which a step is in the window, each series with others.
 */
function chooseOrigins(
  series: readonly ForecastSeries[],
  horizon: number,
  { back, length }: Window,
  maxOrigins: number,
): TestedPart[] {
  const perSeries = horizon + length - 1;
  const stride = Math.ceil((perSeries * series.length) / maxOrigins);
  const everySeries = Math.ceil(series.length / maxOrigins);
  const parts: TestedPart[] = [];
  const add = (one: ForecastSeries, end: number, index: number) => {
    if (end >= MIN_HISTORY && isOrigin(one, end, horizon)) parts.push({ series: one, end, index });
  };
  for (const [index, one] of series.entries()) {
    if (index % everySeries !== 0) continue;
    const last = one.values.length - back - 1;
    if (stride >= perSeries) {
      add(one, last + 1 - horizon, index);
      continue;
    }
    for (let before = index % stride; before < perSeries; before += stride) {
      add(one, last - before, index);
    }
  }
  return parts;
}

/** The value a season before; in a gap of it, the last value before the origin. */
function repeatSeason(values: Float64Array, end: number, season: number, step: number): number {
  const value = values[end - season + (step % season)] ?? Number.NaN;
  if (!Number.isNaN(value)) return value;
  let last = end - 1;
  while (last > 0 && Number.isNaN(values[last])) last--;
  return values[last] ?? Number.NaN;
}

/** The size of a value, in units, beyond which a larger unit replaces the unit of the part. */
const MAX_SIZE = 2 ** 100;

function findUnit(ofPart: number, actual: number, repeated: number): number {
  const most = Math.max(Math.abs(actual), Math.abs(repeated));
  return most / ofPart > MAX_SIZE ? powerOfTwo(most) : ofPart;
}

/** @returns the difference in the unit; NaN if there is none. */
function meanSeasonalDifference(values: Float64Array, end: number, season: number, unit: number): number {
  const inverse = 1 / unit;
  let sum = 0;
  let count = 0;
  for (let at = season; at < end; at++) {
    const difference = (values[at] ?? 0) * inverse - (values[at - season] ?? 0) * inverse;
    if (Number.isNaN(difference)) continue;
    sum += Math.abs(difference);
    count++;
  }
  return sum / count;
}
