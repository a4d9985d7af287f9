import { labelsOf, type ScoredRows } from '../classes/calibrate-scores.js';
import { SetChooser } from '../classes/prediction-sets.js';
import { logLoss, mostLikely, ProbabilityEstimator } from '../classes/probabilities.js';
import type { ReliabilityRow } from './reliability.js';

/** The accuracy of a classifier on rows that its forests were not trained on. */
export interface ClassificationMetrics {
  /** The mean negative natural logarithm of the probability that rows give to their class. */
  log_loss: number;
  /** The same of always answering with the shares of the classes. */
  baseline_log_loss: number;
  /** The share of rows whose most likely class is theirs. */
  accuracy: number;
  /** The same of always answering the commonest class of the table. */
  baseline_accuracy: number;
  /** The mean of the classes' recalls. */
  balanced_accuracy: number;
  /** The mean squared distance of the probabilities from the truth, summed over the classes (Brier 1950). */
  brier_score: number;
  /** The mean distance of confidence from accuracy over 15 groups of as many rows (expected calibration error). */
  calibration_error: number;
  /** Rows by the confidence of their class, ascending, in groups of about as many rows. */
  reliability: ReliabilityRow[];
  /** Rows by their class, and by the class that they are answered with, both in the order of the classes. */
  confusion: number[][];
  /** The confidence at which the sets were measured: 0.9. */
  set_level: number;
  /** The share of rows whose set holds their class. */
  set_coverage: number;
  /** The mean number of classes in a set. */
  set_size: number;
  /** In the order of the classes. */
  by_class: ClassMetrics[];
  held_out_rows: number;
}

/** The accuracy of a classifier on the rows of one class. */
export interface ClassMetrics {
  class: string;
  rows: number;
  /** The share of the class's rows that are answered with it; null without such rows. */
  recall: number | null;
  /** The share of the rows answered with the class that are of it; null if none are. */
  precision: number | null;
  set_coverage: number | null;
  set_size: number | null;
  /** All rows by the probability of this class, ascending. */
  reliability: ReliabilityRow[];
}

const LEVEL = 0.9;
const CALIBRATION_BINS = 15;
const RELIABILITY_BINS = 10;
const BINS_OF_CLASS = 5;

/** A group of fewer rows says more about them than about the model. */
const MIN_ROWS_IN_BIN = 10;

/** Calibrates probabilities and sets on some rows. */
type Calibrate = (rows: ScoredRows) => {
  probabilities: ConstructorParameters<typeof ProbabilityEstimator>[0];
  sets: ConstructorParameters<typeof SetChooser>[0];
};

/**
 * Measures a classifier. Rows that calibrated a probability cannot judge it, so that each half of the rows is
 * judged by what was calibrated on the other.
 *
 * @param rows in random order.
 * @param names of the classes, the commonest first.
 */
