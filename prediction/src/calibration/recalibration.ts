import { clamp } from '../trees/params.js';

/**
 * Moves the probabilities of classes by the truths: the softmax of scale × log probability + shift, one shift a class,
 * fitted by gradient steps on the log loss of each truth as it comes (online Platt scaling: Gupta & Ramdas 2023). Since
 * the steps must add up to the shifts, after n truths the mean probability of each class differs from its share by at
 * most 2 × |shift| / (RATE × n), whatever the rows are (Angelopoulos, Jordan & Tibshirani 2025, *Gradient Equilibrium in
 * Online Learning*).
 */

/** The state of what adapts, as JSON of at most 2 kB with 100 classes. */
export interface Recalibration {
  /** The truths that it was moved by. */
  readonly truths: number;
  /** 1 is the trained one; less is less certain. */
  readonly scale: number;
  /** For each class; all 0 are the trained calibration. */
  readonly shifts: readonly number[];
}

const RATE = 0.02;
/** The scale moves all probabilities, and must not be moved far by one of a millionth. */
const SCALE_RATE = 0.006;
const MAX_LOG = 4;
const [MIN_SCALE, MAX_SCALE] = [0.05, 5];
const MAX_SHIFT = 12;
const LEAST = 1e-6;

export function startRecalibration(classCount: number): Recalibration {
  return { truths: 0, scale: 1, shifts: new Array<number>(classCount).fill(0) };
}

/**
 * Returns what the probabilities of one row become; they add up to 1.
 *
 * @param probabilities as the trained calibration gives them.
 */
export function recalibrate({ scale, shifts }: Recalibration, probabilities: readonly number[]): number[] {
  const scores = shifts.map((shift, index) => scale * takeLog(probabilities[index]) + shift);
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Returns the probabilities that a calibration made others of, as the trained one gives them. */
export function undoRecalibration({ scale, shifts }: Recalibration, stated: readonly number[]): number[] {
  const undone = { truths: 0, scale: 1 / scale, shifts: shifts.map((shift) => -shift / scale) };
  return recalibrate(undone, stated);
}

/**
 * Moves the calibration by one truth.
 *
 * @param probabilities as the trained calibration gives them.
 * @param label the index of the class that came true.
 */
export function moveRecalibration(
  state: Recalibration,
  probabilities: readonly number[],
  label: number,
): Recalibration {
  const stated = recalibrate(state, probabilities);
  const mean = stated.reduce((sum, each, index) => sum + each * takeLog(probabilities[index]), 0);
  const lead = takeLog(probabilities[label]) - mean;
  const scale = state.scale + SCALE_RATE * clamp(lead, -MAX_LOG, MAX_LOG);
  return {
    truths: state.truths + 1,
    scale: clamp(scale, MIN_SCALE, MAX_SCALE),
    shifts: state.shifts.map((shift, index) => {
      const step = Number(index === label) - (stated[index] ?? 0);
      return clamp(shift + RATE * step, -MAX_SHIFT, MAX_SHIFT);
    }),
  };
}

function takeLog(probability = 0): number {
  return Math.log(Math.max(probability, LEAST));
}
