/** The values that a target can plausibly have, derived from those of the table. */
export interface TargetSupport {
  /** No answer goes below; null if nothing says where the target ends. */
  readonly lower: number | null;
  /** No answer goes above. */
  readonly upper: number | null;
  /** True if every value was a whole number. */
  readonly is_whole: boolean;
  /** The values, ascending, if they were few; else null. */
  readonly values: number[] | null;
  /**
   * True if a whole target is answered with the predicted mean, between bounds that are values of the target. Absent in
   * models of releases before 0.3.0, which answer the nearest whole value instead.
   */
  readonly keeps_mean?: true;
}

/** More values are not a choice of some. */
const MAX_VALUES = 20;

/** Where so many rows share the outermost value, the scale ends there. */
const MIN_SHARE_AT_END = 0.01;
const MIN_ROWS_AT_END = 5;

/** Whole numbers beyond this size have no fractions to leave out. */
const MAX_WHOLE = Number.MAX_SAFE_INTEGER;

/** The support of whole numbers whose range is not known. */
export const WHOLE: TargetSupport = { lower: null, upper: null, is_whole: true, values: null, keeps_mean: true };

/** @param values finite, at least one. */
export function findSupport(values: Float64Array): TargetSupport {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let is_whole = true;
  const distinct = new Set<number>();
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    is_whole &&= isWhole(value);
    if (distinct.size <= MAX_VALUES) distinct.add(value);
  }
  const few = distinct.size <= MAX_VALUES;
  const endsAt = (end: number) => few || isCommon(values, end);
  return {
    lower: endsAt(least) ? least + 0 : least >= 0 ? 0 : null,
    upper: endsAt(most) ? most + 0 : most <= 0 ? 0 : null,
    is_whole,
    values: few ? [...distinct].sort((a, b) => a - b) : null,
    ...(is_whole && { keeps_mean: true }),
  };
}

/** Returns whether a number has no fraction, and is small enough that it could have one. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= MAX_WHOLE;
}

function isCommon(values: Float64Array, value: number): boolean {
  let count = 0;
  for (const other of values) if (other === value) count++;
  return count >= Math.max(MIN_ROWS_AT_END, MIN_SHARE_AT_END * values.length);
}

/** A predicted value, and the interval around it. */
export interface Bounded {
  value: number;
  min: number;
  max: number;
}

/**
 * Trees come near the end of a scale, or the one value that a kind of row has, but each leaves a
 * tenth of the way to the next, and how much is left in the end is chance. A bound that stops
 * short of such a value by this share of its reach is meant to hold it.
 */
export const SLACK = 0.02;

/** Wide intervals hold many whole numbers, and need none more. */
export const MAX_WHOLE_SLACK = 0.05;

/**
 * Keeps a prediction to what the target can be, without letting go of any value that the interval
 * held and the target can have. If the target has only few values or whole numbers, the bounds move
 * inwards to these, at most to the narrowest interval around the value; if there are none between
 * them, outwards to the nearest, for an interval that holds nothing says nothing.
 *
 * @returns min ≤ value ≤ max, if it was so before.
 */
export function withinSupport(support: TargetSupport, { value, min, max }: Bounded): Bounded {
  const kept = settle(support, value);
  const least = narrowest(support, kept);
  const below = Math.max(min - 2 * SLACK * (value / 2 - min / 2), -Number.MAX_VALUE);
  const above = Math.min(max + 2 * SLACK * (max / 2 - value / 2), Number.MAX_VALUE);
  const low = nextUp(support, min, below);
  const high = nextDown(support, max, above);
  const nearest = nearestTo(support, kept);
  const [from, to] = low <= high ? [low, high] : [nearest, nearest];
  return { value: kept, min: Math.min(from, least.min), max: Math.max(to, least.max) };
}

/** Returns the answer for a predicted value: within the range, and whole if whole targets are rounded. */
export function settle(support: TargetSupport, value: number): number {
  const kept = keepWithin(support, value);
  return support.is_whole && !support.keeps_mean ? nearestTo(support, kept) : kept;
}

/** Returns the narrowest bounds of an answer: the value itself, or the possible target values next to a mean. */
function narrowest({ values, keeps_mean }: TargetSupport, kept: number): Omit<Bounded, 'value'> {
  if (!keeps_mean) return { min: kept, max: kept };
  if (values === null) return { min: Math.floor(kept), max: Math.ceil(kept) + 0 };
  return { min: values.findLast((value) => value <= kept) ?? kept, max: values.find((value) => value >= kept) ?? kept };
}

/**
 * Returns the least reach of an interval around a predicted value whose bounds, as `withinSupport` moves them,
 * hold the actual value. Calibrated by these, intervals keep what they say after they were rounded.
 *
 * @param value the predicted value, before it is settled.
 * @returns at most the distance of the two.
 */
export function reachTo(support: TargetSupport, value: number, actual: number): number {
  const distance = Math.abs(actual - value);
  if (support.values === null && !support.is_whole) return distance;
  const kept = keepWithin(support, value);
  // An interval that holds no such value is widened to the nearest.
  if (nearestTo(support, kept) === actual) return 0;
  const { min, max } = narrowest(support, kept);
  if (actual >= min && actual <= max) return 0;
  const stretched = distance / (1 + SLACK);
  return support.values === null ? Math.max(stretched, distance - MAX_WHOLE_SLACK) : stretched;
}

