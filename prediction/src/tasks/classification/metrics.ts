import { average, groupByValue, pick } from '../../intervals/statistics.js';
import { COLUMNS_SAY_LITTLE, isBetter, percent, shortNumber } from '../../model/summary.js';
import { calibrateClasses, pickLabels, type ScoredRows } from './calibration.js';
import type { ClassificationMetrics, ClassificationModel, ClassMetrics } from './model.js';
import { markRareClasses, SetChooser } from './prediction-sets.js';
import { logLoss, mostLikely, ProbabilityEstimator } from './probabilities.js';
import { type Ranking, rankClasses } from './ranking.js';

const LEVEL = 0.9;
const CALIBRATION_BINS = 15;
const RELIABILITY_BINS = 10;
const BINS_OF_CLASS = 5;

/** A group of fewer rows says more about them than about the model. */
const MIN_ROWS_IN_BIN = 10;

/**
 * Measures a classifier. Rows that calibrated a probability cannot judge it, so that each half of the rows is
 * judged by what was calibrated on the other, with the groups of classes that all rows have. If the rows are in order
 * of time, only the later half judges sets.
 *
 * @param rows in random order, or in that of time.
 * @param names of the classes, the commonest first.
 */
export function measureClasses(
  rows: ScoredRows,
  names: readonly string[],
): { metrics: ClassificationMetrics; ranking: Ranking } {
  const count = names.length;
  const middle = rows.rows.length >> 1;
  const halves = [rows.rows.subarray(0, middle), rows.rows.subarray(middle)];
  const total = rows.rows.length;
  const probabilities = new Float64Array(total * count);
  const labels = pickLabels(rows);
  const isRare = markRareClasses(labels, count);
  const predicted = new Uint16Array(total);
  const setSizes = new Uint16Array(total);
  const isCovered = new Uint8Array(total);
  const shares = new Float64Array(total * count);
  for (const [index, half] of halves.entries()) {
    const others = { ...rows, rows: halves[1 - index] ?? half };
    const { probabilities: calibration, sets } = calibrateClasses(others, isRare);
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
  const firstInSets = rows.isInOrder ? middle : 0;
  const isRight = Float64Array.from(labels, (label, row) => (label === predicted[row] ? 1 : 0));
  const confidences = isRight.map((_, row) => probabilities[row * count + (predicted[row] ?? 0)] ?? 0);
  const by_class = names.map((name, index): ClassMetrics => {
    const own = [...labels.keys()].filter((row) => labels[row] === index);
    const inSets = own.filter((row) => row >= firstInSets);
    const answered = confusion.reduce((sum, ofLabel) => sum + (ofLabel[index] ?? 0), 0);
    const hits = confusion[index]?.[index] ?? 0;
    return {
      class: name,
      rows: own.length,
      recall: own.length > 0 ? hits / own.length : null,
      precision: answered > 0 ? hits / answered : null,
      set_coverage: inSets.length > 0 ? averageRows(inSets, isCovered) : null,
      set_size: inSets.length > 0 ? averageRows(inSets, setSizes) : null,
      reliability: groupRows(
        Float64Array.from(labels, (_, row) => probabilities[row * count + index] ?? 0),
        Float64Array.from(labels, (label) => (label === index ? 1 : 0)),
        BINS_OF_CLASS,
      ),
    };
  });
  const recalls = by_class.flatMap(({ recall }) => (recall === null ? [] : [recall]));
  const judgedSets = [...labels.keys()].slice(firstInSets);
  const bins = groupRows(confidences, isRight, CALIBRATION_BINS);
  const metrics: ClassificationMetrics = {
    log_loss: logLoss(probabilities, labels, count),
    baseline_log_loss: logLoss(shares, labels, count),
    accuracy: isRight.reduce((sum, right) => sum + right, 0) / total,
    baseline_accuracy: (by_class[0]?.rows ?? 0) / total,
    balanced_accuracy: recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length,
    brier_score: brierScore(probabilities, labels, count),
    calibration_error:
      bins.reduce((sum, { nominal, observed, rows }) => sum + rows * Math.abs(nominal - observed), 0) / total,
    reliability: groupRows(confidences, isRight, RELIABILITY_BINS),
    confusion,
    set_level: LEVEL,
    set_coverage: averageRows(judgedSets, isCovered),
    set_size: averageRows(judgedSets, setSizes),
    by_class,
    held_out_rows: total,
  };
  return { metrics, ranking: rankClasses(probabilities, labels, count) };
}

function averageRows(rows: readonly number[], values: Uint8Array | Uint16Array): number {
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

/** Groups rows by ascending probability. */
function groupRows(
  probabilities: Float64Array,
  isSo: Float64Array,
  maxGroups: number,
): ClassificationMetrics['reliability'] {
  return groupByValue(probabilities, maxGroups, MIN_ROWS_IN_BIN).map((rows) => ({
    nominal: average(pick(probabilities, rows)),
    observed: average(pick(isSo, rows)),
    rows: rows.length,
  }));
}

/**
 * Returns whether a classifier is better than always answering the commonest class.
 * @param rows that measured it, in words
 */
export function describeClassification({ metrics, ranking, classes }: ClassificationModel, rows: string): string {
  const { log_loss, baseline_log_loss, accuracy, baseline_accuracy } = metrics;
  const commonest = JSON.stringify(classes[0]?.name ?? '');
  const shares = `it is right in ${percent(accuracy)}, ${commonest} in ${percent(baseline_accuracy)}`;
  const losses = `Its log loss is ${shortNumber(log_loss)}, that of the classes’ shares ${shortNumber(baseline_log_loss)}.`;
  const area = ranking === null || ranking.auc === null ? '' : ` Its AUC is ${shortNumber(ranking.auc)}.`;
  const figures = `${rows}, ${shares}.${describeRarer(metrics)} ${losses}${area}`;
  if (!isBetter(log_loss, baseline_log_loss)) {
    return `No better than always answering the commonest class: ${figures} ${COLUMNS_SAY_LITTLE}`;
  }
  // Where one class is by far the commonest, probabilities may tell much although answers are the same.
  if (accuracy <= baseline_accuracy) {
    return `Better probabilities than the classes’ shares, but no more right answers than always the commonest class: ${figures}`;
  }
  return `Better than always answering the commonest class: ${figures}`;
}

/** Says how many rows of the rarer of two classes are found: it is most often the one that people look for. */
function describeRarer({ by_class, confusion }: ClassificationMetrics): string {
  const rarer = by_class[1];
  if (by_class.length !== 2 || rarer === undefined) return '';
  const count = (rows = 0) => rows.toLocaleString('en');
  return ` It finds ${count(confusion[1]?.[1])} of ${count(rarer.rows)} rows of ${JSON.stringify(rarer.class)}, with ${count(confusion[0]?.[1])} false alarms.`;
}
