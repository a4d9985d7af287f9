/** The deviations of the seasons of a series from its course. */
export interface Seasons {
  readonly isMultiplied: boolean;
  /** By place in the season, the first value's first. */
  readonly indices: Float64Array;
}

/** Of a normal distribution: 0.9 lie within so many deviations each way. */
const TEST_WIDTH = 1.645;

const MIN_SEASONS = 2;

/** The most autocorrelations that are computed for a longer season, such as a day of minutes. */
const MAX_LAGS = 366;
const LAGS_OF_LONG_SEASONS = 100;

/**
 * Finds seasons where the autocorrelation at a season's length is beyond chance, at 0.9 (the test
 * of the Theta method); undefined where it is not, or where there are too few values to tell.
 */
export function findSeasons(values: Float64Array, season: number): Seasons | undefined {
  if (season < 2 || values.length < MIN_SEASONS * season + 1) return undefined;
  if (!isSeasonal(values, season)) return undefined;
  return decompose(values, season);
}

function isSeasonal(values: Float64Array, season: number): boolean {
  const count = values.length;
  let total = 0;
  for (let at = 0; at < count; at++) total += values[at] ?? 0;
  const centred = new Float64Array(count);
  let variance = 0;
  for (let at = 0; at < count; at++) {
    const value = (values[at] ?? 0) - total / count;
    centred[at] = value;
    variance += value * value;
  }
  if (!(variance > 0)) return false;
  const correlation = (lag: number) => {
    let sum = 0;
    for (let at = lag; at < count; at++) sum += (centred[at] ?? 0) * (centred[at - lag] ?? 0);
    return sum / variance;
  };
  // Each of the lags of a long season stands for those up to the next.
  const stride = season > MAX_LAGS ? Math.ceil(season / LAGS_OF_LONG_SEASONS) : 1;
  let squares = 0;
  for (let lag = stride; lag < season; lag += stride) squares += stride * correlation(lag) ** 2;
  return Math.abs(correlation(season)) > TEST_WIDTH * Math.sqrt((1 + 2 * squares) / count);
}

/** Classical decomposition: what values are to the centred moving average of a season around them. */
function decompose(values: Float64Array, season: number): Seasons {
  const count = values.length;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < count; at++) least = Math.min(least, values[at] ?? 0);
  const isMultiplied = least > 0;
  const sums = new Float64Array(season);
  const counts = new Float64Array(season);
  const half = season >> 1;
  const isEven = season % 2 === 0;
  let place = half % season;
  let total = 0;
  for (let at = half; at + half < count; at++) {
    if (place === half % season) {
      // Once a season, so that errors of rounding do not add up.
      total = 0;
      for (let near = at - half; near <= at + half; near++) total += values[near] ?? 0;
    } else total += (values[at + half] ?? 0) - (values[at - half - 1] ?? 0);
    const ends = isEven ? ((values[at - half] ?? 0) + (values[at + half] ?? 0)) / 2 : 0;
    const course = (total - ends) / season;
    const value = values[at] ?? 0;
    sums[place] = (sums[place] ?? 0) + (isMultiplied ? value / course : value - course);
    counts[place] = (counts[place] ?? 0) + 1;
    place = place + 1 === season ? 0 : place + 1;
  }
  const indices = sums.map((sum, place) => sum / Math.max(counts[place] ?? 0, 1));
  let mean = 0;
  for (const index of indices) mean += index / season;
  return { isMultiplied, indices: indices.map((index) => (isMultiplied ? index / mean : index - mean)) };
}

/** Takes the seasons out of values, or puts them into a value at a place. */
export function removeSeasons(values: Float64Array, { isMultiplied, indices }: Seasons) {
  const course = new Float64Array(values.length);
  const season = indices.length;
  for (let at = 0, place = 0; at < values.length; at++) {
    const index = indices[place] ?? 0;
    course[at] = isMultiplied ? (values[at] ?? 0) / index : (values[at] ?? 0) - index;
    place = place + 1 === season ? 0 : place + 1;
  }
  return course;
}

export function addSeason({ isMultiplied, indices }: Seasons, value: number, at: number): number {
  const index = indices[at % indices.length] ?? 0;
  return isMultiplied ? value * index : value + index;
}
