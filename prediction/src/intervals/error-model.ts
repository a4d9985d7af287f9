import type { Forest } from '../forest/tree.js';
import type { Calibration } from './conformal.js';

/** A model of the errors in one kind of row. */
export interface ErrorModel {
  /** Predicts the absolute error. */
  readonly error_forest: Forest;
  /** Added to every predicted error, which would else reach zero. */
  readonly error_floor: number;
  readonly calibration: Calibration;
}

/** A tenth of the mean error, below which the second forest's word is not taken. */
const FLOOR_SHARE = 0.1;

/** Where the model makes no error at all, scores |error| ÷ predicted error must still be finite. */
const MIN_FLOOR = 2 ** -40;

/** In the units of the error. */
export function chooseErrorFloor(meanAbsoluteError: number): number {
  return Math.max(FLOOR_SHARE * meanAbsoluteError, MIN_FLOOR);
}

/**
 * The predicted size of an error: what the forest of errors says, which may go below zero, raised
 * so that it is positive.
 */
export function predictedError(forestSum: number, errorFloor: number): number {
  return Math.max(forestSum, 0) + errorFloor;
}
