import { findUnit } from '../../intervals/target-range.js';
import { asIntermittent, type BaseForecast, fillGaps, findScale } from './base-forecast.js';
import { averageErrors, type BaseErrors, weighBases } from './base-weights.js';
import { forecastByLags } from './lag-regression.js';
import { findLongSeason } from './long-season.js';
import { type FoundSeason, findSeasonMix } from './season-mix.js';
import { type ForecastSeries, MIN_HISTORY, type Part } from './series.js';
import { type SeriesFit, unpackFit } from './series-fit.js';
import { fitDampedTrend, fitTheta } from './smoothing.js';

/** How the bases of series with several seasons compete, as plain data of a model. */
export interface CompetitionPlan {
  /** The lengths that are tried, in steps, ascending. */
  readonly seasons: readonly number[];
  /** The values that a base looks at. */
  readonly window: number;
  /** The steps between the origins whose forecasts are compared, and the steps that are forecast from each. */
  readonly stride: number;
  readonly origins: number;
  /** Seasons that are longer than the window, with the values that they are looked for in. */
  readonly long?: { readonly seasons: readonly number[]; readonly window: number };
}

/** The forecasts of one window by all bases; undefined where it is too short for one. */
interface Compared {
  readonly unit: number;
  readonly bases: readonly (Float64Array | undefined)[];
}

interface Entrants extends Compared {
  readonly history: Float64Array;
  readonly course: Float64Array;
  readonly found: readonly FoundSeason[];
  readonly choices: Omit<SeriesFit, 'weights'>;
  readonly seasonal: Float64Array;
}

const MIN_WINDOW = 120;
const MAX_WINDOW = 10_000;
/** Seasons that a base looks at: of the shortest, of all, and of a year, which is not a whole number of steps. */
const REPEATS_OF_SHORTEST = 12;
const REPEATS = 6;
const REPEATS_OF_YEAR = 3;

/**
 * Seasons of more steps, or of so many times the shortest, are looked for in the means of blocks, if a series has two,
 * in at most so many values.
 */
const MAX_SEASON = 3000;
const MAX_OF_SHORTEST = 300;
const MIN_REPEATS_OF_LONG = 2;
const REPEATS_OF_LONG = 3;
const MAX_LONG_WINDOW = 60_000;

const ORIGINS = 3;
/** Steps that are compared in all, at least. */
const COMPARED = 48;
const LONGEST_STRIDE_OF_SEASON = 24;

/** The share of the variance that a season explains, from which intermittent demand is forecast as any other. */
const STRONG_SEASON = 0.5;

/** Series whose errors are averaged, about. */
const MAX_AVERAGED = 200;

const SEASONAL_MEANS = 6;
const SEASONAL_DECAY = 0.8;
/** By step, what is left of the difference to the level of a season before. */
const LEVEL_DECAY = 0.97;

/**
 * @param all the lengths of seasons, in steps, ascending
 * @param longest the values of the longest series
 * @param window the most values that are looked at in all; chosen where it is left out.
 */
export function planCompetition(
  all: readonly number[],
  horizon: number,
  longest: number,
  window?: number,
): { plan: CompetitionPlan; needed: number } {
  const isLong = (length: number) => length > MAX_SEASON || length > MAX_OF_SHORTEST * (all[0] ?? 1);
  const lengths = all.filter((length) => !isLong(length));
  const [shortest = 1] = lengths;
  const stride = Math.max(horizon, Math.min(Math.round(shortest), LONGEST_STRIDE_OF_SEASON));
  const origins = Math.max(ORIGINS, Math.ceil(COMPARED / stride));
  const wanted = Math.max(
    MIN_WINDOW,
    Math.ceil(REPEATS_OF_SHORTEST * shortest),
    ...lengths.map((length) => Math.ceil((Number.isInteger(length) ? REPEATS : REPEATS_OF_YEAR) * length)),
  );
  const compared = (origins + 1) * stride;
  const usual = window ?? Math.min(wanted + compared, MAX_WINDOW);
  // A short window is left whole to the bases, which then do not compete.
  const competes = usual - compared >= 2 * shortest;
  const plan = {
    seasons: lengths,
    window: competes ? usual - compared : usual,
    stride,
    origins: competes ? origins : 0,
  };
  const most = Math.min(longest, (window ?? MAX_LONG_WINDOW) - compared);
  const long = all.filter((length) => isLong(length) && most > MIN_REPEATS_OF_LONG * length);
  if (long.length === 0 || !competes) return { plan, needed: usual };
  const ofLong = Math.min(most, Math.ceil(REPEATS_OF_LONG * Math.max(...long)));
  return { plan: { ...plan, long: { seasons: long, window: ofLong } }, needed: Math.max(usual, ofLong + compared) };
}

