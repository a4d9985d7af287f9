import { findUnit } from '../../intervals/target-range.js';
import { forecastIntermittent, isIntermittent } from './intermittent.js';
import { addSeason, findSeasons, removeSeasons } from './seasons.js';
import type { SeriesFit } from './series-fit.js';
import { fitDampedTrend, fitTheta } from './smoothing.js';

/** The forecast from the history of one series alone, in units of that series. */
export interface BaseForecast {
  /** A power of two near the largest value, so that no square or difference of values is too large for a double. */
  readonly unit: number;
  /** By step, each from its own method; NaN where the history is too short for it. */
  readonly bases: readonly Float64Array[];
  /** Those of them that repeat values: the guard of the others. */
  readonly naives: readonly Float64Array[];
  /** By step, the weighted combination of the bases. */
  readonly values: Float64Array;
  /** Where several bases compete. */
  readonly fit?: SeriesFit;
  /** By step, the part of the values that their season makes up. */
  readonly seasonal: Float64Array;
  /** The mean distance of a value without its season from the one before; above 0. */
  readonly scale: number;
  /** Whether that distance is assumed: see `findScale`. Errors in units of it say nothing about other series. */
  readonly isScaleAssumed: boolean;
  /** The history without gaps. */
  readonly history: Float64Array;
  /** The same without its seasons. */
  readonly course: Float64Array;
  readonly isSeasonal: boolean;
  /** Whether the values are the mean of intermittent demand, which nothing corrects. */
  readonly isIntermittent: boolean;
  /** Below this, no value is possible: 0 for a history without negative values, else −∞. */
  readonly lowest: number;
}

/** A share of its level that a series moves by, for those that are too short or too even to tell. */
export const USUAL_MOVE = 0.05;

/** The number of differences that the usual move counts for. */
const USUAL_WEIGHT = 0.5;

/** The least unit: a scale that errors can be divided by, also for series of zeros. */
const MIN_SCALE = 2 ** -40;

/**
 * Forecasts a series by itself: by the mean of the Theta method, a damped trend and its last season; without a season,
 * of the first two.
 *
 * @param window the last values; NaN is a gap. A series without values is forecast to be 0.
 * @param intermittent whether series with zeros between demands are forecast by the mean of these.
 */
export function forecastBase(window: Float64Array, season: number, steps: number, intermittent: boolean): BaseForecast {
  const unit = findUnit(window);
  const history = fillGaps(window.map((value) => value / unit));
  const count = history.length;
  const seasons = findSeasons(history, season);
  const course = seasons ? removeSeasons(history, seasons) : history;
  const { at: thetaAt } = fitTheta(course);
  const { at: dampedAt } = fitDampedTrend(course);
  const last = course[count - 1] ?? 0;
  const theta = new Float64Array(steps);
  const damped = new Float64Array(steps);
  const naive = new Float64Array(steps);
  const values = new Float64Array(steps);
  const seasonal = new Float64Array(steps);
  for (let step = 0; step < steps; step++) {
    const at = count + step;
    const one = thetaAt(step + 1);
    const two = dampedAt(step + 1);
    const three = seasons ? (history[count - season + (step % season)] ?? 0) : last;
    theta[step] = seasons ? addSeason(seasons, one, at) : one;
    damped[step] = seasons ? addSeason(seasons, two, at) : two;
    naive[step] = three;
    const sum = (theta[step] ?? 0) + (damped[step] ?? 0);
    values[step] = season > 1 ? (sum + three) / 3 : sum / 2;
    if (seasons) {
      const courses = one + two + (course[count - season + (step % season)] ?? 0);
      seasonal[step] = (sum + three - courses) / 3;
    }
  }
  let least = 0;
  for (let at = 0; at < count; at++) least = Math.min(least, history[at] ?? 0);
  const lowest = least < 0 ? Number.NEGATIVE_INFINITY : 0;
  const isSeasonal = seasons !== undefined;
  const bases = [theta, damped, naive];
  const base = {
    unit,
    bases,
    naives: [naive],
    values,
    seasonal,
    ...findScale(course),
    history,
    course,
    isSeasonal,
    lowest,
  };
  return asIntermittent(base, intermittent ? [season] : undefined);
}

/**
 * Replaces the values of a base where its series is intermittent.
 *
 * @param seasons undefined where that is not looked for.
 */
export function asIntermittent(
  base: Omit<BaseForecast, 'isIntermittent'>,
  seasons: readonly number[] | undefined,
): BaseForecast {
  if (!seasons || !isIntermittent(base.history)) return { ...base, isIntermittent: false };
  return { ...base, ...forecastIntermittent(base.history, seasons, base.values.length), isIntermittent: true };
}

/**
 * Returns the mean distance of neighbours, in the unit of the course; above 0. It is assumed where the course never
 * moved, or by less in all than the usual move counts for: an error in units of it can have any size.
 */
export function findScale(course: Float64Array): Pick<BaseForecast, 'scale' | 'isScaleAssumed'> {
  let moves = 0;
  for (let at = 1; at < course.length; at++) {
    moves += Math.abs((course[at] ?? 0) - (course[at - 1] ?? 0));
  }
  const usual = USUAL_MOVE * Math.abs(course.at(-1) ?? 0);
  const count = Math.max(course.length - 1, 0) + USUAL_WEIGHT;
  return {
    scale: Math.max((moves + USUAL_WEIGHT * usual) / count, MIN_SCALE),
    isScaleAssumed: moves <= USUAL_WEIGHT * usual,
  };
}

/** Joins the values around gaps by straight lines, in place; gaps before the first value are left out. Never empty. */
export function fillGaps(values: Float64Array): Float64Array {
  let first = 0;
  while (first < values.length && Number.isNaN(values[first])) first++;
  if (first === values.length) return new Float64Array(1);
  const filled = values.subarray(first);
  let before = 0;
  for (let at = 1; at <= filled.length; at++) {
    if (Number.isNaN(filled[at])) continue;
    const low = filled[before] ?? 0;
    const high = filled[at] ?? low;
    for (let gap = before + 1; gap < at; gap++) {
      filled[gap] = low + ((high - low) * (gap - before)) / (at - before);
    }
    before = at;
  }
  return filled;
}
