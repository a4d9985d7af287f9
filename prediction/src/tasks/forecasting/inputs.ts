import { type BaseForecast, forecastBase } from './base-forecast.js';
import { Competition, type CompetitionPlan, nameBases } from './competition.js';
import { EventEffects } from './event-effects.js';
import type { ForecastSeries, Grid, Part } from './series.js';
import { packFit } from './series-fit.js';
import { fitLine } from './smoothing.js';

/** Seasonal lags that the trees see. */
const SEASON_LAGS = 3;

/** Differences over so many steps. */
const DIFFERENCE_LAGS = [1, 2, 3, 6];

/** The number of last values for the recent trend and the recent noise. */
const RECENT = 8;

const OF_ORIGIN = [
  'history',
  'is seasonal',
  'size',
  'last to its mean',
  'slope',
  'recent slope',
  'recent noise',
  'autocorrelation',
  'below the highest',
  'above the lowest',
  'season to season',
  ...DIFFERENCE_LAGS.map((lag) => `difference ${lag}`),
];
const USUAL_BASES = ['theta', 'damped trend', 'last season'];
const LAGS_OF_STEP = Array.from({ length: SEASON_LAGS }, (_, lag) => `season lag ${lag + 1}`);

/** The facts of a model that its inputs are computed from. */
export interface InputFacts {
  /** The most values before a forecast that are looked at. */
  readonly history_needed: number;
  readonly past_count: number;
  readonly known_count: number;
  /** How several bases compete, where series have several seasons. */
  readonly competition?: CompetitionPlan;
  /** Whether series with zeros between demands are forecast by the mean of these. Absent in models of earlier releases. */
  readonly intermittent?: true;
}

/** Computes what the trees read. Nothing at or after an origin is read, but covariates that are known ahead. */
export class InputReader {
  readonly names: readonly string[];
  /** For each input the index of its source: 0 the history, 1 the calendar, then past columns, then known ones. */
  readonly subjects: readonly number[];
  readonly #grid: Grid;
  readonly #window: number;
  /** Undefined where a series has one season at most. */
  readonly #competition: Competition | undefined;
  readonly #events: EventEffects | undefined;
  readonly #findsIntermittent: boolean;

  /** @param maxCells see `Competition` and `EventEffects`: a training reads many origins of each series. */
  constructor(grid: Grid, facts: InputFacts, maxCells?: number) {
    const { past_count: pastCount, known_count: knownCount, competition: plan } = facts;
    this.#grid = grid;
    this.#window = facts.history_needed;
    this.#findsIntermittent = facts.intermittent ?? false;
    this.#competition = plan && new Competition(plan, maxCells, this.#findsIntermittent);
    this.#events = grid.events && new EventEffects(grid.events, this.#window, maxCells);
    const ofStep = ['step', ...(plan ? nameBases(plan) : USUAL_BASES), ...LAGS_OF_STEP];
    const parts = grid.calendar(0).map((_, part) => `calendar ${part + 1}`);
    const past = Array.from({ length: pastCount }, (_, index) => `past ${index + 1}`);
    const known = Array.from({ length: knownCount }, (_, index) => [`known ${index + 1}`, `known ${index + 1} before`]);
    this.subjects = [
      ...OF_ORIGIN.map(() => 0),
      ...ofStep.map(() => 0),
      ...parts.map(() => 1),
      ...past.map((_, index) => 2 + index),
      ...known.flatMap((_, index) => [2 + pastCount + index, 2 + pastCount + index]),
    ];
    this.names = [...OF_ORIGIN, ...ofStep, ...parts, ...past, ...known.flat()];
  }

