/** The preference for better bases: the power of the inverse of their errors. */
const POWER = 4;

/** The part of the usual error that is added to all, so that no base that was right by chance counts alone. */
const LEAST_ERROR = 0.05;

/** The shrinkage of the errors of a series towards the average of all series. */
const SHRINKAGE = 0.5;

/** A ratio of errors beyond this, or its inverse, says no more. */
const MAX_RATIO = 100;

/** Weights are whole parts of so many, a power of two: their sum is 1 to the last bit, and they are stored in few bytes. */
export const WEIGHT_PARTS = 4096;

/** By base its mean error: NaN where it was never compared, undefined where it does not forecast. */
export type BaseErrors = readonly (number | undefined)[];

interface WeighOptions {
  readonly isSeasonal: boolean;
  /** By base, of all series: see `averageErrors`. Absent in models of earlier releases. */
  readonly ofAll: readonly number[] | undefined;
}

/** Returns the weights of bases, which add up to 1. */
export function weighBases(errors: BaseErrors, { isSeasonal, ofAll }: WeighOptions): Float64Array {
  if (!ofAll) return weighAlone(errors, isSeasonal);
  const usual = findUsual(errors);
  return inParts(
    errors.map((error, base) => {
      if (error === undefined) return 0;
      const mean = ofAll[base] ?? 1;
      const own = usual > 0 && Number.isFinite(error) ? toRatio(error / usual) : mean;
      return (own ** (1 - SHRINKAGE) * mean ** SHRINKAGE) ** -POWER;
    }),
  );
}

/**
 * Returns by base the geometric mean over series of its error, in units of the usual one of each series; of a base that
 * none could compare, the largest of the others.
 */
export function averageErrors(bySeries: readonly BaseErrors[]): number[] {
  const count = bySeries.reduce((most, { length }) => Math.max(most, length), 0);
  const usual = bySeries.map(findUsual);
  const means = Array.from({ length: count }, (_, base) => {
    let [sum, known] = [0, 0];
    for (const [series, errors] of bySeries.entries()) {
      const ratio = (errors[base] ?? Number.NaN) / (usual[series] ?? 0);
      if (!Number.isFinite(ratio)) continue;
      sum += Math.log(toRatio(ratio));
      known++;
    }
    return known > 0 ? Number(Math.exp(sum / known).toPrecision(4)) : undefined;
  });
  const most = means.reduce<number>((most, mean) => Math.max(most, mean ?? 0), 0) || 1;
  return means.map((mean) => mean ?? most);
}

function toRatio(ratio: number): number {
  return Math.min(ratio + LEAST_ERROR, MAX_RATIO);
}

/** Returns the error in the middle, or the largest where most bases were never off; 0 where none was. */
function findUsual(errors: BaseErrors): number {
  const known = sortKnown(errors);
  return known[known.length >> 1] || known.at(-1) || 0;
}

function sortKnown(errors: BaseErrors): number[] {
  return errors
    .flatMap((error) => (error !== undefined && Number.isFinite(error) ? [error] : []))
    .sort((one, other) => one - other);
}

/** Rounds weights to whole parts; what is missing goes to the largest. */
function inParts(weights: readonly number[]): Float64Array {
  const parts = normalize(weights).map((weight) => Math.round(weight * WEIGHT_PARTS));
  let [most, sum] = [0, 0];
  for (const [base, part] of parts.entries()) {
    sum += part;
    if (part > (parts[most] ?? 0)) most = base;
  }
  parts[most] = (parts[most] ?? 0) + WEIGHT_PARTS - sum;
  return parts.map((part) => part / WEIGHT_PARTS);
}

/** Weighs bases by one series alone, as models of earlier releases do. */
function weighAlone(errors: BaseErrors, isSeasonal: boolean): Float64Array {
  const known = sortKnown(errors);
  const most = known.at(-1);
  if (most === undefined) {
    const isCounted = (base: number) => errors[base] !== undefined && isUsual(base, isSeasonal, errors.length);
    return normalize(errors.map((_, base) => (isCounted(base) ? 1 : 0)));
  }
  // For constant values, the errors of some bases are zero.
  const usual = known[known.length >> 1] || most || 1;
  return normalize(
    errors.map((error) => {
      if (error === undefined) return 0;
      const size = Number.isFinite(error) ? error : most;
      return (usual / (size + LEAST_ERROR * usual)) ** POWER;
    }),
  );
}

/** Whether a base counts where none could be compared: Theta, the damped trend, and the shortest season again. */
function isUsual(base: number, isSeasonal: boolean, count: number): boolean {
  return base >= count - 2 || (isSeasonal && base === 1);
}

function normalize(weights: readonly number[]): Float64Array {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return Float64Array.from(weights, (weight, base) => (sum > 0 ? weight / sum : base === 0 ? 1 : 0));
}
