import type { ModelFeature } from '../trees/binning/dataset.js';
import type { SetCalibration } from '../classes/prediction-sets.js';
import type { ScoreCalibration } from '../classes/probabilities.js';
import type { Forest } from '../trees/forest/tree.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { TargetClass } from '../table/table.js';
import type { ClassificationMetrics } from './class-metrics.js';

/** A trained classifier: plain data, immutable, with everything that predictions need. */
export interface ClassificationModel {
  readonly task: 'classification';
  readonly target: string;
  /** Rows with a target, held-out rows among them. */
  readonly row_count: number;
  /** The most frequent first. */
  readonly classes: readonly TargetClass[];
  /** The input columns in the order of the table, without the target. */
  readonly columns: readonly ColumnSummary[];
  readonly metrics: ClassificationMetrics;
  /** The features of the trees, in the order of `Split.feature`. */
  readonly features: readonly ModelFeature[];
  /** For each class a forest whose sum is its score; of two classes, one, for the second. */
  readonly class_forests: readonly Forest[];
  /** The calibrations of probabilities and sets, for ordinary rows. */
  readonly probabilities: ScoreCalibration;
  readonly sets: SetCalibration;
  /** The calibration of partial rows; null if there can be none. */
  readonly partial_rows: ClassPartialRows | null;
}

/** The part of a classifier for partial rows: see `PartialRows`. */
export interface ClassPartialRows {
  readonly unfamiliar_bins: readonly (readonly number[])[];
  /** Added to the scores of the class forests. */
  readonly correction_forests: readonly Forest[];
  readonly probabilities: ScoreCalibration;
  readonly sets: SetCalibration;
}