export function measureClasses(
  rows: ScoredRows,
  names: readonly string[],
  calibrate: Calibrate,
): ClassificationMetrics {
  const count = names.length;
  const middle = rows.rows.length >> 1;
  const halves = [rows.rows.subarray(0, middle), rows.rows.subarray(middle)];
  const total = rows.rows.length;
  const probabilities = new Float64Array(total * count);
  const labels = labelsOf(rows);
  const predicted = new Uint16Array(total);
  const setSizes = new Uint16Array(total);
  const isCovered = new Uint8Array(total);
  const shares = new Float64Array(total * count);
  for (const [index, half] of halves.entries()) {
    const others = { ...rows, rows: halves[1 - index] ?? half };
    const { probabilities: calibration, sets } = calibrate(others);
    const ofHalf = new ProbabilityEstimator(calibration).ofRows(rows.scores, half);
    const chooser = new SetChooser(sets, LEVEL);
    const first = index * middle;
    probabilities.set(ofHalf, first * count);
    for (let row = 0; row < half.length; row++) {
      shares.set(calibration.shares, (first + row) * count);
      const best = mostLikely(ofHalf, row * count, count);
      predicted[first + row] = best;
      for (let each = 0; each < count; each++) {
        if (!chooser.holds(ofHalf[row * count + each] ?? 0, each, best)) continue;
        setSizes[first + row] = (setSizes[first + row] ?? 0) + 1;
        if (labels[first + row] === each) isCovered[first + row] = 1;
      }
    }
  }
  const confusion = names.map(() => names.map(() => 0));
  for (const [row, label] of labels.entries()) {
    const ofLabel = confusion[label];
    const answer = predicted[row] ?? 0;
    if (ofLabel) ofLabel[answer] = (ofLabel[answer] ?? 0) + 1;
  }
  const isRight = Float64Array.from(labels, (label, row) => (label === predicted[row] ? 1 : 0));
  const confidences = isRight.map(
    (_, row) => probabilities[row * count + (predicted[row] ?? 0)] ?? 0,
  );
  const by_class = names.map((name, index): ClassMetrics => {
    const own = [...labels.keys()].filter((row) => labels[row] === index);
    const answered = confusion.reduce((sum, ofLabel) => sum + (ofLabel[index] ?? 0), 0);
    const hits = confusion[index]?.[index] ?? 0;
    return {
      class: name,
      rows: own.length,
      recall: own.length > 0 ? hits / own.length : null,
      precision: answered > 0 ? hits / answered : null,
      set_coverage: own.length > 0 ? meanOf(own, isCovered) : null,
      set_size: own.length > 0 ? meanOf(own, setSizes) : null,
      reliability: groupRows(
        Float64Array.from(labels, (_, row) => probabilities[row * count + index] ?? 0),
        Float64Array.from(labels, (label) => (label === index ? 1 : 0)),
        BINS_OF_CLASS,
      ),
    };
  });
  const recalls = by_class.flatMap(({ recall }) => (recall === null ? [] : [recall]));
  const everyRow = [...labels.keys()];
  const bins = groupRows(confidences, isRight, CALIBRATION_BINS);
  return {
    log_loss: logLoss(probabilities, labels, count),
    baseline_log_loss: logLoss(shares, labels, count),
    accuracy: isRight.reduce((sum, right) => sum + right, 0) / total,
    baseline_accuracy: (by_class[0]?.rows ?? 0) / total,
    balanced_accuracy: recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length,
    brier_score: brierScore(probabilities, labels, count),
    calibration_error:
      bins.reduce(
        (sum, { nominal, observed, rows }) => sum + rows * Math.abs(nominal - observed),
        0,
      ) / total,
    reliability: groupRows(confidences, isRight, RELIABILITY_BINS),
    confusion,
    set_level: LEVEL,
    set_coverage: meanOf(everyRow, isCovered),
    set_size: meanOf(everyRow, setSizes),
    by_class,
    held_out_rows: total,
  };
}

function meanOf(rows: readonly number[], values: Uint8Array | Uint16Array): number {
  return rows.reduce((sum, row) => sum + (values[row] ?? 0), 0) / rows.length;
}

function brierScore(probabilities: Float64Array, labels: Uint16Array, count: number): number {
  let sum = 0;
  for (const [row, label] of labels.entries()) {
    for (let index = 0; index < count; index++) {
      const truth = index === label ? 1 : 0;
      sum += ((probabilities[row * count + index] ?? 0) - truth) ** 2;
    }
  }
  return sum / labels.length;
}

/** Rows in groups of about as many, by ascending probability; equal probabilities may be parted. */
function groupRows(
  probabilities: Float64Array,
  isSo: Float64Array,
  most: number,
): ReliabilityRow[] {
  const order = Uint32Array.from(probabilities, (_, row) => row).sort(
    (one, other) => (probabilities[one] ?? 0) - (probabilities[other] ?? 0) || one - other,
  );
  const count = Math.max(1, Math.min(most, Math.floor(order.length / MIN_ROWS_IN_BIN)));
  return Array.from({ length: count }, (_, group) => {
    const begin = Math.floor((group * order.length) / count);
    const rows = order.subarray(begin, Math.floor(((group + 1) * order.length) / count));
    let nominal = 0;
    let observed = 0;
    for (const row of rows) {
      nominal += probabilities[row] ?? 0;
      observed += isSo[row] ?? 0;
    }
    return { nominal: nominal / rows.length, observed: observed / rows.length, rows: rows.length };
  });
}
