import { createScorer, type ForestScorer, scorerMemory } from '../trees/forest/forest-scorer.js';
import type { Forest } from '../trees/forest/tree.js';
import type { Steps } from '../trees/steps.js';

/**
 * The ratio of errors to their predicted size, as counted on rows that the model has not
 * seen. Kept apart by the predicted size of the error, so that a level holds among easy rows and
 * hard rows alike (Mondrian conformal regressors, Boström & Johansson 2020).
 */
export interface Calibration {
  /**
   * Group g holds the rows whose predicted error is above bound g − 1 and up to bound g; the last
   * group has no upper bound.
   */
  upper_bounds: number[];
  /** The scores |error| ÷ predicted error of each group, ascending; no group is empty. */
  scores: number[][];
}

/** Levels are stated in hundredths. */
const LEVELS = 99;
export const LOWEST_LEVEL = 0.01;
const HIGHEST_LEVEL = 0.99;

/** @throws {RangeError} if a confidence is not within 0.01 to 0.99. */
export function requireLevel(level: number): void {
  if (level >= LOWEST_LEVEL && level <= HIGHEST_LEVEL) return;
  throw new RangeError(`The confidence must be within 0.01 to 0.99, but is ${level}.`);
}

const MAX_GROUPS = 10;
/** A group of 150 can promise 0.99, and its 0.9 is true to within some 2 %. */
const GROUP_ROWS = 150;

/**
 * Sorts held-out rows into groups of predicted error.
 *
 * @param predictedErrors positive, one a row.
 * @param absoluteErrors |target − prediction| of the same rows.
 */
export function calibrate(predictedErrors: Float64Array, absoluteErrors: Float64Array): Calibration {
  const groupCount = Math.min(MAX_GROUPS, Math.max(1, Math.floor(predictedErrors.length / GROUP_ROWS)));
  const upper_bounds = chooseBounds(predictedErrors, groupCount);
  const scores: number[][] = Array.from({ length: upper_bounds.length + 1 }, () => []);
  for (const [row, predicted] of predictedErrors.entries()) {
    scores[findGroup(upper_bounds, predicted)]?.push((absoluteErrors[row] ?? 0) / predicted);
  }
  for (const group of scores) group.sort((a, b) => a - b);
  return { upper_bounds, scores };
}

/** Quantiles of the predicted error. Equal values stay together, and no group is much smaller. */
function chooseBounds(predictedErrors: Float64Array, groupCount: number): number[] {
  const sorted = predictedErrors.toSorted();
  const size = sorted.length / groupCount;
  const bounds: number[] = [];
  let begin = 0;
  for (const [index, value] of sorted.entries()) {
    const end = index + 1;
    const isFull = end >= (bounds.length + 1) * size && end - begin >= size / 2;
    const leavesEnough = sorted.length - end >= size / 2;
    if (!isFull || !leavesEnough || sorted[end] === value) continue;
    bounds.push(value);
    begin = end;
  }
  return bounds;
}

export function findGroup(upperBounds: readonly number[], predictedError: number): number {
  let group = 0;
  for (const bound of upperBounds) {
    if (predictedError <= bound) break;
    group++;
  }
  return group;
}

/** Half of the widest interval that an answer of its own accord gives: one standard deviation. */
export function widestReach(deviation: number): number {
  return deviation / 2;
}

/** Half the width of an interval, in predicted errors, and the level that it keeps. */
export interface Width {
  level: number;
  score: number;
}

/**
 * The width for a level in one group: the k-th smallest of its n scores, k = ⌈(n + 1) × level⌉
 * (split-conformal prediction: Papadopoulos et al. 2002; normalised: Lei et al. 2018). Few scores
 * cannot vouch for a high level: then it is the highest hundredth that they can. Where scores are equal, the
 * level is that of the last of them.
 */
export function widthAt(scores: readonly number[], level: number): Width {
  const count = scores.length;
  const highest = Math.floor((100 * count) / (count + 1)) / 100;
  const kept = Math.min(level, highest);
  // Guards k against the rounding of (n + 1) × level, as in 100 × 0.07 = 7.000000000000001.
  const rank = Math.max(Math.ceil((count + 1) * kept - 1e-9), 1);
  const score = scores[rank - 1] ?? 0;
  // Answers that are rounded hold many truths without any reach: such a width keeps more than was asked for.
  let last = rank;
  while (last < count && scores[last] === score) last++;
  const reached = last > rank ? Math.floor((100 * last) / (count + 1)) / 100 : kept;
  return { level: Math.max(kept, reached), score };
}

