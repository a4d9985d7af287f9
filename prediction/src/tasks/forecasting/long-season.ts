import { fillGaps } from './base-forecast.js';
import { type FoundSeason, findSeasonMix, repeatsInFew } from './season-mix.js';

/** A season of more steps than the bases look at. */
export interface LongSeason extends FoundSeason {
  /** The deviation at a position, counted from the first value; defined beyond the last. */
  readonly at: (position: number) => number;
}

/** Blocks of a season, about: days of a year. */
const BLOCKS = 365;

/** Looks for a season in the means of blocks of values, without the deviations of a shorter season. */
export function findLongSeason(values: Float64Array, length: number, shorter: number): LongSeason | undefined {
  const block = chooseBlock(length, shorter);
  const usual = meanByPlace(values, Math.round(shorter));
  const count = Math.floor(values.length / block);
  const means = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    let [sum, known] = [0, 0];
    for (let at = index * block; at < (index + 1) * block; at++) {
      const value = (values[at] ?? Number.NaN) - (usual[at % usual.length] ?? 0);
      if (Number.isNaN(value)) continue;
      sum += value;
      known++;
    }
    means[index] = known > 0 ? sum / known : Number.NaN;
  }
  const filled = fillGaps(means);
  const skipped = count - filled.length;
  const { found, at } = findSeasonMix(filled, [length / block], repeatsInFew);
  const [season] = found;
  if (!season) return undefined;
  return {
    length,
    strength: season.strength,
    at: (position) => {
      // Blocks have their means at their middles.
      const place = (position + 0.5) / block - 0.5 - skipped;
      const before = Math.floor(place);
      return at(before) + (place - before) * (at(before + 1) - at(before));
    },
  };
}

/** A season of fewer times the shorter one has a deviation of each block, as a week has; a year is a sum of harmonics. */
const MAX_OF_SHORTER = 100;

/** Returns the steps of a block: a part of a season that has deviations of blocks. */
function chooseBlock(length: number, shorter: number): number {
  const block = Math.max(1, Math.round(length / BLOCKS));
  if (!Number.isInteger(length) || length > MAX_OF_SHORTER * shorter) return block;
  let part = block;
  while (length % part !== 0) part--;
  return part;
}

/** Returns the mean of each place of a season, beside that of all. */
function meanByPlace(values: Float64Array, season: number): Float64Array {
  const sums = new Float64Array(season);
  const counts = new Float64Array(season);
  let [sum, count] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sums[at % season] = (sums[at % season] ?? 0) + value;
    counts[at % season] = (counts[at % season] ?? 0) + 1;
    sum += value;
    count++;
  }
  const mean = sum / Math.max(count, 1);
  return sums.map((ofPlace, place) => ((counts[place] ?? 0) > 0 ? ofPlace / (counts[place] ?? 1) - mean : 0));
}