/** Forecasts series by several bases, weighted by how they forecast the last values of each. */
export class Competition {
  /** By series and origin: neighbouring ends compare the same forecasts. */
  readonly #compared = new Map<ForecastSeries, Map<number, Compared>>();
  #cells = 0;

  /**
   * @param maxCells the numbers of forecasts that are cached, about.
   * @param findsIntermittent whether series with zeros between demands are forecast by the mean of these.
   */
  constructor(
    private readonly plan: CompetitionPlan,
    private readonly maxCells = 0,
    private readonly findsIntermittent = false,
  ) {}

  /** @param ofAll by base the error over all series: see `averageErrors`. */
  forecast(series: ForecastSeries, end: number, steps: number, ofAll?: readonly number[]): BaseForecast {
    const { seasons, long } = this.plan;
    const stored = series.fit && end === series.values.length ? unpackFit(series.fit) : undefined;
    const entrants = enter(series.values.subarray(0, end), this.plan, steps, stored);
    const { unit, history, course, found, seasonal, bases } = entrants;
    const fit = stored ?? { ...entrants.choices, weights: this.#weigh(series, end, entrants, ofAll) };
    const { weights } = fit;
    const values = new Float64Array(steps);
    for (const [index, base] of bases.entries()) {
      const weight = weights[index] ?? 0;
      if (!base || weight === 0) continue;
      for (let step = 0; step < steps; step++) values[step] = (values[step] ?? 0) + weight * (base[step] ?? 0);
    }
    let least = 0;
    for (let at = 0; at < history.length; at++) least = Math.min(least, history[at] ?? 0);
    const none = new Float64Array(steps).fill(Number.NaN);
    const base = {
      unit,
      bases: bases.map((base) => base ?? none),
      naives: [
        ...bases.slice(0, 1 + seasons.length).map((base) => base ?? bases[0] ?? none),
        ...(long?.seasons ?? []).map((season) =>
          repeatLong(series.values.subarray(0, end), unit, season, bases[0] ?? none),
        ),
      ],
      values,
      fit,
      seasonal,
      ...findScale(course),
      history,
      course,
      isSeasonal: found.length > 0,
      lowest: least < 0 ? Number.NEGATIVE_INFINITY : 0,
    };
    // Zeros that a season explains, as those of the sun at night, come at known moments.
    const isPredictable = found.some(({ strength }) => strength >= STRONG_SEASON);
    return asIntermittent(base, this.findsIntermittent && !isPredictable ? seasons : undefined);
  }

  /** Returns the seasons that a series has at its end. */
  findSeasons({ values }: ForecastSeries): readonly FoundSeason[] {
    const { found } = findSeasonMix(readWindow(values.subarray(-this.plan.window)).history, this.plan.seasons);
    return [...found, ...findLong(values, this.plan).filter((one) => one !== undefined)];
  }

  /** Returns by base the mean error of some series before their ends; undefined where a short window is left whole. */
  averageErrors(parts: readonly Part[]): number[] | undefined {
    if (this.plan.origins === 0) return undefined;
    const known = parts.filter(({ end }) => end >= MIN_HISTORY);
    const stride = Math.ceil(known.length / MAX_AVERAGED);
    return averageErrors(
      known
        .filter((_, index) => index % stride === 0)
        .map(({ series, end }) => this.#measure(series, end, enter(series.values.subarray(0, end), this.plan, 1))),
    );
  }

  /** Returns the weights of the bases, which add up to 1. */
  #weigh(series: ForecastSeries, end: number, entrants: Entrants, ofAll: readonly number[] | undefined): Float64Array {
    return weighBases(this.#measure(series, end, entrants), { isSeasonal: entrants.found.length > 0, ofAll });
  }

  /** Returns the mean errors of the bases from earlier origins. */
  #measure(series: ForecastSeries, end: number, { unit, bases }: Compared): BaseErrors {
    const { stride, origins } = this.plan;
    const sums = new Float64Array(bases.length);
    const counts = new Float64Array(bases.length);
    // Origins lie at the same moments for all ends, the latest at least half a stride before the end.
    const offset = ((series.start % stride) + stride) % stride;
    let origin = Math.floor((end - (stride >> 1) + offset) / stride) * stride - offset;
    for (let back = 0; back < origins && origin > 0; back++, origin -= stride) {
      const compared = this.#compare(series, origin);
      const share = compared.unit / unit;
      for (const [index, base] of compared.bases.entries()) {
        for (let step = 0; base && step < stride && origin + step < end; step++) {
          const error = Math.abs((base[step] ?? 0) * share - (series.values[origin + step] ?? Number.NaN) / unit);
          if (Number.isNaN(error)) continue;
          sums[index] = (sums[index] ?? 0) + error;
          counts[index] = (counts[index] ?? 0) + 1;
        }
      }
    }
    return bases.map((base, index) => (base ? (sums[index] ?? 0) / (counts[index] ?? 0) : undefined));
  }

  #compare(series: ForecastSeries, origin: number): Compared {
    const known = this.#compared.get(series)?.get(origin);
    if (known) return known;
    const { stride } = this.plan;
    const { unit, bases } = enter(series.values.subarray(0, origin), this.plan, stride);
    const compared = { unit, bases };
    const cells = bases.length * stride;
    if (this.#cells + cells > this.maxCells) {
      this.#compared.clear();
      this.#cells = 0;
    }
    if (cells > this.maxCells) return compared;
    const ofSeries = this.#compared.get(series) ?? new Map<number, Compared>();
    this.#compared.set(series, ofSeries.set(origin, compared));
    this.#cells += cells;
    return compared;
  }
}

