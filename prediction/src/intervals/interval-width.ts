import { ForestScorer } from '../forest/forest-scorer.js';
import type { Steps } from '../steps.js';
import {
  allWidths,
  groupOf,
  HIGHEST_LEVEL,
  highestWithin,
  LOWEST_LEVEL,
  type Width,
  widthAt,
} from './conformal.js';
import { type ErrorModel, predictedError } from './error-model.js';

/** Chooses the width of a row's interval, given its predicted error. */
export type WidthChoice = (error: number) => Width;

/** An error model made ready for answering. */
export class ErrorEstimator {
  readonly #model: ErrorModel;
  readonly #scorer: ForestScorer;
  /** For each group the widths at every level. */
  readonly #widths: readonly (readonly Width[])[];

  static *create(model: ErrorModel): Steps<ErrorEstimator> {
    return new ErrorEstimator(model, yield* ForestScorer.create(model.error_forest.trees));
  }

  private constructor(model: ErrorModel, scorer: ForestScorer) {
    this.#model = model;
    this.#scorer = scorer;
    this.#widths = model.calibration.scores.map(allWidths);
  }

  /**
   * Writes the predicted errors of the given rows, each of them once.
   *
   * @param bins as for `ForestScorer.addTo`.
   */
  write(errors: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    const { error_forest, error_floor } = this.#model;
    for (const row of rows) errors[row] = error_forest.base;
    if (rows.length === stride) this.#scorer.addToAll(errors, bins, stride);
    else this.#scorer.addTo(errors, rows, bins, stride);
    for (const row of rows) errors[row] = predictedError(errors[row] ?? 0, error_floor);
  }

  /** The width at the highest level that keeps half of an interval within `widest`. */
  widthsWithin(widest: number): WidthChoice {
    const { upper_bounds } = this.#model.calibration;
    return (error) =>
      highestWithin(this.#widths[groupOf(upper_bounds, error)] ?? [], widest / error);
  }

  /** @throws {RangeError} if the level is not within 0.01 to 0.99. */
  widthsAt(level: number): WidthChoice {
    if (!(level >= LOWEST_LEVEL && level <= HIGHEST_LEVEL)) {
      throw new RangeError(`The confidence must be within 0.01 to 0.99, but is ${level}.`);
    }
    const { upper_bounds, scores } = this.#model.calibration;
    const widths = scores.map((ofGroup) => widthAt(ofGroup, level));
    return (error) => widths[groupOf(upper_bounds, error)] ?? { level: LOWEST_LEVEL, score: 0 };
  }
}
