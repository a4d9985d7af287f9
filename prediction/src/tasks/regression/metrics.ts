import { rateConfidence } from '../../intervals/reliability.js';
import { average, groupByValue, rootMeanSquare, standardDeviation } from '../../intervals/statistics.js';
import {
  findUnit,
  fromStandard,
  lengthFromStandard,
  type TargetScale,
  toFinite,
} from '../../intervals/target-range.js';
import { COLUMNS_SAY_LITTLE, isBetter, percent, shortNumber } from '../../model/summary.js';
import type { NumberReading } from '../../table/reading/column-reading.js';
import type { RegressionMetrics } from './model.js';

const MAX_GROUPS = 20;

/** A group of fewer rows would show what single rows hold. */
const MIN_ROWS_IN_GROUP = 10;

/** Bins of residuals are this much of their root mean square wide, and reach this many times as far. */
const BIN_WIDTH = 0.25;
const BINS_EACH_WAY = 10;

/** Rows in random order, or that of time, each kept from what speaks of it: in one unit. */
export interface Judged {
  targets: Float64Array;
  predictions: Float64Array;
  predictedErrors: Float64Array;
  /** As `reachTo`. */
  reaches: Float64Array;
}

/** The facts of a target that rows are judged beside. */
export interface Beside {
  /** The mean of rows that were learnt from. */
  readonly mean: number;
  /** The standard deviation of the target. */
  readonly deviation: number;
  readonly scale: TargetScale;
  /** True if the rows follow each other in time. */
  readonly isInOrder: boolean;
}

/** Measures a regressor by rows that it was not trained on. */
export function measure(
  { targets, predictions, predictedErrors, reaches }: Judged,
  { mean: trainingMean, deviation, scale, isInOrder }: Beside,
): RegressionMetrics {
  const toUnits = (length: number) => lengthFromStandard(scale, length);
  const errors = targets.map((target, row) => target - (predictions[row] ?? 0));
  const fromBaseline = targets.map((target) => target - trainingMean);
  const scatter = standardDeviation(targets);
  return {
    r2: scatter > 0 ? 1 - (rootMeanSquare(errors) / scatter) ** 2 : 0,
    rmse: toUnits(rootMeanSquare(errors)),
    mae: toUnits(average(errors.map(Math.abs))),
    baseline_rmse: toUnits(rootMeanSquare(fromBaseline)),
    baseline_mae: toUnits(average(fromBaseline.map(Math.abs))),
    ...rateConfidence(predictedErrors, reaches, deviation, isInOrder),
    predicted_actual: groupByPrediction(predictions, targets, scale),
    residuals: binResiduals(errors, toUnits),
    held_out_rows: targets.length,
  };
}

/** Groups rows by ascending predicted value, as a plot of predicted against actual values needs them. */
function groupByPrediction(
  predictions: Float64Array,
  targets: Float64Array,
  scale: TargetScale,
): RegressionMetrics['predicted_actual'] {
  return groupByValue(predictions, MAX_GROUPS, MIN_ROWS_IN_GROUP).map((rows) => {
    const ofGroup = (values: Float64Array) => Float64Array.from(rows, (row) => fromStandard(scale, values[row] ?? 0));
    const actual = ofGroup(targets);
    return {
      predicted: computeInUnit(ofGroup(predictions), average),
      actual: computeInUnit(actual, average),
      deviation: computeInUnit(actual, standardDeviation),
      rows: rows.length,
    };
  });
}

/** Computes with values of any size as with those around 1: their sum, or their squares, may be beyond all doubles. */
function computeInUnit(values: Float64Array, compute: (values: Float64Array) => number): number {
  const unit = findUnit(values);
  return toFinite(unit * compute(values.map((value) => value / unit)));
}

/**
 * Counts residuals in bins of equal width, from −2.5 to 2.5 times their root mean square, and beyond. Where all
 * are 0, there is one bin.
 */
function binResiduals(residuals: Float64Array, toUnits: (length: number) => number): RegressionMetrics['residuals'] {
  const width = BIN_WIDTH * rootMeanSquare(residuals);
  if (!(width > 0)) return [{ from: null, to: null, rows: residuals.length }];
  const bins = Array.from({ length: 2 * BINS_EACH_WAY + 2 }, (_, index) => {
    const edge = (place: number) => toUnits(width * (place - BINS_EACH_WAY));
    return { from: index === 0 ? null : edge(index - 1), to: index > 2 * BINS_EACH_WAY ? null : edge(index), rows: 0 };
  });
  for (const residual of residuals) {
    const place = Math.floor(residual / width) + BINS_EACH_WAY + 1;
    const bin = bins[Math.min(Math.max(place, 0), bins.length - 1)];
    if (bin) bin.rows++;
  }
  return bins;
}

/**
 * Returns whether a regressor is better than always answering the mean.
 * @param rows that measured it, in words
 */
export function describeRegression(
  { mae, rmse, r2, baseline_mae, baseline_rmse }: RegressionMetrics,
  rows: string,
  reading: NumberReading | null,
): string {
  const unit = reading?.unit ? ` ${reading.unit}` : '';
  const errors = `its predictions are off by ${shortNumber(mae)}${unit} on average, the mean is by ${shortNumber(baseline_mae)}${unit}`;
  if (!isBetter(rmse, baseline_rmse)) {
    return `No better than always answering the mean: ${rows}, ${errors}. ${COLUMNS_SAY_LITTLE}`;
  }
  return `Better than always answering the mean: ${rows}, ${errors}. It explains ${percent(r2)} of the variance.`;
}
