import { NormalEquations } from './normal-equations.js';

/** A season that a test found in a series. */
export interface FoundSeason {
  /** In steps; not always whole, as the 52.18 weeks of a year. */
  readonly length: number;
  /** The share of the variance beside the course that it explains, 0 to 1. */
  readonly strength: number;
}

/** The seasons of a series, each a deviation from its course by place. */
export interface SeasonMix {
  readonly found: readonly FoundSeason[];
  /** The values without the seasons. */
  readonly course: Float64Array;
  /** The sum of the deviations at a position; defined beyond the values. */
  readonly at: (position: number) => number;
}

/** A season that repeats at least so often is looked for. */
const MIN_REPEATS = 2;

/** Of a normal distribution: 0.9 lie within so many deviations each way. */
const TEST_WIDTH = 1.645;

/** Autocorrelations that a test compares with. */
const TEST_LAGS = 24;

/** Seasons of a whole number of steps up to this have a deviation of each place; others are sums of harmonics. */
const MAX_PLACES = 2016;
const PAIRS = 4;

/** Of the sum of the squares of a sine: how much the weights of harmonics are pulled to 0. */
const HARMONIC_PENALTY = 0.01;

/** A place of a season has a deviation that its values must outweigh. */
const SHRINKAGE = 0.5;

/**
 * Takes out the seasons one after the other, the shortest first, twice: so that each is what the others leave.
 *
 * @param isThere whether values beside their course have a season
 */
export function findSeasonMix(
  values: Float64Array,
  lengths: readonly number[],
  isThere: (detrended: Float64Array, length: number) => boolean = repeats,
): SeasonMix {
  const count = values.length;
  const course = values.slice();
  const parts: Part[] = [];
  for (const length of lengths) {
    if (!(length >= 2 && count >= MIN_REPEATS * length + 1)) continue;
    const detrended = detrend(course, length);
    if (!isThere(detrended, length)) continue;
    const part = { length, strength: 0, taken: new Float64Array(count), at: () => 0 };
    parts.push(takeOut(course, part, detrended));
  }
  for (const [index, part] of parts.entries()) {
    if (parts.length < 2) break;
    for (let at = 0; at < count; at++) course[at] = (course[at] ?? 0) + (part.taken[at] ?? 0);
    parts[index] = takeOut(course, part, detrend(course, part.length));
  }
  return {
    found: parts.map(({ length, strength }) => ({ length, strength })),
    course,
    at: (position) => {
      let sum = 0;
      for (const part of parts) sum += part.at(position);
      return sum;
    },
  };
}

/** A season that was taken out. */
interface Part extends FoundSeason {
  /** Its deviations, of all values. */
  readonly taken: Float64Array;
  readonly at: (position: number) => number;
}

/** Takes a season out of a course, in place. */
function takeOut(course: Float64Array, { length, taken }: Part, detrended: Float64Array): Part {
  const at = isPlaced(length) ? fitPlaces(detrended, length) : fitHarmonics(course, length);
  for (let position = 0; position < course.length; position++) {
    const deviation = at(position);
    taken[position] = deviation;
    course[position] = (course[position] ?? 0) - deviation;
  }
  return { length, taken, at, strength: measureStrength(detrended, taken) };
}

function isPlaced(length: number): boolean {
  return Number.isInteger(length) && length <= MAX_PLACES;
}

/** Returns what values are beside the centred mean over a season; at the ends, beside that of the nearest whole one. */
function detrend(values: Float64Array, length: number): Float64Array {
  const count = values.length;
  const width = Math.round(length);
  const half = width >> 1;
  const detrended = new Float64Array(count);
  let from = 0;
  let sum = 0;
  for (let at = 0; at < width; at++) sum += values[at] ?? 0;
  for (let at = 0; at < count; at++) {
    if (at - half > from && from + width < count) {
      sum += (values[from + width] ?? 0) - (values[from] ?? 0);
      from++;
    }
    detrended[at] = (values[at] ?? 0) - sum / width;
  }
  return detrended;
}

/** The least correlation of two successive seasons, where there are few. */
const LIKENESS_OF_FEW = 0.5;