  /**
   * Returns the base of a forecast from one origin, and the inputs of the trees, row by row a step.
   *
   * @param end the number of values that are known.
   * @param ofAll see `Competition.forecast`.
   */
  read(series: ForecastSeries, end: number, steps: number, ofAll: readonly number[] | undefined) {
    const { season, calendar } = this.#grid;
    const base = this.#forecastBase(series, end, steps, ofAll);
    const { history, scale } = base;
    const count = history.length;
    const ofOrigin = readOrigin(base, season);
    const width = this.names.length;
    const inputs = new Float64Array(steps * width);
    for (let step = 0; step < steps; step++) {
      let at = step * width;
      inputs.set(ofOrigin, at);
      at += ofOrigin.length;
      const value = base.values[step] ?? 0;
      inputs[at++] = step + 1;
      for (const one of base.bases) inputs[at++] = ((one[step] ?? 0) - value) / scale;
      const back = Math.ceil((step + 1) / season) * season;
      for (let lag = 0; lag < SEASON_LAGS; lag++) {
        const before = history[count + step - back - lag * season] ?? Number.NaN;
        inputs[at++] = (before - value) / scale;
      }
      const position = end + step;
      for (const part of calendar(series.start + position)) inputs[at++] = part;
      for (const covariate of series.past) inputs[at++] = covariate[end - 1] ?? Number.NaN;
      for (const covariate of series.known) {
        inputs[at++] = covariate[position] ?? Number.NaN;
        inputs[at++] = covariate[end - 1] ?? Number.NaN;
      }
    }
    return { base, inputs };
  }

  /** Returns the errors of the bases that compete: see `Competition.averageErrors`. */
  averageErrors(parts: readonly Part[]): number[] | undefined {
    return this.#competition?.averageErrors(parts);
  }

  /** Returns what later forecasts from the end of a series need of it, as `packFit`; undefined if no bases compete. */
  fit(series: ForecastSeries, ofAll: readonly number[] | undefined): Uint16Array | undefined {
    const { fit } = (ofAll && this.#forecastBase(series, series.values.length, 1, ofAll)) ?? {};
    return fit && packFit(fit);
  }

  #forecastBase(series: ForecastSeries, end: number, steps: number, ofAll?: readonly number[]): BaseForecast {
    const forecast = (one: ForecastSeries) => this.#forecastUsual(one, end, steps, ofAll);
    return this.#events?.forecast(series, end, forecast) ?? forecast(series);
  }

  /** Forecasts a series as if it had no events. */
  #forecastUsual(series: ForecastSeries, end: number, steps: number, ofAll?: readonly number[]): BaseForecast {
    if (this.#competition) return this.#competition.forecast(series, end, steps, ofAll);
    const begin = Math.max(0, end - this.#window);
    return forecastBase(series.values.subarray(begin, end), this.#grid.season, steps, this.#findsIntermittent);
  }
}

function readOrigin({ history, course, scale, isSeasonal }: BaseForecast, season: number): number[] {
  const count = course.length;
  const last = course[count - 1] ?? 0;
  let mean = 0;
  let high = last;
  let low = last;
  for (let at = 0; at < count; at++) {
    const value = course[at] ?? 0;
    mean += value / count;
    high = Math.max(high, value);
    low = Math.min(low, value);
  }
  const recent = course.subarray(Math.max(0, count - RECENT));
  let noise = 0;
  for (let at = 1; at < recent.length; at++) {
    noise += Math.abs((recent[at] ?? 0) - (recent[at - 1] ?? 0));
  }
  let products = 0;
  let squares = 0;
  for (let at = 1; at < count; at++) {
    const difference = (course[at] ?? 0) - (course[at - 1] ?? 0);
    squares += difference * difference;
    if (at > 1) products += difference * ((course[at - 1] ?? 0) - (course[at - 2] ?? 0));
  }
  let seasonal = Number.NaN;
  if (count > season) {
    seasonal = 0;
    const seasons = Math.min(season, count - season);
    for (let at = count - seasons; at < count; at++) {
      seasonal += ((history[at] ?? 0) - (history[at - season] ?? 0)) / seasons;
    }
  }
  return [
    count,
    isSeasonal ? 1 : 0,
    mean / scale,
    (last - mean) / scale,
    fitLine(course).slope / scale,
    fitLine(recent).slope / scale,
    noise / Math.max(recent.length - 1, 1) / scale,
    squares > 0 ? products / squares : Number.NaN,
    (high - last) / scale,
    (last - low) / scale,
    seasonal / scale,
    ...DIFFERENCE_LAGS.map((lag) => (last - (course[count - 1 - lag] ?? Number.NaN)) / scale),
  ];
}
