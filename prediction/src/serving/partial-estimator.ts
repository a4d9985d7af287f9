import { ForestScorer } from '../forest/forest-scorer.js';
import { ErrorEstimator } from '../intervals/interval-width.js';
import type { PartialRows } from '../model/partial-rows.js';

/** Predicts the errors of partial rows. */
export class PartialEstimator {
  readonly errors: ErrorEstimator;
  readonly #base: number;
  readonly #corrections: ForestScorer;

  constructor(partialRows: PartialRows) {
    this.errors = new ErrorEstimator(partialRows);
    this.#base = partialRows.correction_forest.base;
    this.#corrections = new ForestScorer(partialRows.correction_forest.trees);
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
