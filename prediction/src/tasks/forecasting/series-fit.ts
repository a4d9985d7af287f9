import { WEIGHT_PARTS } from './base-weights.js';

/**
 * The fit of a training at the end of a series, so that a forecast from there computes each base once, and tries nothing
 * that was not chosen.
 */
export interface SeriesFit {
  /** By base, which add up to 1. */
  readonly weights: Float64Array;
  /** By length of the plan whether the series has the season. */
  readonly seasons: readonly boolean[];
  /** Which of the parameters that are tried were chosen. */
  readonly theta: number;
  readonly damped: number;
}

/** Whole numbers behind the weights. */
const CHOICES = 3;

/** Returns a fit as small whole numbers. @param count of seasons: at most 16 */
export function packFit({ weights, seasons, theta, damped }: SeriesFit): Uint16Array {
  const found = seasons.reduce((bits, isFound, index) => (isFound ? bits | (1 << index) : bits), 0);
  return Uint16Array.of(...weights.map((weight) => weight * WEIGHT_PARTS), found, theta, damped);
}

export function unpackFit(packed: Uint16Array): SeriesFit {
  const count = packed.length - CHOICES;
  const [found = 0, theta = 0, damped = 0] = packed.subarray(count);
  return {
    weights: Float64Array.from(packed.subarray(0, count), (parts) => parts / WEIGHT_PARTS),
    seasons: Array.from({ length: 16 }, (_, index) => (found & (1 << index)) !== 0),
    theta,
    damped,
  };
}

/** Returns whether a stored value is a fit. @param bases their number */
export function isFit(value: unknown, bases: number): boolean {
  if (!Array.isArray(value) || value.length !== bases + CHOICES) return false;
  if (!value.every((part) => Number.isInteger(part) && part >= 0 && part <= 0xffff)) return false;
  return value.slice(0, bases).reduce((sum, parts) => sum + parts, 0) === WEIGHT_PARTS;
}
