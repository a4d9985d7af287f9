import { fromStandard, powerOfTwo, type TargetScale, toFinite } from '../intervals/target-range.js';
import { average, rootMeanSquare, standardDeviation } from '../intervals/statistics.js';

/** Rows whose predicted values are close, in units of the target. */
export interface PredictedActual {
  /** Their mean predicted value. */
  predicted: number;
  /** The mean of their actual values, and the standard deviation. */
  actual: number;
  deviation: number;
  rows: number;
}

/** Rows whose residual is at least `from` and below `to`; null where there is no bound. */
export interface ResidualBin {
  from: number | null;
  to: number | null;
  rows: number;
}

const MAX_GROUPS = 20;

/** A group of fewer rows would show what single rows hold. */
const MIN_ROWS_IN_GROUP = 10;

/** Bins of residuals are this much of their root mean square wide, and reach this many times as far. */
const BIN_WIDTH = 0.25;
const BINS_EACH_WAY = 10;

/** Groups rows by ascending predicted value, as a plot of predicted against actual values needs them. */
export function groupByPrediction(
  predictions: Float64Array,
  targets: Float64Array,
  scale: TargetScale,
): PredictedActual[] {
  const order = Uint32Array.from(predictions, (_, row) => row).sort(
    (one, other) => (predictions[one] ?? 0) - (predictions[other] ?? 0) || one - other,
  );
  const count = Math.max(1, Math.min(MAX_GROUPS, Math.floor(order.length / MIN_ROWS_IN_GROUP)));
  return Array.from({ length: count }, (_, group) => {
    const begin = Math.floor((group * order.length) / count);
    const rows = order.subarray(begin, Math.floor(((group + 1) * order.length) / count));
    const ofGroup = (values: Float64Array) =>
      Float64Array.from(rows, (row) => fromStandard(scale, values[row] ?? 0));
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
  const unit = powerOfTwo(values.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
  return toFinite(unit * compute(values.map((value) => value / unit)));
}

/**
 * Counts residuals in bins of equal width, from −2.5 to 2.5 times their root mean square, and beyond. Where all
 * are 0, there is one bin.
 */
export function binResiduals(
  residuals: Float64Array,
  toUnits: (length: number) => number,
): ResidualBin[] {
  const width = BIN_WIDTH * rootMeanSquare(residuals);
  if (!(width > 0)) return [{ from: null, to: null, rows: residuals.length }];
  const bins = Array.from({ length: 2 * BINS_EACH_WAY + 2 }, (_, index): ResidualBin => {
    const edge = (place: number) => toUnits(width * (place - BINS_EACH_WAY));
    return {
      from: index === 0 ? null : edge(index - 1),
      to: index > 2 * BINS_EACH_WAY ? null : edge(index),
      rows: 0,
    };
  });
  for (const residual of residuals) {
    const place = Math.floor(residual / width) + BINS_EACH_WAY + 1;
    const bin = bins[Math.min(Math.max(place, 0), bins.length - 1)];
    if (bin) bin.rows++;
  }
  return bins;
}
