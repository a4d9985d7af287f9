import { NormalEquations } from './normal-equations.js';

const NEAR_LAGS = [1, 2, 3];

/** A season is a lag where the history has it so often. */
const MIN_REPEATS = 2.5;

/** A short one also twice. */
const SHORT_SEASON = 60;
const MIN_REPEATS_OF_TWO = 3.5;

/** Rows for each lag. */
const MIN_ROWS = 4;

/** The ridge penalty as a share of the rows, in units of the standardized values. */
const PENALTY = 0.0001;

/** Forecasts stay within so many ranges around the values, whatever a regression that is not stable says. */
const MAX_SIZE = 2;

/**
 * Forecasts by a linear regression of a value on the last ones and those around its seasons, step after step.
 *
 * @returns undefined if the history is too short.
 */
export function forecastByLags(
  history: Float64Array,
  seasons: readonly number[],
  steps: number,
): Float64Array | undefined {
  const count = history.length;
  const lags = chooseLags(count, seasons);
  const longest = Math.max(...lags);
  if (count <= longest + MIN_ROWS * lags.length) return undefined;
  let mean = 0;
  for (let at = 0; at < count; at++) mean += (history[at] ?? 0) / count;
  let squares = 0;
  for (let at = 0; at < count; at++) squares += ((history[at] ?? 0) - mean) ** 2;
  const deviation = Math.sqrt(squares / count);
  if (!(deviation > 0)) return new Float64Array(steps).fill(mean);
  const values = new Float64Array(count + steps);
  let [least, most] = [0, 0];
  for (let at = 0; at < count; at++) {
    const value = ((history[at] ?? 0) - mean) / deviation;
    values[at] = value;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const row = new Float64Array(lags.length + 1).fill(1);
  const read = (at: number) => {
    for (let index = 0; index < lags.length; index++) row[index + 1] = values[at - (lags[index] ?? 0)] ?? 0;
  };
  const weights = sumProducts(values, lags, longest, count).solve(PENALTY * count);
  for (let at = count; at < count + steps; at++) {
    read(at);
    let sum = 0;
    for (let term = 0; term < row.length; term++) sum += (row[term] ?? 0) * (weights[term] ?? 0);
    values[at] = Math.min(Math.max(sum, MAX_SIZE * least), MAX_SIZE * most);
  }
  return values.subarray(count).map((value) => mean + deviation * value);
}

/** Sums up the equations of a regression on a constant and lags; each sum in its own loop, which is the fastest. */
function sumProducts(values: Float64Array, lags: readonly number[], from: number, count: number): NormalEquations {
  const width = lags.length + 1;
  const equations = new NormalEquations(width);
  equations.set(0, 0, count - from);
  // The value itself is behind the lags, as one of 0 steps.
  const all = [...lags, 0];
  for (const [index, lag] of all.entries()) {
    let sum = 0;
    for (let at = from - lag; at < count - lag; at++) sum += values[at] ?? 0;
    equations.set(0, index + 1, sum);
    if (lag === 0) continue;
    for (let other = index; other < all.length; other++) {
      const ahead = lag - (all[other] ?? 0);
      let products = 0;
      for (let at = from - lag; at < count - lag; at++) products += (values[at] ?? 0) * (values[at + ahead] ?? 0);
      equations.set(index + 1, other + 1, products);
    }
  }
  return equations;
}

function chooseLags(count: number, seasons: readonly number[]): number[] {
  const lags = [...NEAR_LAGS];
  for (const season of seasons) {
    const length = Math.round(season);
    if (count > MIN_REPEATS * length) lags.push(length, length + 1);
    if (length < SHORT_SEASON && count > MIN_REPEATS_OF_TWO * length) lags.push(2 * length);
  }
  return [...new Set(lags)];
}
