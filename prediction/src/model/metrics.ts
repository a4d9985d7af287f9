import { lengthFromStandard, type TargetScale } from '../intervals/target-range.js';
import { average, rootMeanSquare, standardDeviation } from '../intervals/statistics.js';
import {
  binResiduals,
  groupByPrediction,
  type PredictedActual,
  type ResidualBin,
} from './error-plots.js';
import { type Reliability, rateConfidence } from './reliability.js';

/** The accuracy of a regressor on rows that it was not trained on; errors are in units of the target. */
export interface RegressionMetrics extends Reliability {
  /** 1 − squared error ÷ squared deviation from the held-out mean; 0 if nothing deviates. */
  r2: number;
  rmse: number;
  mae: number;
  /** The errors of always answering the mean of the training rows. */
  baseline_rmse: number;
  baseline_mae: number;
  /** Rows by their predicted value, ascending, in groups of about as many. */
  predicted_actual: PredictedActual[];
  /** Rows by actual value − predicted value, ascending. */
  residuals: ResidualBin[];
  /** The rows that all of this was counted on. */
  held_out_rows: number;
}

/** Rows in random order, each kept from what speaks of it: in one unit. */
export interface Judged {
  targets: Float64Array;
  predictions: Float64Array;
  predictedErrors: Float64Array;
  /** As `reachTo`. */
  reaches: Float64Array;
}

/**
 * @param deviation the standard deviation of the target.
 */
export function measure(
  { targets, predictions, predictedErrors, reaches }: Judged,
  trainingMean: number,
  deviation: number,
  scale: TargetScale,
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
    ...rateConfidence(predictedErrors, reaches, deviation),
    predicted_actual: groupByPrediction(predictions, targets, scale),
    residuals: binResiduals(errors, toUnits),
    held_out_rows: targets.length,
  };
}