/**
 * Returns whether values of two or three seasons have one. `repeats` compares with the correlations within a season, which
 * a smooth one has as well: it finds such a season only where there are more.
 */
export function repeatsInFew(values: Float64Array, length: number): boolean {
  const season = Math.round(length);
  let [products, ofFirst, ofSecond] = [0, 0, 0];
  for (let at = 0; at < values.length - season; at++) {
    const [first, second] = [values[at] ?? 0, values[at + season] ?? 0];
    products += first * second;
    ofFirst += first * first;
    ofSecond += second * second;
  }
  return products > LIKENESS_OF_FEW * Math.sqrt(ofFirst * ofSecond) && ofFirst > 0;
}

function repeats(values: Float64Array, length: number): boolean {
  const count = values.length;
  let variance = 0;
  for (let at = 0; at < count; at++) variance += (values[at] ?? 0) ** 2;
  if (!(variance > 0)) return false;
  const correlation = (lag: number) => {
    let sum = 0;
    for (let at = 0; at < count - lag; at++) sum += (values[at + lag] ?? 0) * (values[at] ?? 0);
    return sum / variance;
  };
  const season = Math.round(length);
  const stride = Math.max(1, Math.ceil(season / TEST_LAGS));
  let squares = 0;
  for (let lag = stride; lag < season; lag += stride) squares += stride * correlation(lag) ** 2;
  return correlation(season) > TEST_WIDTH * Math.sqrt((1 + 2 * squares) / count);
}

function fitPlaces(values: Float64Array, length: number) {
  const sums = new Float64Array(length);
  const counts = new Float64Array(length);
  for (let at = 0, place = 0; at < values.length; at++) {
    sums[place] = (sums[place] ?? 0) + (values[at] ?? 0);
    counts[place] = (counts[place] ?? 0) + 1;
    place = place + 1 === length ? 0 : place + 1;
  }
  const places = sums.map((sum, place) => sum / ((counts[place] ?? 0) + SHRINKAGE));
  let mean = 0;
  for (const place of places) mean += place / length;
  return (position: number) => (places[position % length] ?? 0) - mean;
}

/** Sums of sines and cosines by least squares, beside a straight line. */
function fitHarmonics(values: Float64Array, length: number) {
  const count = values.length;
  const pairs = Math.max(1, Math.min(PAIRS, Math.floor((length - 1) / 2)));
  const width = 2 * pairs + 2;
  const equations = new NormalEquations(width);
  const row = new Float64Array(width);
  const level = values[0] ?? 0;
  for (let at = 0; at < count; at++) {
    row[0] = 1;
    row[1] = at / count;
    writeHarmonics(row, 2, at, length);
    equations.add(row, (values[at] ?? 0) - level);
  }
  const weights = equations.solve(HARMONIC_PENALTY * count);
  const terms = new Float64Array(width);
  return (position: number) => {
    writeHarmonics(terms, 2, position, length);
    let sum = 0;
    for (let term = 2; term < width; term++) sum += (terms[term] ?? 0) * (weights[term] ?? 0);
    return sum;
  };
}

function writeHarmonics(row: Float64Array, first: number, position: number, length: number): void {
  const angle = (2 * Math.PI * position) / length;
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  let [high, low] = [sine, cosine];
  for (let term = first; term < row.length; term += 2) {
    row[term] = high;
    row[term + 1] = low;
    [high, low] = [high * cosine + low * sine, low * cosine - high * sine];
  }
}

function measureStrength(detrended: Float64Array, seasonal: Float64Array): number {
  const whole = variance(detrended, undefined);
  return whole > 0 ? Math.max(0, 1 - variance(detrended, seasonal) / whole) : 0;
}

/** @param taken what is subtracted from the values first. */
function variance(values: Float64Array, taken: Float64Array | undefined): number {
  const count = values.length;
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < count; at++) {
    const value = (values[at] ?? 0) - (taken?.[at] ?? 0);
    sum += value;
    squares += value * value;
  }
  return squares / count - (sum / count) ** 2;
}
