import { calibrate, groupOf, widthAt } from './calibration.js';
import { average, rootMeanSquare, standardDeviation } from './statistics.js';

/** What a model does on rows that it was not trained on; errors in units of the target. */
export interface ModelMetrics {
  /** 1 − squared error ÷ squared deviation from the held-out mean; 0 if nothing deviates. */
  r2: number;
  rmse: number;
  mae: number;
  /** The errors of always answering the mean of the training rows. */
  baseline_rmse: number;
  baseline_mae: number;
  /** The level at which coverage was counted: 0.9. */
  interval_level: number;
  /** The share of held-out rows whose target lies within their interval at that level. */
  interval_coverage: number;
  held_out_rows: number;
}

/** Held-out rows in random order: targets, predictions and predicted errors, in one unit. */
export interface HeldOut {
  targets: Float64Array;
  predictions: Float64Array;
  predictedErrors: Float64Array;
}

const COVERAGE_LEVEL = 0.9;

/** @param toUnits turns a length into units of the target. */
export function measure(
  heldOut: HeldOut,
  trainingMean: number,
  toUnits: (length: number) => number,
): ModelMetrics {
  const { targets, predictions } = heldOut;
  const errors = targets.map((target, row) => target - (predictions[row] ?? 0));
  const fromBaseline = targets.map((target) => target - trainingMean);
  const scatter = standardDeviation(targets);
  return {
    r2: scatter > 0 ? 1 - (rootMeanSquare(errors) / scatter) ** 2 : 0,
    rmse: toUnits(rootMeanSquare(errors)),
    mae: toUnits(average(errors.map(Math.abs))),
    baseline_rmse: toUnits(rootMeanSquare(fromBaseline)),
    baseline_mae: toUnits(average(fromBaseline.map(Math.abs))),
    interval_level: COVERAGE_LEVEL,
    interval_coverage: countCoverage(heldOut.predictedErrors, errors.map(Math.abs)),
    held_out_rows: targets.length,
  };
}

/**
 * Rows that calibrated an interval cannot judge it. So each half of the rows is judged by
 * intervals calibrated on the other.
 */
function countCoverage(predictedErrors: Float64Array, absoluteErrors: Float64Array): number {
  const count = predictedErrors.length;
  const middle = count >> 1;
  let covered = 0;
  for (const [start, end] of [
    [0, middle],
    [middle, count],
  ] as const) {
    const isOther = (_value: number, row: number) => row < start || row >= end;
    const other = calibrate(predictedErrors.filter(isOther), absoluteErrors.filter(isOther));
    for (let row = start; row < end; row++) {
      const predicted = predictedErrors[row] ?? 0;
      const scores = other.scores[groupOf(other.upper_bounds, predicted)] ?? [];
      const reach = widthAt(scores, COVERAGE_LEVEL).score * predicted;
      if ((absoluteErrors[row] ?? 0) <= reach) covered++;
    }
  }
  return covered / count;
}
