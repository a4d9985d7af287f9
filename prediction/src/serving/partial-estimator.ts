import { ForestScorer } from '../forest/forest-scorer.js';
import { ErrorEstimator } from '../intervals/interval-width.js';
import type { PartialRows } from '../model/partial-rows.js';
import type { Steps } from '../steps.js';

/** Predicts the errors of partial rows. */
export class PartialEstimator {
  readonly errors: ErrorEstimator;
  readonly #base: number;
  readonly #corrections: ForestScorer;

  static *create(partialRows: PartialRows): Steps<PartialEstimator> {
    const { base, trees } = partialRows.correction_forest;
    const errors = yield* ErrorEstimator.create(partialRows);
    return new PartialEstimator(errors, base, yield* ForestScorer.create(trees));
  }

  private constructor(errors: ErrorEstimator, base: number, corrections: ForestScorer) {
    this.errors = errors;
    this.#base = base;
    this.#corrections = corrections;
  }

  /**
   * Adds the corrections of the given rows to what the value forest said of them.
   *
   * @param bins as for `ForestScorer.addTo`.
   */
  correct(values: Float64Array, rows: Uint32Array, bins: Uint8Array, stride: number): void {
    for (const row of rows) values[row] = (values[row] ?? 0) + this.#base;
    this.#corrections.addTo(values, rows, bins, stride);
  }
}
