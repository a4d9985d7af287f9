import type { ColumnSummary } from '../table/column-profile.js';
import type { ListedWords } from '../table/missing-words.js';
import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import type { ModelFeature } from '../trees/binning/dataset.js';

/** The parts of a trained model of any task: plain data, immutable, with everything that predictions need. */
export interface ModelBase {
  readonly target: string;
  /** Absent in models of releases that did not list them: see `textReader`. */
  readonly missing_words?: ListedWords;
  /** Rows with a target, held-out rows among them. */
  readonly row_count: number;
  /** The input columns in the order of the table, without the target. */
  readonly columns: readonly ColumnSummary[];
  /** The features of the trees, in the order of `Split.feature`. */
  readonly features: readonly ModelFeature[];
  /** The part for partial rows; null if there can be none. */
  readonly partial_rows: PartialRowsBase | null;
}

/**
 * The part of a model for partial rows: those that leave out a value which (nearly) every row learnt
 * from had, or bring a category which (nearly) none had. Trees that never met such a bin send it
 * along with the larger child or with the rest, so that their word on it is a guess, and what was
 * counted on ordinary rows does not bound its error.
 */
export interface PartialRowsBase {
  /** For each feature its unseen bins, ascending: those that make a row partial. */
  readonly unfamiliar_bins: readonly (readonly number[])[];
}

/**
 * The bin that a masked value gets, and that unseen bins are read as: trees that were grown on
 * masked rows know it.
 */
export function maskBin(unseenBins: readonly number[]): number {
  return unseenBins[0] ?? MISSING_BIN;
}