/**
 * Forecasts by each base, in the order: the last value; by season its last values; by season means of its last values;
 * by season but the shortest its last values at the level of now; by season the level of the last one, also by long
 * season; lags; Theta; damped trend.
 *
 * @param stored what an earlier call found for the same values
 */
function enter(values: Float64Array, plan: CompetitionPlan, steps: number, stored?: SeriesFit): Entrants {
  const { seasons } = plan;
  const { unit, history } = readWindow(values.subarray(Math.max(0, values.length - plan.window)));
  const count = history.length;
  const mix = findSeasonMix(
    history,
    seasons,
    stored && ((_, length) => stored.seasons[seasons.indexOf(length)] ?? false),
  );
  const { course } = mix;
  const fill = (forecast: (step: number) => number) => {
    const values = new Float64Array(steps);
    for (let step = 0; step < steps; step++) values[step] = forecast(step);
    return values;
  };
  const seasonal = fill((step) => mix.at(count + step));
  const last = history[count - 1] ?? 0;
  const fits = (season: number, more = 0) => count >= season + more;
  const [shortest = 1] = seasons;
  const recent = Math.round(shortest);
  const back = (season: number, step: number, seasonsBefore: number) => {
    const away = Math.ceil((step + 1) / season - 1e-9) + seasonsBefore;
    const at = Math.round(count + step - away * season);
    return at < count ? at : at - Math.round(season);
  };
  const again = seasons.map((season) =>
    fits(season) ? fill((step) => history[Math.max(0, back(season, step, 0))] ?? 0) : undefined,
  );
  const means = seasons.map((season) =>
    fits(2 * season) ? fill((step) => meanOfSeasons(history, (before) => back(season, step, before))) : undefined,
  );
  const levelled = seasons.slice(1).map((season, index) => {
    const length = Math.round(season);
    const repeated = again[index + 1];
    if (!repeated || !fits(length, recent)) return undefined;
    let difference = 0;
    for (let at = count - recent; at < count; at++) {
      difference += ((history[at] ?? 0) - (history[at - length] ?? 0)) / recent;
    }
    return repeated.map((value, step) => value + difference * LEVEL_DECAY ** step);
  });
  const levels = seasons.map((season) => {
    const length = Math.round(season);
    if (!fits(length)) return undefined;
    let level = 0;
    for (let at = count - length; at < count; at++) level += (course[at] ?? 0) / length;
    return seasonal.map((value) => level + value);
  });
  const longLevels = findLong(values, plan).map((long) => {
    if (!long || !fits(recent)) return undefined;
    const first = Math.min(values.length, plan.long?.window ?? 0) - count;
    let level = 0;
    for (let at = count - recent; at < count; at++) level += ((course[at] ?? 0) - long.at(first + at) / unit) / recent;
    return seasonal.map((value, step) => level + value + long.at(first + count + step) / unit);
  });
  const theta = fitTheta(course, stored?.theta);
  const damped = fitDampedTrend(course, stored?.damped);
  return {
    unit,
    history,
    course,
    found: mix.found,
    choices: {
      seasons: seasons.map((length) => mix.found.some((season) => season.length === length)),
      theta: theta.choice,
      damped: damped.choice,
    },
    seasonal,
    bases: [
      fill(() => last),
      ...again,
      ...means,
      ...levelled,
      ...levels,
      ...longLevels,
      forecastByLags(history, seasons, steps),
      seasonal.map((value, step) => theta.at(step + 1) + value),
      seasonal.map((value, step) => damped.at(step + 1) + value),
    ],
  };
}

