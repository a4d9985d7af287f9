import { seededRandom } from 'roster-prediction/internals';
import { findIntervalNeeds, moveShifts, SHIFT_LEVELS, shiftAt, startShifts } from 'roster-prediction/recording';

/** A deviate of the standard normal distribution (Box & Muller 1958). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The log of the width that keeps each of the levels where errors are normal with a deviation of 1. */
const NORMAL_WIDTHS = [0.12566, 0.38532, 0.67449, 0.84162, 1.03643, 1.28155, 1.43953, 1.64485, 1.95996, 2.57583].map(
  Math.log,
);

/** A method that adapts the intervals of one level to the truths. */
export interface Adapter {
  /** The reach of the next interval, in deviations of the training; infinite, if all is promised. */
  reach(): number;
  learn(error: number): void;
}

export class OwnAdapter implements Adapter {
  #shifts = startShifts();

  constructor(private readonly level: number) {}

  reach(): number {
    const trained = Math.exp(NORMAL_WIDTHS[SHIFT_LEVELS.indexOf(this.level)] ?? 0);
    return trained * Math.exp(shiftAt(this.#shifts, this.level));
  }

  learn(error: number): void {
    const { level } = this;
    const shift = shiftAt(this.#shifts, level);
    const reach = this.reach();
    const promise = { value: 0, min: -reach, max: reach, confidence: level, shift };
    this.#shifts = moveShifts(this.#shifts, findIntervalNeeds(promise, NORMAL_WIDTHS, error));
  }
}

/** The trained calibration alone. */
export class Trained implements Adapter {
  constructor(private readonly level: number) {}

  reach(): number {
    return Math.exp(NORMAL_WIDTHS[SHIFT_LEVELS.indexOf(this.level)] ?? 0);
  }
  learn(): void {}
}

const CALIBRATION_ROWS = 1000;

/** The errors of rows that calibrate, ascending. */
function calibrationScores(): Float64Array {
  const random = seededRandom(11);
  return Float64Array.from({ length: CALIBRATION_ROWS }, () => Math.abs(normal(random))).sort();
}

/** Returns the quantile of the scores that misses a share; infinite below the least that they can vouch for. */
function reachAt(scores: Float64Array, miss: number): number {
  const rank = Math.ceil((CALIBRATION_ROWS + 1) * (1 - miss) - 1e-9);
  if (rank < 1) return 0;
  return scores[rank - 1] ?? Number.POSITIVE_INFINITY;
}

/**
 * Adaptive conformal inference as published (Gibbs & Candès 2021): the level moves by γ × (miss − (1 − level)), and
 * the width is the quantile of the calibration's scores at that level; above the highest, all is promised.
 */
class PlainAci implements Adapter {
  readonly #scores = calibrationScores();
  #miss: number;

  constructor(
    private readonly level: number,
    private readonly step: number,
  ) {
    this.#miss = 1 - level;
  }

  reach(): number {
    return reachAt(this.#scores, this.#miss);
  }

  learn(error: number): void {
    const isMissed = Math.abs(error) > this.reach();
    this.#miss += this.step * (1 - this.level - Number(isMissed));
  }
}

/** The steps of DtACI, and the truths within which it is to be as good as the best of them, as its authors chose them. */
const STEPS = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128];
const SPAN = 500;

/**
 * Dynamically tuned adaptive conformal inference (Gibbs & Candès 2024, *Conformal Inference for Online Prediction with
 * Arbitrary Distribution Shifts*, algorithm 2): an expert a step, weighed by the quantile loss of their levels.
 */
class DtAci implements Adapter {
  readonly #scores = calibrationScores();
  readonly #rate: number;
  #misses: number[];
  #weights = STEPS.map(() => 1 / STEPS.length);

  constructor(private readonly level: number) {
    const miss = 1 - level;
    this.#misses = STEPS.map(() => miss);
    const size = level ** 2 * miss ** 3 + miss ** 2 * level ** 3;
    this.#rate = Math.sqrt(3 / SPAN) * Math.sqrt((Math.log(STEPS.length * SPAN) + 2) / size);
  }

  reach(): number {
    const miss = this.#misses.reduce((sum, own, at) => sum + own * (this.#weights[at] ?? 0), 0);
    return reachAt(this.#scores, miss);
  }

  learn(error: number): void {
    const miss = 1 - this.level;
    const least = this.#leastMiss(Math.abs(error));
    const kept = this.#misses.map((own, at) => {
      const loss = miss * (least - own) - Math.min(0, least - own);
      return (this.#weights[at] ?? 0) * Math.exp(-this.#rate * loss);
    });
    const total = kept.reduce((sum, weight) => sum + weight, 0);
    const shared = 1 / (2 * SPAN);
    this.#weights = kept.map((own) => (1 - shared) * (own / total) + shared / STEPS.length);
    this.#misses = this.#misses.map((own, at) => {
      const isMissed = Math.abs(error) > reachAt(this.#scores, own);
      return own + (STEPS[at] ?? 0) * (miss - Number(isMissed));
    });
  }

  /** Returns the largest miss whose interval holds the error. */
  #leastMiss(size: number): number {
    const below = this.#scores.findIndex((score) => score >= size);
    return 1 - (below < 0 ? CALIBRATION_ROWS : below) / (CALIBRATION_ROWS + 1);
  }
}

/**
 * Conformal PID control (Angelopoulos, Candès & Tibshirani 2023) as its authors' program has it, without a model of the
 * scores: the width follows the quantile by steps of a tenth of the range of the latest 100 scores, and an integrator
 * adds to it what is kept too seldom.
 */
class ConformalPid implements Adapter {
  readonly #latest: number[];
  readonly #most: number;
  #quantile: number;
  #truths = 0;
  #excess = 0;

  constructor(private readonly level: number) {
    const scores = calibrationScores();
    this.#quantile = reachAt(scores, 1 - level);
    this.#most = scores.at(-1) ?? 0;
    const random = seededRandom(11);
    this.#latest = Array.from({ length: 100 }, () => Math.abs(normal(random)));
  }

  reach(): number {
    // The constant of saturation for 10,000 truths and a guarantee of .01: 2 / π × (⌈log(T) × δ⌉ − 1 / log(T)).
    const saturation = (2 / Math.PI) * (Math.ceil(Math.log(1e4) * 0.01) - 1 / Math.log(1e4));
    const { log, tan, PI } = Math;
    const angle = (this.#excess * log(this.#truths + 1)) / (saturation * (this.#truths + 1));
    if (angle >= PI / 2) return Number.POSITIVE_INFINITY;
    if (angle <= -PI / 2) return 0;
    return Math.max(this.#quantile + this.#most * tan(angle), 0);
  }

  learn(error: number): void {
    const size = Math.abs(error);
    const isMissed = Number(size > this.reach());
    const range = Math.max(...this.#latest) - Math.min(...this.#latest);
    this.#latest.push(size);
    this.#latest.shift();
    this.#quantile += 0.1 * range * (isMissed - (1 - this.level));
    this.#excess += isMissed - (1 - this.level);
    this.#truths++;
  }
}

/** Other methods, by name. */
export const PEERS: readonly [string, (level: number) => Adapter][] = [
  ['trained', (level) => new Trained(level)],
  ['plain ACI, γ = .005', (level) => new PlainAci(level, 0.005)],
  ['plain ACI, γ = .05', (level) => new PlainAci(level, 0.05)],
  ['DtACI', (level) => new DtAci(level)],
  ['conformal PID', (level) => new ConformalPid(level)],
];
