import { SHIFT_LEVELS, shiftThreshold } from '../../calibration/adapting.js';
import { requireLevel } from '../../intervals/conformal.js';

/**
 * Sets of classes that hold the truth with a chosen confidence, calibrated for each class by itself: the least
 * ambiguous set-valued classifier (Sadinle, Lei & Wasserman 2019), which is Mondrian conformal prediction with
 * the classes as categories (Vovk, Gammerman & Shafer 2005). A class is in the set if its probability is at
 * least its threshold.
 */
export interface SetCalibration {
  /** For each class the group whose rows calibrate it. */
  groups: number[];
  /** For each group its thresholds at the confidences 0.01, 0.02 … 0.99: never ascending; 0 takes every row. */
  thresholds: number[][];
}

export const LEVELS = 99;

/** Classes with fewer rows share a group, of as many rows as they have together. */
const MIN_GROUP_ROWS = 50;

/** Returns for each class whether it has too few rows for its own group. */
export function markRareClasses(labels: Uint16Array, classCount: number): boolean[] {
  const counts = new Uint32Array(classCount);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return Array.from(counts, (count) => count < MIN_GROUP_ROWS);
}

/**
 * @param probabilities of rows that forests were not trained on, row by row.
 * @param labels the class of each.
 * @param isRare for each class whether it shares a group with the other rare ones.
 */
export function calibrateSets(
  probabilities: Float64Array,
  labels: Uint16Array,
  isRare: readonly boolean[],
): SetCalibration {
  const ofClass: number[][] = isRare.map(() => []);
  for (const [row, label] of labels.entries()) {
    ofClass[label]?.push(probabilities[row * isRare.length + label] ?? 0);
  }
  const rareScores = ofClass.filter((_, index) => isRare[index]).flat();
  const scoresOfGroups = ofClass.filter((_, index) => !isRare[index]);
  let next = 0;
  const groups = isRare.map((rare) => (rare ? scoresOfGroups.length : next++));
  // However few these are, rows of other classes say nothing about them: their truth is far more probable.
  if (isRare.includes(true)) scoresOfGroups.push(rareScores);
  return { groups, thresholds: scoresOfGroups.map(findThresholds) };
}

/**
 * Among n scores, the k-th smallest with k = ⌊(n + 1)(1 − confidence)⌋ is reached by the truth of a new row with at
 * least that confidence. Too few scores vouch for no threshold: then it is 0.
 */
function findThresholds(scores: readonly number[]): number[] {
  const sorted = Float64Array.from(scores).sort();
  return Array.from({ length: LEVELS }, (_, index) => {
    const rank = Math.floor(((sorted.length + 1) * (LEVELS - index)) / (LEVELS + 1) + 1e-9);
    return rank < 1 ? 0 : roundDown(sorted[rank - 1] ?? 0);
  });
}

/** Few digits take less room; a lower threshold holds no less. */
function roundDown(threshold: number): number {
  return Math.floor(threshold * 1e6) / 1e6;
}

/** Returns for each class, and each of `SHIFT_LEVELS`, the trained threshold of sets. */
export function describeThresholds({ groups, thresholds }: SetCalibration): number[][] {
  return groups.map((group) =>
    SHIFT_LEVELS.map((level) => thresholds[group]?.[Math.ceil(level * (LEVELS + 1) - 1e-9) - 1] ?? 0),
  );
}

/** Sets of classes at one confidence. */
export class SetChooser {
  readonly #thresholds: Float64Array;

  /**
   * @param shift is taken from the log-odds of the thresholds.
   * @throws {RangeError} if the confidence is not within 0.01 to 0.99.
   */
  constructor({ groups, thresholds }: SetCalibration, confidence: number, shift = 0) {
    requireLevel(confidence);
    // Between two hundredths the higher one holds.
    const level = Math.ceil(confidence * (LEVELS + 1) - 1e-9) - 1;
    this.#thresholds = Float64Array.from(groups, (group) => {
      const threshold = thresholds[group]?.[level] ?? 0;
      return shift === 0 ? threshold : shiftThreshold(threshold, shift);
    });
  }

  /** Returns whether a class is in the set; the most likely class always is, so that no set is empty. */
  holds(probability: number, index: number, likeliest: number): boolean {
    return index === likeliest || probability >= (this.#thresholds[index] ?? 0);
  }
}
