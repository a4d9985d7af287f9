import type { ModelFeature } from '../trees/binning/dataset.js';
import type { Forest } from '../trees/forest/tree.js';
import type { ErrorModel } from '../intervals/conformal.js';
import type { TargetScale, TargetSupport } from '../intervals/target-range.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { NumberReading } from '../table/reading/column-reading.js';
import type { ClassificationModel } from './class-model.js';
import type { RegressionMetrics } from './metrics.js';
import type { PartialRows } from './partial-rows.js';

/** A trained model, told apart by its task. */
export type Model = RegressionModel | ClassificationModel;

/**
 * A trained regressor: plain data, immutable, with everything that predictions need. Its trees and its
 * calibrations reckon in the standard units of `target_scale`. Its own error model is for ordinary
 * rows.
 */
export interface RegressionModel extends ErrorModel {
  readonly task: 'regression';
  readonly target: string;
  /** The form in which the target was read, such as amounts with a unit; null for plain numbers. */
  readonly target_reading: NumberReading | null;
  /** Rows with a target, held-out rows among them. */
  readonly row_count: number;
  /** The input columns in the order of the table, without the target. */
  readonly columns: readonly ColumnSummary[];
  readonly metrics: RegressionMetrics;
  /** The features of the trees, in the order of `Split.feature`. */
  readonly features: readonly ModelFeature[];
  readonly target_scale: TargetScale;
  readonly target_support: TargetSupport;
  /** Predicts the target. */
  readonly value_forest: Forest;
  /** The widest interval that an answer of its own accord gives: one standard deviation. */
  readonly target_deviation: number;
  /** The calibration of partial rows; null if there can be none. */
  readonly partial_rows: PartialRows | null;
}