function keepWithin({ lower, upper }: TargetSupport, number: number): number {
  const atLeast = Math.max(number, lower ?? Number.NEGATIVE_INFINITY);
  return Math.min(atLeast, upper ?? Number.POSITIVE_INFINITY);
}

/** The least that the target can be from a bound up, or just `below` it. */
function nextUp(support: TargetSupport, bound: number, below: number): number {
  const { values, is_whole, lower } = support;
  if (values !== null) return values.find((value) => value >= below) ?? Number.POSITIVE_INFINITY;
  if (is_whole) {
    return keepWithin(support, Math.ceil(Math.max(below, bound - MAX_WHOLE_SLACK))) + 0;
  }
  return keepWithin(support, lower !== null && below <= lower ? lower : bound);
}

function nextDown(support: TargetSupport, bound: number, above: number): number {
  const { values, is_whole, upper } = support;
  if (values !== null) {
    return values.findLast((value) => value <= above) ?? Number.NEGATIVE_INFINITY;
  }
  if (is_whole) {
    return keepWithin(support, Math.floor(Math.min(above, bound + MAX_WHOLE_SLACK))) + 0;
  }
  return keepWithin(support, upper !== null && above >= upper ? upper : bound);
}

/** Returns the value nearest to a number that the target can have. */
export function nearestTo({ values, is_whole }: TargetSupport, value: number): number {
  if (values === null) return is_whole ? Math.round(value) + 0 : value;
  const distance = (other: number) => Math.abs(other - value);
  return values.reduce((best, other) => (distance(other) < distance(best) ? other : best));
}

/**
 * The units that models learn in: target = magnitude × (centre + spread × standard). Magnitude and
 * spread are powers of two, which lose no digit, and keep targets of any size, near the limits of a
 * double too, from overflowing when they are squared.
 */
export interface TargetScale {
  magnitude: number;
  centre: number;
  spread: number;
}

/** Chooses units in which the target has mean 0 and a standard deviation of about 1. */
export function chooseScale(values: Float64Array): TargetScale {
  const magnitude = findUnit(values);
  const centre = values.reduce((sum, value) => sum + value / magnitude, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value / magnitude - centre) ** 2, 0) / values.length;
  return { magnitude, centre, spread: powerOfTwo(Math.sqrt(variance)) };
}

/** Returns a power of two near the largest of some values, by which all can be divided exactly; NaN is passed over. */
export function findUnit(values: Float64Array): number {
  let most = 0;
  for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
  return powerOfTwo(most);
}

/** The power of two next to a size, where both it and its inverse are ordinary doubles. */
export function powerOfTwo(size: number): number {
  return size > 0 ? 2 ** Math.min(Math.max(Math.round(Math.log2(size)), -1000), 1000) : 1;
}

export function toStandard(scale: TargetScale, value: number): number {
  return (value / scale.magnitude - scale.centre) / scale.spread;
}

/** A finite number, also where the bound of an interval lies beyond all doubles. */
export function fromStandard(scale: TargetScale, standard: number): number {
  return toFinite(scale.magnitude * (scale.centre + scale.spread * standard));
}

/** A length: the distance between two targets that are `standard` apart. */
export function lengthFromStandard(scale: TargetScale, standard: number): number {
  return toFinite(scale.magnitude * (scale.spread * standard));
}

/** Adding 0 turns −0 into 0, which JSON and readers expect. */
export function toFinite(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) + 0;
}

/** Answers are rounded to steps that are this much finer than the scatter of the target. */
const STEPS_IN_DEVIATION = 1e4;

/** Ten to this power is the largest that is a double without error. */
const MAX_DECIMALS = 22;

/** Beyond so many steps the digits of a double end. */
export const MAX_STEPS = 1e15;

/**
 * Rounds answers to as many decimals as the target bears: the step is the largest power of ten that
 * is at most a ten-thousandth of the target's standard deviation, and at most 1. Digits beyond that
 * say nothing, and writing 17 digits takes four times as long as writing few. Every step leads over 0
 * and the whole numbers, so that no bound is moved across one of them.
 */
export class Rounding {
  /** Steps in 1; 0 if nothing is rounded. */
  readonly scale: number;

  /** @param deviation the target's standard deviation; where it is 0, nothing is rounded. */
  constructor(deviation: number) {
    const decimals = Math.max(0, Math.ceil(Math.log10(STEPS_IN_DEVIATION / deviation)));
    this.scale = decimals <= MAX_DECIMALS ? Number(`1e${decimals}`) : 0;
  }

  nearest(value: number): number {
    const steps = Math.round(value * this.scale);
    return this.#isFine(steps) ? this.#at(steps) : value;
  }

  /** The largest step up to the value. */
  down(value: number): number {
    const steps = Math.round(value * this.scale);
    if (!this.#isFine(steps)) return value;
    const nearest = this.#at(steps);
    return nearest <= value ? nearest : this.#at(steps - 1);
  }

  /** The smallest step from the value on. */
  up(value: number): number {
    const steps = Math.round(value * this.scale);
    if (!this.#isFine(steps)) return value;
    const nearest = this.#at(steps);
    return nearest >= value ? nearest : this.#at(steps + 1);
  }

  #isFine(steps: number): boolean {
    return this.scale > 0 && Math.abs(steps) < MAX_STEPS;
  }

  /** Dividing gives the double that is nearest to the decimal, and so its short text. Adding 0 turns −0 into 0. */
  #at(steps: number): number {
    return steps / this.scale + 0;
  }
}
