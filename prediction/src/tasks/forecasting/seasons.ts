/** How the seasons of a series deviate from its course. */
export interface Seasons {
  readonly isMultiplied: boolean;
  /** By place in the season, the first value's first. */
  readonly indices: Float64Array;
}

/** Of a normal distribution: 0.9 lie within so many deviations each way. */
const TEST_WIDTH = 1.645;

const MIN_SEASONS = 2;

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
  let mean = 0;
  for (const value of values) mean += value / count;
  let variance = 0;
  for (const value of values) variance += (value - mean) ** 2;
  if (!(variance > 0)) return false;
  let squares = 0;
  let last = 0;
  for (let lag = 1; lag <= season; lag++) {
    if (lag > 1) squares += last * last;
    let sum = 0;
    for (let at = lag; at < count; at++) {
      sum += ((values[at] ?? 0) - mean) * ((values[at - lag] ?? 0) - mean);
    }
    last = sum / variance;
  }
  return Math.abs(last) > TEST_WIDTH * Math.sqrt((1 + 2 * squares) / count);
}

/** Classical decomposition: what values are to the centred moving average of a season around them. */
function decompose(values: Float64Array, season: number): Seasons {
  const count = values.length;
  const isMultiplied = values.every((value) => value > 0);
  const sums = new Float64Array(season);
  const counts = new Float64Array(season);
  const half = season >> 1;
  const isEven = season % 2 === 0;
  for (let at = half; at + half < count; at++) {
    let around = 0;
    for (let near = at - half; near <= at + half; near++) around += values[near] ?? 0;
    if (isEven) around -= ((values[at - half] ?? 0) + (values[at + half] ?? 0)) / 2;
    const course = around / season;
    const value = values[at] ?? 0;
    const place = at % season;
    sums[place] = (sums[place] ?? 0) + (isMultiplied ? value / course : value - course);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const indices = sums.map((sum, place) => sum / Math.max(counts[place] ?? 0, 1));
  let mean = 0;
  for (const index of indices) mean += index / season;
  return {
    isMultiplied,
    indices: indices.map((index) => (isMultiplied ? index / mean : index - mean)),
  };
}

/** Takes the seasons out of values, or puts them into a value at a place. */
export function removeSeasons(values: Float64Array, { isMultiplied, indices }: Seasons) {
  return values.map((value, at) => {
    const index = indices[at % indices.length] ?? 0;
    return isMultiplied ? value / index : value - index;
  });
}

export function addSeason({ isMultiplied, indices }: Seasons, value: number, at: number): number {
  const index = indices[at % indices.length] ?? 0;
  return isMultiplied ? value * index : value + index;
}
