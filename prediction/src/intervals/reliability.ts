import { allWidths, calibrate, findGroup, highestWithin, LOWEST_LEVEL, widestReach, widthAt } from './conformal.js';

const LEVEL = 0.9;
const RANGES = 10;
const FIFTHS = 5;

interface Outcome {
  predicted: number;
  confidence: number;
  isWithin: boolean;
  isWithinLevel: boolean;
}

/**
 * Returns the nominal and the observed coverage of intervals, as `RegressionMetrics` has them. Rows that calibrated an
 * interval cannot judge it. So each half of the rows is judged by intervals calibrated on the other.
 *
 * @param predictedErrors of rows in random order; errors in one unit with `deviation`.
 * @param deviation the standard deviation of the target.
 * @param isInOrder true if the rows are in the order of time: then only the later half is judged, since no interval
 *   is calibrated on what comes after it.
 */
export function rateConfidence(
  predictedErrors: Float64Array,
  absoluteErrors: Float64Array,
  deviation: number,
  isInOrder = false,
) {
  const middle = predictedErrors.length >> 1;
  const judge = (start: number, end: number) => judgeHalf(predictedErrors, absoluteErrors, start, end, deviation);
  const outcomes = [...(isInOrder ? [] : judge(0, middle)), ...judge(middle, predictedErrors.length)].sort(
    (a, b) => a.predicted - b.predicted,
  );
  const count = outcomes.length;
  const fifths = Array.from({ length: FIFTHS }, (_, fifth) =>
    outcomes.slice((fifth * count) / FIFTHS, ((fifth + 1) * count) / FIFTHS),
  );
  const isWithinLevel = ({ isWithinLevel }: Outcome) => isWithinLevel;
  return {
    interval_level: LEVEL,
    interval_coverage: countShare(outcomes, isWithinLevel),
    interval_coverage_by_error: fifths.map((fifth) => countShare(fifth, isWithinLevel)),
    reliability: tabulate(outcomes),
  };
}

/** Returns the outcomes of rows[start … end − 1], calibrated on all others. */
function judgeHalf(
  predictedErrors: Float64Array,
  absoluteErrors: Float64Array,
  start: number,
  end: number,
  deviation: number,
): Outcome[] {
  const isOther = (_value: number, row: number) => row < start || row >= end;
  const { upper_bounds, scores } = calibrate(predictedErrors.filter(isOther), absoluteErrors.filter(isOther));
  const widths = scores.map(allWidths);
  const errors = absoluteErrors.subarray(start, end);
  return Array.from(predictedErrors.subarray(start, end), (predicted, index) => {
    const group = findGroup(upper_bounds, predicted);
    const error = (errors[index] ?? 0) / predicted;
    const own = highestWithin(widths[group] ?? [], widestReach(deviation) / predicted);
    return {
      predicted,
      confidence: own.level,
      isWithin: error <= own.score,
      isWithinLevel: error <= widthAt(scores[group] ?? [], LEVEL).score,
    };
  });
}

/** Groups rows whose confidences are in one range, a tenth wide. */
function tabulate(outcomes: readonly Outcome[]) {
  const byRange = Array.from({ length: RANGES }, (_, range) =>
    outcomes.filter(({ confidence }) => Math.floor((confidence - LOWEST_LEVEL / 2) * RANGES) === range),
  );
  return byRange
    .filter((rows) => rows.length > 0)
    .map((rows) => ({
      nominal: rows.reduce((sum, { confidence }) => sum + confidence, 0) / rows.length,
      observed: countShare(rows, ({ isWithin }) => isWithin),
      rows: rows.length,
    }));
}

function countShare(rows: readonly Outcome[], has: (row: Outcome) => boolean): number {
  return rows.filter(has).length / rows.length;
}