/** The widths of a group at 0.01, 0.02 … 0.99, as far as it can vouch for them. */
export function allWidths(scores: readonly number[]): Width[] {
  const widths = Array.from({ length: LEVELS }, (_, index) => widthAt(scores, (index + 1) / 100));
  return widths.filter(({ level }, index) => level >= (index + 1) / 100);
}

/** The width with the highest level whose score is at most `most`; the narrowest if none is. */
export function highestWithin(widths: readonly Width[], most: number): Width {
  let low = 0;
  let high = widths.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((widths[middle]?.score ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return widths[Math.max(low, 1) - 1] ?? { level: LOWEST_LEVEL, score: 0 };
}

/** Multiplies widths, which ascend; of those that then would not, each is as wide as the one before. */
function scaleWidths(widths: readonly Width[], factorOf: (level: number) => number): Width[] {
  let least = 0;
  return widths.map(({ level, score }) => {
    least = Math.max(least, score * factorOf(level));
    return { level, score: least };
  });
}

/** A model of the errors in one kind of row. */
export interface ErrorModel {
  /** Predicts the absolute error. */
  readonly error_forest: Forest;
  /** Added to every predicted error, which would else reach zero. */
  readonly error_floor: number;
  readonly calibration: Calibration;
}

/** A tenth of the mean error, below which the second forest's word is not taken. */
const FLOOR_SHARE = 0.1;

/** Where the model makes no error at all, scores |error| ÷ predicted error must still be finite. */
const MIN_FLOOR = 2 ** -40;

/** In the units of the error. */
export function chooseErrorFloor(meanAbsoluteError: number): number {
  return Math.max(FLOOR_SHARE * meanAbsoluteError, MIN_FLOOR);
}

/**
 * The predicted size of an error: what the forest of errors says, which may go below zero, raised
 * so that it is positive.
 */
export function predictedError(forestSum: number, errorFloor: number): number {
  return Math.max(forestSum, 0) + errorFloor;
}

/** Chooses the width of a row's interval, given its predicted error. */
export type WidthChoice = (error: number) => Width;

/** An error model made ready for answering. */
export class ErrorEstimator {
  /** The model without its trees, which the scorer stores in another form. */
  readonly #base: number;
  readonly #floor: number;
  readonly #calibration: Calibration;
  readonly #scorer: ForestScorer;
  /** For each group the widths at every level. */
  readonly #widths: readonly (readonly Width[])[];

  /** @param memory where its forest is laid out. */
  static *create(model: ErrorModel, memory = scorerMemory()): Steps<ErrorEstimator> {
    return new ErrorEstimator(model, yield* createScorer(model.error_forest.trees, memory));
  }

  private constructor({ error_forest, error_floor, calibration }: ErrorModel, scorer: ForestScorer) {
    this.#base = error_forest.base;
    this.#floor = error_floor;
    this.#calibration = calibration;
    this.#scorer = scorer;
    this.#widths = calibration.scores.map(allWidths);
  }

  /** The bytes of memory that its forest takes. */
  get bytes(): number {
    return this.#scorer.bytes;
  }

  /**
   * Writes the predicted errors of the given rows, each of them once.
   *
   * @param bins as for `JsScorer.addTo`.
   */
  write(errors: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    for (const row of rows) errors[row] = this.#base;
    if (rows.length === stride) this.#scorer.addToAll(errors, bins, stride);
    else this.#scorer.addTo(errors, rows, bins, stride);
    for (const row of rows) errors[row] = predictedError(errors[row] ?? 0, this.#floor);
  }

  /**
   * The width at the highest level that keeps half of an interval within `widest`.
   *
   * @param factorOf by what the widths of a level are multiplied.
   */
  widthsWithin(widest: number, factorOf?: (level: number) => number): WidthChoice {
    const { upper_bounds } = this.#calibration;
    const widths = factorOf ? this.#widths.map((ofGroup) => scaleWidths(ofGroup, factorOf)) : this.#widths;
    return (error) => highestWithin(widths[findGroup(upper_bounds, error)] ?? [], widest / error);
  }

  /**
   * @param factorOf as for `widthsWithin`.
   * @throws {RangeError} if the level is not within 0.01 to 0.99.
   */
  widthsAt(level: number, factorOf: (level: number) => number = () => 1): WidthChoice {
    requireLevel(level);
    const { upper_bounds, scores } = this.#calibration;
    const widths = scores.map((ofGroup) => {
      const width = widthAt(ofGroup, level);
      return { ...width, score: width.score * factorOf(width.level) };
    });
    return (error) => widths[findGroup(upper_bounds, error)] ?? { level: LOWEST_LEVEL, score: 0 };
  }
}
