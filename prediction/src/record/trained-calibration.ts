import { type ErrorModel, widthAt } from '../intervals/conformal.js';
import { LEVELS, type SetCalibration } from '../tasks/classification/prediction-sets.js';
import { SHIFT_LEVELS } from './adapting.js';

/**
 * The calibration that truths move, as plain data: of numbers the widths of intervals, of classes the thresholds of
 * sets.
 */
export type TrainedCalibration =
  /** As `describeWidths` returns them. */
  | { readonly log_widths: readonly number[] }
  /** As `describeThresholds` returns them. */
  | { readonly thresholds: readonly (readonly number[])[] };

/**
 * Returns for each of `SHIFT_LEVELS` the log of the trained width in predicted errors, over all rows that calibrated
 * it. In it, an interval of one level tells which would have been enough at another.
 */
export function describeWidths({ calibration }: Pick<ErrorModel, 'calibration'>): number[] {
  const scores = calibration.scores.flat().sort((one, other) => one - other);
  return SHIFT_LEVELS.map((level) => Math.log(Math.max(widthAt(scores, level).score, MIN_SCORE)));
}

/** A width of 0 has no log. */
const MIN_SCORE = 2 ** -40;

/** Returns for each class, and each of `SHIFT_LEVELS`, the trained threshold of sets. */
export function describeThresholds({ groups, thresholds }: SetCalibration): number[][] {
  return groups.map((group) =>
    SHIFT_LEVELS.map(
      (level) => thresholds[group]?.[Math.ceil(level * (LEVELS + 1) - 1e-9) - 1] ?? 0,
    ),
  );
}
