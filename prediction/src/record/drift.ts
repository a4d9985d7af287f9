import { ClassObjective } from '../tasks/classification/objective.js';
import { rankClasses } from '../tasks/classification/ranking.js';
import { fitForests } from '../training/fit-forests.js';
import { everyRow, type OutOfFold } from '../training/folds.js';
import { weighColumns } from '../training/importance.js';
import { Progress } from '../training/progress.js';
import { type BinnedFeatures, takeRows } from '../trees/binning/dataset.js';
import type { Scores } from '../trees/forest/tree.js';
import { seededRandom, shuffledRange } from '../trees/random.js';

/** The distance of the rows of now from those of then. */
export interface Drift {
  /** The rows compared, of each time as many. */
  rows: number;
  /**
   * 0 if nothing tells a row of now from one of then, 1 if each can be reported: 2 × area − 1 of a classifier, on rows
   * that it has not seen.
   */
  separation: number;
  /**
   * The share of the rows of now that, at least, must have come in the place of others: by how much more often those
   * of now are taken for it than those of then. 0, if chance explains it.
   */
  moved: number;
  /**
   * The columns that moved, the most first, and the share of the change that each explains; none, if chance explains
   * it.
   */
  columns: { column: number; share: number }[];
}

/** So many rows of a time are enough to see a change of one part in twenty. */
export const MAX_COMPARED = 4000;
/** Fewer cannot be distinguished from chance. */
const MIN_ROWS = 100;
/** The rounds are chosen by the rows that judge them, so that chance has a head start. */
const STANDARD_ERRORS = 4;
const SEED = 1;

/**
 * Trains the project's own trees to tell rows of now from rows of then (a classifier two-sample test: Lopez-Paz &
 * Oquab 2017). A column explains what the classifier loses if its values are shuffled.
 *
 * @param features bins of the rows of both times.
 * @param isNow for each row 1 if it is of now, or 0.
 * @returns null if a time has fewer than 100 rows.
 */
export function findDrift(features: BinnedFeatures, isNow: Uint8Array): Drift | null {
  const random = seededRandom(SEED);
  const order = shuffledRange(features.rowCount, random);
  const [then, now] = [0, 1].map((time) => order.filter((row) => isNow[row] === time));
  const rows = Math.min(then?.length ?? 0, now?.length ?? 0, MAX_COMPARED);
  if (rows < MIN_ROWS || !then || !now) return null;
  const chosen = Uint32Array.of(...then.subarray(0, rows), ...now.subarray(0, rows));
  const sample = takeRows(features, chosen);
  const labels = Uint16Array.from(chosen, (row) => isNow[row] ?? 0);
  const objective = new ClassObjective({ labels, classCount: 2, shares: Float64Array.of(0.5, 0.5) });
  const mixed = shuffledRange(chosen.length, random);
  const split = { method: 'random' as const, order: mixed };
  const fitted = fitForests(sample, objective, split, FAST, new Progress(() => {}));
  const { labels: ofRows, probabilities } = judgeUnseen(fitted.outOfFold);
  const separation = Math.max(0, 2 * (rankClasses(probabilities, ofRows, 2).auc ?? 0.5) - 1);
  if (separation < STANDARD_ERRORS * separationError(rows)) {
    return { rows, separation, moved: 0, columns: [] };
  }
  const judge = (scores: Scores, ofSample: Uint32Array) =>
    fitted.outOfFold.objective.take(ofSample).loss(scores, everyRow(ofSample.length));
  const weights = weighColumns(fitted, judge, random, (loss) => loss);
  const damages = [...weights].map(([column, { permutation }]) => {
    return { column, share: Math.max(0, permutation) };
  });
  const total = damages.reduce((sum, { share }) => sum + share, 0);
  const columns = damages
    .filter(({ share }) => share > 0)
    .map(({ column, share }) => ({ column, share: share / total }))
    .sort((one, other) => other.share - one.share);
  const moved = shareTaken(ofRows, probabilities, 1) - shareTaken(ofRows, probabilities, 0);
  return { rows, separation, moved: Math.max(moved, 0), columns };
}

/** A comparison needs no better trees than those that distinguish times. */
const FAST = { effort: 'fast', isLate: () => false } as const;

/** The standard error of 2 × area − 1 of rows that nothing distinguishes (Mann & Whitney 1947). */
function separationError(rows: number): number {
  return 2 * Math.sqrt((2 * rows + 1) / (12 * rows * rows));
}

/** Returns the classes of rows, and their probabilities by forests that were not trained on them. */
function judgeUnseen({ objective, scores, testRows }: OutOfFold<ClassObjective>) {
  const probabilities = new Float64Array(2 * testRows.length);
  for (const [index, row] of testRows.entries()) {
    const probability = 1 / (1 + Math.exp(-(scores.values[row] ?? 0)));
    probabilities[2 * index] = 1 - probability;
    probabilities[2 * index + 1] = probability;
  }
  return { labels: objective.take(testRows).target.labels, probabilities };
}

/** Returns the share of the rows of a time that are taken for rows of now. */
function shareTaken(labels: Uint16Array, probabilities: Float64Array, time: number): number {
  let [rows, taken] = [0, 0];
  for (const [row, label] of labels.entries()) {
    if (label !== time) continue;
    rows++;
    if ((probabilities[2 * row + 1] ?? 0) > 0.5) taken++;
  }
  return taken / rows;
}
