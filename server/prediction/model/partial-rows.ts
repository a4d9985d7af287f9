import type { Forest } from '../forest/tree.js';
import type { ErrorModel } from '../intervals/error-model.js';

/**
 * What a model knows of partial rows: those that leave out a value which (nearly) every row learnt
 * from had, or bring a category which (nearly) none had. Trees that never met such a bin send it
 * along with the larger child or with the rest, so that their word on it is a guess, and what was
 * counted on ordinary rows does not bound its error.
 */
export interface PartialRows extends ErrorModel {
  /** For each feature its unfamiliar bins, ascending: those that make a row partial. */
  readonly unfamiliar_bins: readonly (readonly number[])[];
  /** Added to the word of the value forest. */
  readonly correction_forest: Forest;
}
