import {
  type AdaptedCalibration,
  chooseShifts,
  findIntervalNeeds,
  findSetNeeds,
  moveShifts,
  shiftAt,
  startShifts,
} from '../calibration/adapting.js';
import { moveRecalibration, recalibrate, startRecalibration, undoRecalibration } from '../calibration/recalibration.js';
import { type ClassSets, isKept, type Promises } from '../promises/promise-batch.js';
import { type PromiseSubject, UNKNOWN_CLASS } from '../promises/subject.js';
import { type AlarmState, bet, type Outcome, startAlarm } from './alarm.js';

/** The outcome of the promises of a version so far, as JSON of at most 10 kB with 100 classes. */
export interface RunningRecord {
  /** The promises whose truth has come, and those of them that were kept. */
  readonly truths: number;
  readonly kept: number;
  /** The sum of the confidences of the promises whose truth has come. */
  readonly confidence: number;
  /** The sum of the absolute errors, or the number of wrong classes. */
  readonly error: number;
  readonly alarm: AlarmState;
  /** The calibration that is learnt from truths, whether or not it answers; null where nothing adapts. */
  readonly adapted: AdaptedCalibration | null;
}

/** The facts that are known of a version that promises. */
type Subject = Pick<PromiseSubject, 'classes' | 'calibration' | 'calibrated_rows'>;

export function startRecord({ classes, calibration }: Subject): RunningRecord {
  const isOfClasses = classes.length > 0;
  return {
    truths: 0,
    kept: 0,
    confidence: 0,
    error: 0,
    alarm: startAlarm(isOfClasses ? 2 : 1),
    adapted: calibration && {
      shifts: startShifts(),
      probabilities: isOfClasses ? startRecalibration(classes.length) : null,
      ...('log_widths_by_step' in calibration && { steps: calibration.log_widths_by_step.map(startShifts) }),
    },
  };
}

/** A promise whose truth has come. */
export interface MetPromise {
  /** The batch, and the place of the row in it. */
  readonly batch: Promises;
  readonly row: number;
  /** True if the truth is in the interval, or the set of classes. */
  readonly isKept: boolean;
  /**
   * False for the earlier forecasts of a moment that was forecast several times. Their effect depends on the
   * truths that have come since they were made, so that nothing is bet on them.
   */
  readonly isLatest: boolean;
}

/**
 * Adds a new truth to a record. Truths are added once, in the order in which they come.
 *
 * @param truth a number, or the index of a class: `UNKNOWN_CLASS` for one that the version does not have.
 */
export function addTruth(
  record: RunningRecord,
  subject: Subject,
  { batch, row, isKept, isLatest }: MetPromise,
  truth: number,
): RunningRecord {
  const confidence = batch.level(row);
  const { promised } = batch;
  const outcomes: Outcome[] = [{ confidence, isKept }];
  if (promised.kind === 'classes') {
    const likeliest = promised.likeliest[row] ?? 0;
    const stated = readProbability(promised, row, likeliest);
    outcomes.push({ confidence: stated, isKept: likeliest === truth });
  }
  const lenient = outcomes.map((outcome) => {
    return { ...outcome, confidence: relax(outcome.confidence, subject.calibrated_rows) };
  });
  return {
    truths: record.truths + 1,
    kept: record.kept + Number(isKept),
    confidence: record.confidence + confidence,
    error: record.error + measureError(batch, row, truth),
    alarm: isLatest ? bet(record.alarm, lenient) : record.alarm,
    adapted: record.adapted && adapt(record.adapted, subject, batch, row, truth),
  };
}

/**
 * Counts the truth of a promise as another in the totals. The alarm and the calibration stay: their state depends on the
 * order of all truths since.
 *
 * @param earlier the truth that was added, or that an earlier correction put in its place
 */
export function correctTruth(
  record: RunningRecord,
  { batch, row }: Pick<MetPromise, 'batch' | 'row'>,
  earlier: number,
  truth: number,
): RunningRecord {
  const kept = record.kept + Number(isKept(batch, row, truth)) - Number(isKept(batch, row, earlier));
  const error = record.error + measureError(batch, row, truth) - measureError(batch, row, earlier);
  // Releases up to 0.3.0 left the totals as they were before a correction; sums of errors are rounded, too.
  return { ...record, kept: Math.min(Math.max(kept, 0), record.truths), error: Math.max(error, 0) };
}

/** Returns the absolute error of a number, or 1 for a wrong class. */
export function measureError({ promised }: Promises, row: number, truth: number): number {
  return promised.kind === 'classes'
    ? Number(promised.likeliest[row] !== truth)
    : Math.abs((promised.values[row] ?? 0) - truth);
}

/** By so many standard errors a calibration may be off, before the alarm bets against it. */
const STANDARD_ERRORS = 2;
const MIN_CONFIDENCE = 1e-3;

/**
 * Lowers a confidence by what chance leaves open where it was calibrated on some rows: of 1,000, .9 may be .881. It is
 * the rows of now that the alarm is about.
 */
function relax(confidence: number, rows: number): number {
  const error = Math.sqrt((confidence * (1 - confidence)) / Math.max(rows, 1));
  return Math.max(confidence - STANDARD_ERRORS * error, MIN_CONFIDENCE);
}

function adapt(
  adapted: AdaptedCalibration,
  { calibration }: Subject,
  batch: Promises,
  row: number,
  truth: number,
): AdaptedCalibration {
  const { shifts, probabilities } = adapted;
  const { promised } = batch;
  if (promised.kind === 'interval') {
    // Forecasts have the group of their step as their only column.
    const group = (batch.bins[0]?.[row] ?? 0) - 1;
    if (!calibration || 'thresholds' in calibration) return adapted;
    const logWidths = 'log_widths' in calibration ? calibration.log_widths : calibration.log_widths_by_step[group];
    if (!logWidths) return adapted;
    const confidence = batch.level(row);
    const promise = {
      value: promised.values[row] ?? 0,
      min: promised.lower[row] ?? 0,
      max: promised.upper[row] ?? 0,
      confidence,
      shift: batch.adapted ? shiftAt(chooseShifts(batch.adapted, group), confidence) : 0,
      isWhole: calibration.is_whole,
    };
    const needs = findIntervalNeeds(promise, logWidths, truth);
    if (!adapted.steps) return { ...adapted, shifts: moveShifts(shifts, needs) };
    const steps = adapted.steps.map((own, at) => (at === group ? moveShifts(own, needs) : own));
    return { ...adapted, steps };
  }
  // No set holds a class that the version does not have.
  const isUnknown = truth === UNKNOWN_CLASS || probabilities === null;
  if (isUnknown || !calibration || !('thresholds' in calibration)) return adapted;
  const answered = Array.from({ length: promised.count }, (_, index) => readProbability(promised, row, index));
  const made = batch.adapted?.probabilities;
  const trained = made ? undoRecalibration(made, answered) : answered;
  const stated = recalibrate(probabilities, trained);
  const own = stated[truth] ?? 0;
  const needs = findSetNeeds(calibration.thresholds[truth] ?? [], own, own >= Math.max(...stated));
  return { shifts: moveShifts(shifts, needs), probabilities: moveRecalibration(probabilities, trained, truth) };
}

/** Stored in 65535ths; what is less counts as half of one. */
function readProbability({ probabilities, count }: ClassSets, row: number, index: number): number {
  return Math.max(probabilities[row * count + index] ?? 0, 0.5) / 0xffff;
}
