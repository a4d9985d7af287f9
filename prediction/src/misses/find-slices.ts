import { seededRandom } from '../trees/random.js';

/** A way to part items into slices, such as by the values of a column. */
export interface Partition {
  /** For each item the index of its slice; `NO_SLICE` for an item in none. */
  readonly codes: Uint16Array;
  readonly sliceCount: number;
}

export const NO_SLICE = 0xffff;

/** A slice whose error is larger than that of all, and not by chance. */
export interface WeakSlice {
  /** Index of the partition, and of the slice in it. */
  readonly partition: number;
  readonly slice: number;
  readonly items: number;
  /** The mean error of its items. */
  readonly error: number;
  /** The share of the permutations in which chance makes any slice look as bad. */
  readonly p: number;
}

const MAX_SLICES = 3;
const PERMUTATIONS = 499;
const SIGNIFICANCE = 0.05;

/** Slices with less beyond the mean, in standard errors, are not significant beside others. */
const MIN_DEVIATION = 2;

/** A slice is worth naming if its error is larger by as much. */
const MIN_RATIO = 1.2;

/** The fewest items of a slice, and their smallest and largest share. */
const MIN_ITEMS = 20;
const MIN_SHARE = 0.01;
const MAX_SHARE = 0.8;

/** Slices that share more of the items of both say the same. */
const MAX_OVERLAP = 0.8;

/** The most items that are permuted: evenly spaced ones of more. */
const MAX_PERMUTED = 10_000;

const SEED = 1;

/** The fewest items of a slice, where they are not rows. */
export interface SliceOptions {
  readonly minItems?: number;
  /** The families of slices that are tested beside this one: significance is shared by all (Bonferroni). */
  readonly families?: number;
  /** The values of items that are tested in place of their errors, such as what is beyond the mean of related items. */
  readonly tested?: Float64Array;
}

/**
 * Finds the slices with the largest mean error, at most one of a partition, that chance does not explain. Under the null
 * hypothesis that errors are exchangeable among items, a slice is named in at most one of twenty tables: each slice's
 * deviation from the mean, in standard errors of a mean without replacement, is compared with the largest deviation of
 * all slices under random orders of the errors (maxT: Westfall & Young 1993, *Resampling-Based Multiple Testing*). The
 * search for slices where a model is weak follows Chung et al. 2019, *Slice Finder*.
 *
 * @param errors of items, not negative, in a unit in which their squares are finite
 */
export function findSlices(
  errors: Float64Array,
  partitions: readonly Partition[],
  { minItems = MIN_ITEMS, families = 1, tested: values = errors }: SliceOptions = {},
): WeakSlice[] {
  const tested = new Tested(values, partitions, minItems);
  const deviations = tested.deviations(tested.errors);
  const mean = meanOf(errors);
  const candidates = tested.slices
    .map((slice, index) => ({ ...slice, deviation: deviations[index] ?? 0 }))
    .filter(({ deviation }) => deviation >= MIN_DEVIATION)
    .map((each) => ({ ...each, ...measureSlice(errors, partitions[each.partition], each.slice) }))
    .filter(({ error }) => error >= MIN_RATIO * mean)
    .sort((one, other) => other.error - one.error || one.partition - other.partition);
  const chance = new Chance(tested);
  const chosen: WeakSlice[] = [];
  for (const { deviation, ...candidate } of candidates) {
    if (chosen.length === MAX_SLICES) break;
    if (chosen.some((other) => areAlike(candidate, other, partitions))) continue;
    const p = families * chance.of({ ...candidate, deviation }, SIGNIFICANCE / families);
    const { partition, slice, items, error } = candidate;
    if (p < SIGNIFICANCE) chosen.push({ partition, slice, items, error, p });
  }
  return chosen;
}

/** The share of permutations in which any slice deviates as much as one does. */
class Chance {
  readonly #tested: Tested;
  readonly #maxima: number[] = [];
  #permutations: Generator<number> | undefined;

  constructor(tested: Tested) {
    this.#tested = tested;
  }

  /**
   * Returns the share of the random orders in which the largest deviation of all slices reaches that of one. Where it
   * will not be less than `most`, only as many orders are drawn as show this. None are drawn where a bound shows that
   * they would not reach it.
   *
   * @returns at least 1 / (PERMUTATIONS + 1), and at most 1
   */
  of(slice: Slice & { readonly deviation: number }, most: number): number {
    if (PERMUTATIONS * this.#tested.bound(slice) < NEGLIGIBLE) return 1 / (PERMUTATIONS + 1);
    const isReached = (maximum: number) => maximum >= slice.deviation;
    let reached = this.#maxima.filter(isReached).length;
    while (this.#maxima.length < PERMUTATIONS && reached + 1 < most * (PERMUTATIONS + 1)) {
      this.#permutations ??= this.#tested.permute();
      const { value, done } = this.#permutations.next();
      if (done) break;
      this.#maxima.push(value);
      if (isReached(value)) reached++;
    }
    return (reached + 1) / (PERMUTATIONS + 1);
  }
}

/** How probable it may be that random orders would show more than the bound says. */
const NEGLIGIBLE = 1e-3;

interface Slice {
  readonly partition: number;
  readonly slice: number;
  readonly items: number;
}

/** The items that are permuted, and the slices of them that are large enough. */
class Tested {
  /** Their errors, or what is tested in place of these. */
  readonly errors: Float64Array;
  readonly slices: readonly Slice[];
  readonly #partitions: readonly Partition[];
  readonly #mean: number;
  readonly #deviation: number;
  /** The largest distance of an error from the mean, upwards. */
  readonly #reach: number;

