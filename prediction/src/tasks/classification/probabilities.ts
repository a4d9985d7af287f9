import type { Scores } from '../../trees/forest/tree.js';

/**
 * The calibration of scores to probabilities: the softmax of scale × score + shift, mixed with the shares of the classes.
 * With two classes, the score of the first is 0.
 */
export interface ScoreCalibration {
  scale: number;
  /** For each class. */
  shifts: number[];
  /** The share of each class, and the weight with which it is mixed in. It keeps probabilities above 0. */
  shares: number[];
  share_weight: number;
}

/** Turns the scores of rows into probabilities of classes. */
export class ProbabilityEstimator {
  readonly classCount: number;
  readonly #scale: number;
  readonly #shifts: Float64Array;
  /** For each class what is added of its share. */
  readonly #mixed: Float64Array;
  readonly #kept: number;

  constructor({ scale, shifts, shares, share_weight }: ScoreCalibration) {
    this.classCount = shifts.length;
    this.#scale = scale;
    this.#shifts = Float64Array.from(shifts);
    this.#mixed = Float64Array.from(shares, (share) => share_weight * share);
    this.#kept = 1 - share_weight;
  }

  /** Writes the probabilities of one row to `target`, from `at` on: one for each class. */
  write(target: Float64Array, at: number, { values, stride }: Scores, row: number): void {
    const count = this.classCount;
    const scale = this.#scale;
    const shifts = this.#shifts;
    let most = Number.NEGATIVE_INFINITY;
    if (count === 2) {
      target[at] = shifts[0] ?? 0;
      target[at + 1] = scale * (values[row] ?? 0) + (shifts[1] ?? 0);
      most = Math.max(target[at] ?? 0, target[at + 1] ?? 0);
    } else {
      for (let index = 0, from = row; index < count; index++, from += stride) {
        const score = scale * (values[from] ?? 0) + (shifts[index] ?? 0);
        target[at + index] = score;
        if (score > most) most = score;
      }
    }
    let sum = 0;
    for (let index = at; index < at + count; index++) {
      const power = Math.exp((target[index] ?? 0) - most);
      target[index] = power;
      sum += power;
    }
    const factor = this.#kept / sum;
    for (let index = 0; index < count; index++) {
      target[at + index] = factor * (target[at + index] ?? 0) + (this.#mixed[index] ?? 0);
    }
  }

  /** Returns the forest whose score of a row decides on a class. */
  forestOf(ofClass: number): number {
    return this.classCount === 2 ? 0 : ofClass;
  }

  /** Returns by what the score of a class changes with that of its forest. */
  slope(ofClass: number): number {
    return this.classCount === 2 && ofClass === 0 ? -this.#scale : this.#scale;
  }

  /**
   * Returns the score of a class: of two classes, its log-odds; of more, the logarithm of its probability plus a term
   * that all classes of the row share. The shares that are mixed in come after.
   *
   * @param score that its forest gives.
   */
  score(ofClass: number, score: number): number {
    const shift = this.#shifts[ofClass] ?? 0;
    const other = this.classCount === 2 ? (this.#shifts[1 - ofClass] ?? 0) : 0;
    return this.slope(ofClass) * score + shift - other;
  }

  /** Returns the probabilities of some rows, row by row. */
  ofRows(scores: Scores, rows: Uint32Array): Float64Array {
    const probabilities = new Float64Array(rows.length * this.classCount);
    for (const [index, row] of rows.entries()) {
      this.write(probabilities, index * this.classCount, scores, row);
    }
    return probabilities;
  }
}

/** Answers state probabilities in millionths: those below count as one. */
const LEAST = 1e-6;

/** Returns the log loss of a row whose class got a probability. */
export function measureLoss(probability: number): number {
  return -Math.log(Math.max(probability, LEAST));
}

/** Returns the mean negative log of the probabilities that rows give to their classes. */
export function logLoss(probabilities: Float64Array, labels: Uint16Array, classCount: number): number {
  let sum = 0;
  for (const [row, label] of labels.entries()) {
    sum -= Math.log(Math.max(probabilities[row * classCount + label] ?? 0, Number.MIN_VALUE));
  }
  return sum / labels.length;
}

/** Returns the class of the highest probability, the first of those that are equal. */
export function mostLikely(probabilities: Float64Array, at: number, classCount: number): number {
  let best = 0;
  for (let index = 1; index < classCount; index++) {
    if ((probabilities[at + index] ?? 0) > (probabilities[at + best] ?? 0)) best = index;
  }
  return best;
}
