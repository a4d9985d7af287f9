/** Which values a target can sensibly have, told from those that it had. */
export interface TargetSupport {
  /** No answer goes below; null if nothing says where the target ends. */
  readonly lower: number | null;
  /** No answer goes above. */
  readonly upper: number | null;
  /** Whether every value was a whole number. */
  readonly is_whole: boolean;
  /** The values, ascending, if they were few; else null. */
  readonly values: number[] | null;
}

/** What is known of the targets of models that were trained before this was asked. */
export const ANY_TARGET: TargetSupport = {
  lower: null,
  upper: null,
  is_whole: false,
  values: null,
};

/** More values are not a choice of some. */
const MOST_VALUES = 20;

/** Where so many rows share the outermost value, the scale ends there. */
const LEAST_SHARE_AT_END = 0.01;
const FEWEST_AT_END = 5;

/** Whole numbers beyond this size have no fractions to leave out. */
const LARGEST_WHOLE = Number.MAX_SAFE_INTEGER;

/** @param values finite, at least one. */
export function findSupport(values: Float64Array): TargetSupport {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let is_whole = true;
  const distinct = new Set<number>();
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    is_whole &&= Number.isInteger(value) && Math.abs(value) <= LARGEST_WHOLE;
    if (distinct.size <= MOST_VALUES) distinct.add(value);
  }
  const few = distinct.size <= MOST_VALUES;
  const endsAt = (end: number) => few || isCommon(values, end);
  return {
    lower: endsAt(least) ? least + 0 : least >= 0 ? 0 : null,
    upper: endsAt(most) ? most + 0 : most <= 0 ? 0 : null,
    is_whole,
    values: few ? [...distinct].sort((a, b) => a - b) : null,
  };
}

function isCommon(values: Float64Array, value: number): boolean {
  let count = 0;
  for (const other of values) if (other === value) count++;
  return count >= Math.max(FEWEST_AT_END, LEAST_SHARE_AT_END * values.length);
}

/** A predicted value, and the interval around it. */
export interface Bounded {
  value: number;
  min: number;
  max: number;
}

/**
 * Keeps a prediction to what the target can be, without letting go of any value that the interval
 * held and the target can have: the bounds move inwards, to values that it can have, and to the
 * predicted value at most.
 *
 * @returns min ≤ value ≤ max, if it was so before.
 */
export function withinSupport(support: TargetSupport, { value, min, max }: Bounded): Bounded {
  const within = (number: number) =>
    Math.min(
      Math.max(number, support.lower ?? Number.NEGATIVE_INFINITY),
      support.upper ?? Number.POSITIVE_INFINITY,
    );
  const kept = within(value);
  const low = nextUp(support, within(min));
  const high = nextDown(support, within(max));
  // Nothing that the target can be lies between the bounds: they say how sure the value is.
  if (low > high) return { value: kept, min: within(min), max: within(max) };
  return { value: kept, min: Math.min(low, kept), max: Math.max(high, kept) };
}

/** The least value of the target from a bound up. */
function nextUp({ values, is_whole }: TargetSupport, bound: number): number {
  if (values !== null) return values.find((value) => value >= bound) ?? Number.POSITIVE_INFINITY;
  return is_whole ? Math.ceil(bound) + 0 : bound;
}

function nextDown({ values, is_whole }: TargetSupport, bound: number): number {
  if (values !== null) {
    return values.findLast((value) => value <= bound) ?? Number.NEGATIVE_INFINITY;
  }
  return is_whole ? Math.floor(bound) + 0 : bound;
}
