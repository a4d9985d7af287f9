import type { ModelFeature } from '../binning/dataset.js';
import type { SetCalibration } from '../classes/prediction-sets.js';
import type { ScoreCalibration } from '../classes/probabilities.js';
import type { Forest } from '../forest/tree.js';
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
  /** What the trees split on, in the order of `Split.feature`. */
  readonly features: readonly ModelFeature[];
  /** For each class a forest whose sum is its score; of two classes, one, for the second. */
  readonly class_forests: readonly Forest[];
  /** How scores become probabilities, and probabilities sets, in ordinary rows. */
  readonly probabilities: ScoreCalibration;
  readonly sets: SetCalibration;
  /** How partial rows are answered; null if there can be none. */
  readonly partial_rows: ClassPartialRows | null;
}

/** What a classifier knows of partial rows: see `PartialRows`. */
export interface ClassPartialRows {
  readonly unfamiliar_bins: readonly (readonly number[])[];
  /** Added to the scores of the class forests. */
  readonly correction_forests: readonly Forest[];
  readonly probabilities: ScoreCalibration;
  readonly sets: SetCalibration;
}
