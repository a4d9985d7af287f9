import type { Recalibration } from './recalibration.js';

/**
 * Moves the widths of intervals, and the thresholds of sets, by the truths, so that as many promises are kept as were
 * made when rows are no longer those of the training.
 *
 * For each of some levels it tracks a *shift*: what is added to the log of a width, or taken from the log-odds of a
 * threshold. A broken promise raises it by RATE × level, a kept one lowers it by RATE × (1 − level), so that it rests
 * where the level is kept. Whatever the rows are, after n truths the share that was kept differs from the level by at
 * most |shift| / (RATE × n), since the steps must add up to the shift (quantile tracking: Angelopoulos, Candès &
 * Tibshirani 2023, *Conformal PID Control*; Gibbs & Candès 2021, *Adaptive Conformal Inference*, who move the level in
 * place of the width, and so end at the highest that the calibration can vouch for).
 *
 * A truth is judged by the shifts that stand when it comes, not by those that the promise was made with: so truths that come
 * late, and thousands at once, make no more steps than are due.
 */

/** The state of what adapts, as JSON of some 300 bytes. */
export interface Shifts {
  /** The truths that it was moved by. */
  readonly truths: number;
  /** One for each of `SHIFT_LEVELS`; all 0 are the trained calibration. */
  readonly values: readonly number[];
}

/** The calibration that answers in place of the trained one. */
export interface AdaptedCalibration {
  readonly shifts: Shifts;
  /** For forecasts, the shifts of each group of steps, in place of `shifts`. */
  readonly steps?: readonly Shifts[];
  /** Null where no classes are predicted. */
  readonly probabilities: Recalibration | null;
}

/** Returns the shifts of a group of steps of forecasts, or those of all rows. */
export function chooseShifts({ shifts, steps }: AdaptedCalibration, group: number): Shifts {
  return steps?.[group] ?? shifts;
}

/** The levels that are tracked; between them, shifts are interpolated. */
export const SHIFT_LEVELS: readonly number[] = [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99];

/** A broken promise of .9 widens intervals by 5 %. Wider steps follow sooner, and waver more. */
const RATE = 0.06;

const PRECISION = 1e6;

/** An interval grows and shrinks by at most a million. */
const MAX_SHIFT = Math.log(1e6);

export function startShifts(): Shifts {
  return { truths: 0, values: SHIFT_LEVELS.map(() => 0) };
}

/**
 * Moves shifts by one truth.
 *
 * @param needs for each level the least shift that would have kept the promise: of `findIntervalNeeds` or `findSetNeeds`.
 */
export function moveShifts({ truths, values }: Shifts, needs: readonly number[]): Shifts {
  return {
    truths: truths + 1,
    values: values.map((shift, index) => {
      const level = SHIFT_LEVELS[index] ?? 0;
      const isKept = (needs[index] ?? 0) <= shift;
      const moved = shift + RATE * (Number(!isKept) - (1 - level));
      // Steps are whole numbers of the last digit, so that a state of some hundred steps is as short as that of one.
      const rounded = Math.round(moved * PRECISION) / PRECISION;
      return Math.min(Math.max(rounded, -MAX_SHIFT), MAX_SHIFT);
    }),
  };
}

/** Returns the shift at any confidence; below the lowest level, and above the highest, it is theirs. */
export function shiftAt({ values }: Shifts, confidence: number): number {
  return interpolate(values, confidence);
}

export interface PromisedInterval {
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly confidence: number;
  /** The shift that it was made with; 0, if by the trained calibration. */
  readonly shift: number;
  /** True if the bounds are whole numbers around a mean: even the narrowest interval contains the nearest ones. */
  readonly isWhole?: boolean | undefined;
}

/**
 * @param logWidths for each of `SHIFT_LEVELS` the log of the trained width, in any unit that all have in common.
 */
export function findIntervalNeeds(
  { value, min, max, confidence, shift, isWhole = false }: PromisedInterval,
  logWidths: readonly number[],
  truth: number,
): number[] {
  const isKept = truth >= min && truth <= max;
  const reach = Math.max(value - min, max - value);
  const missed = Math.log(Math.abs(truth - value)) - Math.log(reach);
  // Bounds are rounded, and kept to what the target can be: what was promised decides.
  const beyond = isKept ? Math.min(missed, 0) : Math.max(missed, Number.EPSILON);
  const needsNone = Number.isNaN(beyond) || (isWhole && truth >= Math.floor(value) && truth <= Math.ceil(value));
  const own = needsNone ? Number.NEGATIVE_INFINITY : shift + beyond;
  const logWidth = interpolate(logWidths, confidence);
  return logWidths.map((other) => own + logWidth - other);
}

/**
 * @param thresholds for each of `SHIFT_LEVELS` the trained threshold of the true class.
 * @param probability of the true class.
 * @param isLikeliest true if it is the class of the highest probability, which each set has.
 */
export function findSetNeeds(thresholds: readonly number[], probability: number, isLikeliest: boolean): number[] {
  return thresholds.map((threshold) => {
    if (isLikeliest || threshold === 0) return Number.NEGATIVE_INFINITY;
    return logOdds(threshold) - logOdds(probability);
  });
}

/** Moves the threshold of a set. */
export function shiftThreshold(threshold: number, shift: number): number {
  return 1 / (1 + Math.exp(shift - logOdds(threshold)));
}

function logOdds(probability: number): number {
  return Math.log(probability / (1 - probability));
}

function interpolate(values: readonly number[], confidence: number): number {
  const next = SHIFT_LEVELS.findIndex((level) => level >= confidence);
  const above = values[next < 0 ? values.length - 1 : next] ?? 0;
  if (next <= 0) return above;
  const [low = 0, high = 1] = SHIFT_LEVELS.slice(next - 1, next + 1);
  const share = (confidence - low) / (high - low);
  return (1 - share) * (values[next - 1] ?? 0) + share * above;
}