  constructor(errors: Float64Array, partitions: readonly Partition[], minItems: number) {
    const count = Math.min(errors.length, MAX_PERMUTED);
    this.errors = evenlySpaced(errors, new Float64Array(count));
    this.#partitions = partitions.map(({ codes, sliceCount }) => {
      // One place more takes what is in no slice.
      const own = evenlySpaced(codes, new Uint16Array(count)).map((code) => Math.min(code, sliceCount));
      return { codes: own, sliceCount };
    });
    const least = Math.max(minItems, MIN_SHARE * count);
    this.slices = this.#partitions.flatMap(({ codes, sliceCount }, partition) => {
      const counts = new Uint32Array(sliceCount);
      for (const code of codes) if (code < sliceCount) counts[code] = (counts[code] ?? 0) + 1;
      return Array.from(counts, (items, slice) => ({ partition, slice, items })).filter(
        ({ items }) => items >= least && items <= MAX_SHARE * count,
      );
    });
    this.#mean = meanOf(this.errors);
    const squares = this.errors.reduce((sum, error) => sum + (error - this.#mean) ** 2, 0);
    this.#deviation = Math.sqrt(squares / Math.max(count - 1, 1));
    this.#reach = this.errors.reduce((most, error) => Math.max(most, error), 0) - this.#mean;
  }

  /**
   * Bounds how often a random order of the errors makes any slice deviate as much as one does: Bernstein's inequality,
   * which holds without replacement, too (Hoeffding 1963, *Probability inequalities for sums of bounded random
   * variables*, section 6), of each slice.
   */
  bound({ deviation }: { readonly deviation: number }): number {
    const { length } = this.errors;
    return this.slices.reduce((sum, { items }) => {
      // The mean of a slice is above that of all by so many standard deviations of an error.
      const above = deviation * Math.sqrt((1 - items / length) / items);
      const reach = this.#deviation > 0 ? this.#reach / this.#deviation : 0;
      return sum + Math.exp((-items * above * above) / (2 + (2 / 3) * reach * above));
    }, 0);
  }

  /** Returns for each slice how many standard errors its mean is above that of all. */
  deviations(errors: Float64Array): Float64Array {
    const sums = this.#partitions.map(({ codes, sliceCount }) => sumByCode(errors, codes, sliceCount));
    const { length } = errors;
    return Float64Array.from(this.slices, ({ partition, slice, items }) => {
      const error = this.#deviation * Math.sqrt((1 - items / length) / items);
      return error > 0 ? ((sums[partition]?.[slice] ?? 0) / items - this.#mean) / error : 0;
    });
  }

  /** Yields the largest deviation of all slices in each of some random orders of the errors. */
  *permute(): Generator<number> {
    const random = seededRandom(SEED);
    const errors = this.errors.slice();
    for (let times = 0; times < PERMUTATIONS; times++) {
      shuffle(errors, random);
      yield this.deviations(errors).reduce((most, deviation) => Math.max(most, deviation), 0);
    }
  }
}

/** Fills an array with evenly spaced ones of some values. */
function evenlySpaced<T extends Float64Array | Uint16Array>(values: T, chosen: T): T {
  const count = chosen.length;
  for (let at = 0; at < count; at++) chosen[at] = values[Math.floor((at * values.length) / count)] ?? 0;
  return chosen;
}

function sumByCode(errors: Float64Array, codes: Uint16Array, count: number): Float64Array {
  const sums = new Float64Array(count + 1);
  for (let item = 0; item < errors.length; item++) {
    const code = codes[item] ?? count;
    sums[code] = (sums[code] ?? 0) + (errors[item] ?? 0);
  }
  return sums;
}

function shuffle(values: Float64Array, random: () => number): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const kept = values[last] ?? 0;
    values[last] = values[other] ?? 0;
    values[other] = kept;
  }
}

function measureSlice(errors: Float64Array, { codes }: Partition = NO_PARTITION, slice: number) {
  let [sum, items] = [0, 0];
  for (let item = 0; item < errors.length; item++) {
    if (codes[item] !== slice) continue;
    sum += errors[item] ?? 0;
    items++;
  }
  return { items, error: sum / Math.max(items, 1) };
}

const NO_PARTITION: Partition = { codes: new Uint16Array(), sliceCount: 0 };

/** Returns whether slices are of one partition, or have about the same items. */
function areAlike(one: Items, other: Items, partitions: readonly Partition[]): boolean {
  return one.partition === other.partition || overlap(one, other, partitions) > MAX_OVERLAP;
}

type Items = Pick<WeakSlice, 'partition' | 'slice' | 'items'>;

/** Returns the items that are in both slices, as a share of those in either (Jaccard 1901). */
function overlap(one: Items, other: Items, partitions: readonly Partition[]): number {
  const { codes: ofOne } = partitions[one.partition] ?? NO_PARTITION;
  const { codes: ofOther } = partitions[other.partition] ?? NO_PARTITION;
  let both = 0;
  for (let item = 0; item < ofOne.length; item++) {
    if (ofOne[item] === one.slice && ofOther[item] === other.slice) both++;
  }
  return both / (one.items + other.items - both);
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}
