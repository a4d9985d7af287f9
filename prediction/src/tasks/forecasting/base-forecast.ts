import { addSeason, findSeasons, removeSeasons } from './seasons.js';
import { fitDampedTrend, fitTheta } from './smoothing.js';

/** What the history of one series says by itself. */
export interface BaseForecast {
  /** By step, each from its own method. */
  readonly theta: Float64Array;
  readonly damped: Float64Array;
  readonly naive: Float64Array;
  /** Their mean. */
  readonly values: Float64Array;
  /** Mean absolute difference ... */
  readonly scale: number;
  /** The history without gaps. */
  readonly history: Float64Array;
  /** The same without its seasons. */
  readonly course: Float64Array;
  readonly isSeasonal: boolean;
  /** Below this, no value is possible: 0 for a history without negative values, else −∞. */
  readonly lowest: number;
}

export function forecastBase(window: Float64Array, season: number, steps: number): BaseForecast {
  const history = fillGaps(window);
  const count = history.length;
  const seasons = findSeasons(history, season);
  const course = seasons ? removeSeasons(history, seasons) : history;
  const theta = fitTheta(course);
  const damped = fitDampedTrend(course);
  const put = (step: number, value: number) =>
    seasons ? addSeason(seasons, value, count + step) : value;
  const parts = {
    theta: new Float64Array(steps),
    damped: new Float64Array(steps),
    naive: new Float64Array(steps),
    values: new Float64Array(steps),
  };
  const last = course[count - 1] ?? 0;
  for (let step = 0; step < steps; step++) {
    const one = put(step, theta(step + 1));
    const two = put(step, damped(step + 1));
    const three = seasons
      ? (history[count - season + (step % season)] ?? 0)
      : last;
    parts.theta[step] = one;
    parts.damped[step] = two;
    parts.naive[step] = three;
    parts.values[step] = (one + two) / 2;
  }
  let sum = 0;
  for (let at = 1; at < count; at++) sum += Math.abs((course[at] ?? 0) - (course[at - 1] ?? 0));
  const scale = sum > 0 ? sum / (count - 1) : Math.max(Math.abs(last) / 10, 2 ** -40);
  const lowest = history.some((value) => value < 0) ? Number.NEGATIVE_INFINITY : 0;
  return { ...parts, scale, history, course, isSeasonal: seasons !== undefined, lowest };
}

/** Joins the values around gaps by straight lines; gaps before the first value are left out. */
function fillGaps(values: Float64Array): Float64Array {
  let first = 0;
  while (first < values.length && Number.isNaN(values[first])) first++;
  const filled = values.slice(first);
  let before = -1;
  for (let at = 0; at <= filled.length; at++) {
    if (at < filled.length && Number.isNaN(filled[at])) continue;
    const low = filled[before] ?? 0;
    const high = at < filled.length ? (filled[at] ?? 0) : low;
    for (let gap = before + 1; gap < at; gap++) {
      filled[gap] = low + ((high - low) * (gap - before)) / (at - before);
    }
    before = at;
  }
  return filled;
}
