import { type ErrorModel, widthAt } from '../intervals/conformal.js';
import { SHIFT_LEVELS } from './adapting.js';

/**
 * The calibration that truths move, as plain data: of numbers the widths of intervals, of classes the thresholds of
 * sets.
 */
export type TrainedCalibration =
  /** As `describeWidths` returns them. */
  | ({ readonly log_widths: readonly number[] } & Bounds)
  /** As `describeStepWidths` returns them. */
  | ({ readonly log_widths_by_step: readonly (readonly number[])[] } & Bounds)
  /** As `describeThresholds` returns them. */
  | { readonly thresholds: readonly (readonly number[])[] };

interface Bounds {
  /** True if the bounds are whole numbers around a mean. */
  readonly is_whole?: true;
}

/**
 * Returns for each of `SHIFT_LEVELS` the log of the trained width in predicted errors, over all rows that calibrated
 * it. In it, an interval of one level shows which would have been enough at another.
 */
export function describeWidths({ calibration }: Pick<ErrorModel, 'calibration'>): number[] {
  return logWidths(calibration.scores);
}

/** The most groups of steps that have their own shifts. A longer horizon is parted into groups of about as many. */
const MAX_STEP_GROUPS = 32;

/** @param step from 1 */
export function stepGroup(step: number, horizon: number): number {
  const groups = Math.min(horizon, MAX_STEP_GROUPS);
  return Math.floor(((step - 1) * groups) / horizon);
}

/** Returns the steps of each group, as `3` or `3 to 5`. */
export function nameStepGroups(horizon: number): string[] {
  const steps: number[][] = [];
  for (let step = 1; step <= horizon; step++) {
    const group = stepGroup(step, horizon);
    steps[group] = [...(steps[group] ?? []), step];
  }
  return steps.map((own) => [...new Set([own[0], own.at(-1)])].join(' to '));
}

/**
 * Returns for each group of steps, and each of `SHIFT_LEVELS`, the log of the trained width in errors to expect.
 *
 * @param scores by step, ascending.
 */
export function describeStepWidths(scores: readonly (readonly number[])[]): number[][] {
  const groups: (readonly number[])[][] = [];
  for (const [at, ofStep] of scores.entries()) {
    const group = stepGroup(at + 1, scores.length);
    groups[group] = [...(groups[group] ?? []), ofStep];
  }
  return groups.map(logWidths);
}

function logWidths(parts: readonly (readonly number[])[]): number[] {
  const scores = parts.flat().sort((one, other) => one - other);
  return SHIFT_LEVELS.map((level) => Math.log(Math.max(widthAt(scores, level).score, MIN_SCORE)));
}

/** A width of 0 has no log. */
const MIN_SCORE = 2 ** -40;
