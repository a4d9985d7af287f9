import { average } from '../../intervals/statistics.js';

/** The share of zeros between the first value that is not 0 and the last one, from which a series is intermittent. */
const MIN_ZEROS = 0.25;

/** Values that are not 0: with fewer, zeros tell nothing about how often they come. */
const MIN_DEMANDS = 2;

/** The weights of a new size, and of whether there was a demand: larger ones follow changes, and chance as well. */
const SIZE_WEIGHT = 0.03;
const RATE_WEIGHTS = [0.02, 0.05, 0.12];
const CROSTON_WEIGHT = 0.05;

/** The share of the values, from the first, on which candidates are not compared yet. */
const WARM_UP = 0.2;

/** The sharpness by which candidates are distinguished: the share of the likelihood of normal errors that counts. */
const SHARPNESS = 0.5;

/** Seasons of more places have too few values of each. */
const MAX_PLACES = 400;
const MIN_REPEATS = 2;

/** Of a normal distribution: 0.95 lie below so many deviations. */
const TEST_WIDTH = 1.645;

/** A place of a season has at least this part of the mean. */
const LEAST_INDEX = 0.1;

/**
 * Returns whether a series has zeros between its demands, so that neither a trend nor its last values forecast it. Zeros
 * before a first demand are a launch, and those after the last one an end.
 */
export function isIntermittent(history: Float64Array): boolean {
  let demands = 0;
  let first = -1;
  let last = -1;
  for (let at = 0; at < history.length; at++) {
    const value = history[at] ?? 0;
    if (value < 0) return false;
    if (value === 0) continue;
    demands++;
    if (first < 0) first = at;
    last = at;
  }
  if (demands === 0) return false;
  const span = demands < MIN_DEMANDS ? history.length : last - first + 1;
  return span - demands >= MIN_ZEROS * span;
}

/**
 * Forecasts the mean of intermittent demand: how often there is one times how large it is, with the seasons of that.
 *
 * The candidates are the mean of all values, exponential smoothing of both parts at each step (TSB, Teunter, Syntetos &
 * Babai 2011), and of sizes and intervals at each demand with the correction of its bias (Croston 1972; Syntetos & Boylan
 * 2005). Each counts by the squares of its last errors of one step, since absolute errors favour 0.
 *
 * @param seasons in steps; those that are not whole, or have too few values, are left out.
 * @returns by step the forecast, and the part of it that seasons make up.
 */
export function forecastIntermittent(history: Float64Array, seasons: readonly number[], steps: number) {
  const count = history.length;
  const indices = new Float64Array(count + steps).fill(1);
  for (const season of seasons) {
    if (!Number.isInteger(season) || season < 2 || season > MAX_PLACES || count < MIN_REPEATS * season) continue;
    multiplySeason(indices, history, season);
  }
  const demand = history.map((value, at) => value / (indices[at] ?? 1));
  // Indices are large where values were, if only by chance: divided by them, the mean is too small.
  const level = forecastLevel(demand) * (average(history) / (average(demand) || 1));
  const values = indices.slice(count).map((index) => level * index);
  return { values, seasonal: values.map((value) => value - level) };
}

/**
 * Multiplies indices by those of a season, if its places differ beyond chance: the means of its places by that of all,
 * pulled to 1 by as much as chance would spread them (James & Stein 1961).
 */
function multiplySeason(indices: Float64Array, history: Float64Array, season: number): void {
  const count = history.length;
  const sums = new Float64Array(season);
  const counts = new Float64Array(season);
  let mean = 0;
  for (let at = 0; at < count; at++) {
    const value = (history[at] ?? 0) / (indices[at] ?? 1);
    sums[at % season] = (sums[at % season] ?? 0) + value;
    counts[at % season] = (counts[at % season] ?? 0) + 1;
    mean += value / count;
  }
  const meanOf = (place: number) => (sums[place] ?? 0) / (counts[place] ?? 1);
  let within = 0;
  for (let at = 0; at < count; at++) {
    within += ((history[at] ?? 0) / (indices[at] ?? 1) - meanOf(at % season)) ** 2;
  }
  let between = 0;
  for (let place = 0; place < season; place++) between += (counts[place] ?? 0) * (meanOf(place) - mean) ** 2;
  const ofChance = (within / Math.max(count - season, 1)) * (season - 1);
  if (!(between > ofChance * (1 + TEST_WIDTH * Math.sqrt(2 / (season - 1))))) return;
  const share = 1 - ofChance / between;
  const places = Float64Array.from(sums, (_, place) => Math.max(1 + share * (meanOf(place) / mean - 1), LEAST_INDEX));
  for (let at = 0; at < indices.length; at++) indices[at] = (indices[at] ?? 1) * (places[at % season] ?? 1);
}

/** The next forecast of a candidate, and the sum of the squares of its errors. */
interface Candidate {
  readonly next: number;
  readonly squares: number;
}

/** Forecasts demand without seasons, the same for each step. */
function forecastLevel(demand: Float64Array): number {
  const count = demand.length;
  const from = Math.floor(WARM_UP * count);
  const candidates = [
    runMean(demand, from),
    ...RATE_WEIGHTS.map((rate) => runTsb(demand, from, rate)),
    runCroston(demand, from),
  ];
  const least = candidates.reduce((least, { squares }) => Math.min(least, squares), Number.POSITIVE_INFINITY);
  const power = (SHARPNESS * (count - from)) / 2;
  let sum = 0;
  let weights = 0;
  for (const { next, squares } of candidates) {
    const weight = squares > least ? (least / squares) ** power : 1;
    sum += weight * next;
    weights += weight;
  }
  return sum / weights;
}

function runMean(demand: Float64Array, from: number): Candidate {
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < demand.length; at++) {
    const value = demand[at] ?? 0;
    if (at >= from && at > 0) squares += (value - sum / at) ** 2;
    sum += value;
  }
  return { next: sum / demand.length, squares };
}

function meanSize(demand: Float64Array): { size: number; rate: number } {
  let sum = 0;
  let count = 0;
  for (let at = 0; at < demand.length; at++) {
    const value = demand[at] ?? 0;
    sum += value;
    if (value > 0) count++;
  }
  return { size: count > 0 ? sum / count : 0, rate: count / demand.length };
}

function runTsb(demand: Float64Array, from: number, rateWeight: number): Candidate {
  let { size, rate } = meanSize(demand);
  let squares = 0;
  for (let at = 0; at < demand.length; at++) {
    const value = demand[at] ?? 0;
    if (at >= from) squares += (value - rate * size) ** 2;
    rate += rateWeight * ((value > 0 ? 1 : 0) - rate);
    if (value > 0) size += SIZE_WEIGHT * (value - size);
  }
  return { next: rate * size, squares };
}

function runCroston(demand: Float64Array, from: number): Candidate {
  const { size: first, rate } = meanSize(demand);
  let size = first;
  let interval = rate > 0 ? 1 / rate : demand.length;
  let since = 1;
  let squares = 0;
  const correction = 1 - CROSTON_WEIGHT / 2;
  for (let at = 0; at < demand.length; at++) {
    const value = demand[at] ?? 0;
    if (at >= from) squares += (value - (correction * size) / interval) ** 2;
    if (value > 0) {
      size += CROSTON_WEIGHT * (value - size);
      interval += CROSTON_WEIGHT * (since - interval);
      since = 1;
    } else since++;
  }
  return { next: (correction * size) / interval, squares };
}
