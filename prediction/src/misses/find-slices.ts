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
  /** How often chance makes any slice look as bad, as a share of the permutations. */
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
  const candidates = tested.slices
    .map((slice, index) => ({ ...slice, deviation: deviations[index] ?? 0 }))
    .filter(({ deviation }) => deviation >= MIN_DEVIATION);
  if (candidates.length === 0) return [];
  const maxima = tested.permute();
  const mean = meanOf(errors);
  const weak = candidates.flatMap(({ partition, slice, deviation }): WeakSlice[] => {
    const reached = maxima.reduce((count, most) => count + Number(most >= deviation), 0);
    const p = Math.min(1, (families * (reached + 1)) / (PERMUTATIONS + 1));
    const of = measureSlice(errors, partitions[partition], slice);
    return p < SIGNIFICANCE && of.error >= MIN_RATIO * mean ? [{ partition, slice, ...of, p }] : [];
  });
  return chooseApart(
    weak.sort((one, other) => other.error - one.error || one.partition - other.partition),
    partitions,
  );
}

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

  constructor(errors: Float64Array, partitions: readonly Partition[], minItems: number) {
    const count = Math.min(errors.length, MAX_PERMUTED);
    const rows = Uint32Array.from({ length: count }, (_, at) => Math.floor((at * errors.length) / count));
    this.errors = Float64Array.from(rows, (row) => errors[row] ?? 0);
    this.#partitions = partitions.map(({ codes, sliceCount }) => {
      return { codes: Uint16Array.from(rows, (row) => codes[row] ?? NO_SLICE), sliceCount };
    });
    const least = Math.max(minItems, MIN_SHARE * count);
    this.slices = this.#partitions.flatMap(({ codes, sliceCount }, partition) => {
      const counts = new Uint32Array(sliceCount);
      for (const code of codes) if (code !== NO_SLICE) counts[code] = (counts[code] ?? 0) + 1;
      return Array.from(counts, (items, slice) => ({ partition, slice, items })).filter(
        ({ items }) => items >= least && items <= MAX_SHARE * count,
      );
    });
    this.#mean = meanOf(this.errors);
    const squares = this.errors.reduce((sum, error) => sum + (error - this.#mean) ** 2, 0);
    this.#deviation = Math.sqrt(squares / Math.max(count - 1, 1));
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

  /** Returns the largest deviation of all slices in each of some random orders of the errors. */
  permute(): Float64Array {
    const random = seededRandom(SEED);
    const errors = this.errors.slice();
    return Float64Array.from({ length: PERMUTATIONS }, () => {
      shuffle(errors, random);
      return this.deviations(errors).reduce((most, deviation) => Math.max(most, deviation), 0);
    });
  }
}

function sumByCode(errors: Float64Array, codes: Uint16Array, count: number): Float64Array {
  // One place more takes what is in no slice.
  const sums = new Float64Array(count + 1);
  for (let item = 0; item < errors.length; item++) {
    const code = Math.min(codes[item] ?? count, count);
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

/** Chooses the first slices, at most one of a partition, and none that has about the items of another. */
function chooseApart(weak: readonly WeakSlice[], partitions: readonly Partition[]): WeakSlice[] {
  const chosen: WeakSlice[] = [];
  for (const slice of weak) {
    if (chosen.length === MAX_SLICES) break;
    const isAlike = (other: WeakSlice) =>
      other.partition === slice.partition || overlap(slice, other, partitions) > MAX_OVERLAP;
    if (!chosen.some(isAlike)) chosen.push(slice);
  }
  return chosen;
}

/** Returns the items that are in both slices, as a share of those in either (Jaccard 1901). */
function overlap(one: WeakSlice, other: WeakSlice, partitions: readonly Partition[]): number {
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