/** Returns the long seasons of a plan, by length; undefined where values do not have one. */
function findLong(values: Float64Array, { seasons: [shortest = 1], long }: CompetitionPlan) {
  if (!long) return [];
  const window = values.subarray(Math.max(0, values.length - long.window));
  return long.seasons.map((length) => findLongSeason(window, length, shortest));
}

/** Returns by step the value of a long season before, in the unit; where there is none, that of another forecast. */
function repeatLong(values: Float64Array, unit: number, season: number, other: Float64Array): Float64Array {
  return other.map((last, step) => {
    const before = values[Math.round(values.length + step - Math.ceil((step + 1) / season) * season)] ?? Number.NaN;
    return Number.isNaN(before) ? last : before / unit;
  });
}

function readWindow(window: Float64Array) {
  const unit = findUnit(window);
  return { unit, history: fillGaps(window.map((value) => value / unit)) };
}

/** The mean of the same place of the last seasons, the latest counting most. */
function meanOfSeasons(history: Float64Array, placeOf: (before: number) => number): number {
  let sum = 0;
  let weights = 0;
  let weight = 1;
  for (let before = 0; before < SEASONAL_MEANS; before++, weight *= SEASONAL_DECAY) {
    const at = placeOf(before);
    if (at < 0) break;
    sum += weight * (history[at] ?? 0);
    weights += weight;
  }
  return weights > 0 ? sum / weights : (history.at(-1) ?? 0);
}

/** The names of the bases, in their order. */
export function nameBases({ seasons, long }: CompetitionPlan): string[] {
  const name = (kind: string) => (season: number) => `${kind} ${Math.round(season)}`;
  return [
    'last value',
    ...seasons.map(name('repeat')),
    ...seasons.map(name('mean')),
    ...seasons.slice(1).map(name('repeat at level')),
    ...seasons.map(name('level')),
    ...(long?.seasons ?? []).map(name('level')),
    'lags',
    'theta',
    'damped trend',
  ];
}
