import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import type { Forest } from '../trees/forest/tree.js';
import type { ErrorModel } from '../intervals/conformal.js';

/**
 * The part of a model for partial rows: those that leave out a value which (nearly) every row learnt
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

/**
 * The bin that a masked value gets, and that unfamiliar bins are read as: trees that were grown on
 * masked rows know it.
 */
export function maskBin(unfamiliarBins: readonly number[]): number {
  return unfamiliarBins[0] ?? MISSING_BIN;
}
