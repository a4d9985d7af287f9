import type { Scores } from '../../trees/forest/tree.js';
import { calibrateSets, markRareClasses, type SetCalibration } from './prediction-sets.js';
import { logLoss, ProbabilityEstimator, type ScoreCalibration } from './probabilities.js';

/** Enough to fit a few numbers; more rows take time and gain nothing. */
const MAX_VALUES = 1_000_000;

const STEPS = 20;
const MIN_SCALE = 0.05;
const MAX_SCALE = 20;

/** Weighs as one more row that has the shares of all: a rule for counts that are zero (Jeffreys 1946 takes less). */
const SHARE_ROWS = 1;

/** Scores of rows that forests were not trained on, and the classes that the rows are of. */
export interface ScoredRows {
  scores: Scores;
  /** The rows that count, in random order, or in that of time. */
  rows: Uint32Array;
  /** By row of the scores. */
  labels: Uint16Array;
  classCount: number;
  /** True if the rows are in the order of time. */
  isInOrder: boolean;
}

/** The calibration of scores to probabilities and sets. */
export interface ClassCalibration {
  probabilities: ScoreCalibration;
  sets: SetCalibration;
}

/**
 * Calibrates probabilities, and then sets of classes by these, on rows that forests were not trained on.
 *
 * @param isRare see `calibrateSets`; if left out, as these rows say.
 */
export function calibrateClasses(
  rows: ScoredRows,
  isRare: readonly boolean[] = markRareClasses(pickLabels(rows), rows.classCount),
): ClassCalibration {
  const probabilities = calibrateScores(rows);
  const ofRows = new ProbabilityEstimator(probabilities).ofRows(rows.scores, rows.rows);
  return { probabilities, sets: calibrateSets(ofRows, pickLabels(rows), isRare) };
}

/** The calibrations to choose from, simplest first: none, the scale, the scale and the shifts. */
const FAMILIES = ['none', 'scale', 'scale and shifts'] as const;
type Family = (typeof FAMILIES)[number];

/**
 * Fits the calibration of scores: temperature scaling (Guo et al. 2017), or that with a shift for each class
 * (Alexandari et al. 2020). Which of them, or none, is decided by the log loss of each half of the rows when
 * the other half calibrates it.
 */
function calibrateScores(rows: ScoredRows): ScoreCalibration {
  const some = takeSome(rows);
  const middle = some.rows.length >> 1;
  const halves = [some.rows.subarray(0, middle), some.rows.subarray(middle)];
  let best: Family = 'none';
  let least = Number.POSITIVE_INFINITY;
  for (const family of FAMILIES) {
    let loss = 0;
    for (const [index, half] of halves.entries()) {
      const others = halves[1 - index] ?? half;
      const estimator = new ProbabilityEstimator(fit(family, { ...some, rows: others }));
      const labels = pickLabels({ ...some, rows: half });
      loss += logLoss(estimator.ofRows(some.scores, half), labels, some.classCount);
    }
    if (loss >= least) continue;
    best = family;
    least = loss;
  }
  return fit(best, some);
}

/** The classes of the rows that count, in their order. */
export function pickLabels({ rows, labels }: Pick<ScoredRows, 'rows' | 'labels'>): Uint16Array {
  return Uint16Array.from(rows, (row) => labels[row] ?? 0);
}

function takeSome(rows: ScoredRows): ScoredRows {
  const most = Math.floor(MAX_VALUES / rows.classCount);
  return rows.rows.length <= most ? rows : { ...rows, rows: rows.rows.subarray(0, most) };
}

/** Minimises the log loss, which is convex: a Newton step for the scale, then one for each shift, and again. */
function fit(family: Family, { scores, rows, labels, classCount }: ScoredRows): ScoreCalibration {
  const counts = new Float64Array(classCount);
  for (const row of rows) counts[labels[row] ?? 0] = (counts[labels[row] ?? 0] ?? 0) + 1;
  const total = rows.length + classCount / 2;
  const shares = Array.from(counts, (count) => (count + 0.5) / total);
  const calibration: ScoreCalibration = {
    scale: 1,
    shifts: Array.from(shares, () => 0),
    shares,
    share_weight: SHARE_ROWS / (rows.length + SHARE_ROWS),
  };
  if (family === 'none') return calibration;
  const ofRow = new Float64Array(classCount);
  const stride = scores.stride;
  const scoreOf = (index: number, row: number) =>
    classCount === 2 ? (index === 0 ? 0 : (scores.values[row] ?? 0)) : (scores.values[index * stride + row] ?? 0);
  for (let step = 0; step < STEPS; step++) {
    const estimator = new ProbabilityEstimator({ ...calibration, share_weight: 0 });
    const expected = new Float64Array(classCount);
    let slope = 0;
    let curvature = 0;
    for (const row of rows) {
      estimator.write(ofRow, 0, scores, row);
      let mean = 0;
      let square = 0;
      for (let index = 0; index < classCount; index++) {
        const probability = ofRow[index] ?? 0;
        const score = scoreOf(index, row);
        mean += probability * score;
        square += probability * score * score;
        expected[index] = (expected[index] ?? 0) + probability;
      }
      slope += mean - scoreOf(labels[row] ?? 0, row);
      curvature += Math.max(square - mean * mean, 0);
    }
    const before = calibration.scale;
    // A scale of many times 1 would be certain of what few rows say: it is held near 1 by a few rows' weight.
    const next = before - (slope + (before - 1)) / (curvature + 1);
    calibration.scale = Math.min(Math.max(next, before / 2, MIN_SCALE), before * 2, MAX_SCALE);
    let moved = Math.abs(calibration.scale / before - 1);
    if (family === 'scale and shifts') {
      for (let index = 0; index < classCount; index++) {
        // Half a row more of each: a class that no row is of keeps a finite shift.
        const move = 0.5 * Math.log(((counts[index] ?? 0) + 0.5) / ((expected[index] ?? 0) + 0.5));
        calibration.shifts[index] = (calibration.shifts[index] ?? 0) + move;
        moved = Math.max(moved, Math.abs(move));
      }
    }
    if (moved < 1e-5) break;
  }
  return calibration;
}
