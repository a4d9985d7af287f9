import * as v from 'valibot';
import type { ErrorModel } from '../../intervals/conformal.js';
import type { TargetScale, TargetSupport } from '../../intervals/target-range.js';
import type { ModelBase, PartialRowsBase } from '../../model/model.js';
import type { ModelLineReader, ModelLineWriter } from '../../model/model-lines.js';
import {
  countSchema,
  forestHeadSchema,
  indexSchema,
  levelSchema,
  nonNegativeSchema,
  numbersSchema,
  positiveSchema,
  reliabilitySchema,
  unfamiliarBinsSchema,
} from '../../model/schemas.js';
import { listedWordsSchema, numberReadingSchema } from '../../table/codec/format.js';
import type { NumberReading } from '../../table/reading/column-reading.js';
import type { Forest } from '../../trees/forest/tree.js';
import type { Steps } from '../../trees/steps.js';

/**
 * A trained regressor. Its trees and its calibrations reckon in the standard units of `target_scale`. Its own error
 * model is for ordinary rows.
 */
export interface RegressionModel extends ModelBase, ErrorModel {
  readonly task: 'regression';
  /** The form in which the target was read, such as amounts with a unit; null for plain numbers. */
  readonly target_reading: NumberReading | null;
  readonly metrics: RegressionMetrics;
  readonly target_scale: TargetScale;
  readonly target_support: TargetSupport;
  /** Predicts the target. */
  readonly value_forest: Forest;
  /** The widest interval that an answer of its own accord gives: one standard deviation. */
  readonly target_deviation: number;
  readonly partial_rows: PartialRows | null;
}

export interface PartialRows extends PartialRowsBase, ErrorModel {
  /** Added to the word of the value forest. */
  readonly correction_forest: Forest;
}

/** The accuracy of a regressor on rows that it was not trained on; errors are in units of the target. */
export type RegressionMetrics = v.InferOutput<typeof metricsSchema>;

const metricsSchema = v.strictObject({
  /** 1 − squared error ÷ squared deviation from the held-out mean; 0 if nothing deviates. */
  r2: v.number(),
  rmse: v.number(),
  mae: v.number(),
  /** The errors of always answering the mean of the training rows. */
  baseline_rmse: v.number(),
  baseline_mae: v.number(),
  /** The level at which coverage was counted: 0.9. */
  interval_level: levelSchema,
  /** The share of rows whose target lies within their interval at that level. */
  interval_coverage: levelSchema,
  /** The same in each fifth of the rows, from those with the least predicted error up. */
  interval_coverage_by_error: v.array(levelSchema),
  /** Rows by the confidence that they get of their own accord, ascending. */
  reliability: reliabilitySchema,
  /** Rows by their predicted value, ascending, in groups of about as many. */
  predicted_actual: v.array(
    v.strictObject({
      /** The mean predicted value, and the mean and the standard deviation of the actual values. */
      predicted: v.number(),
      actual: v.number(),
      deviation: nonNegativeSchema,
      rows: countSchema,
    }),
  ),
  /** Rows by actual value − predicted value, ascending. */
  residuals: v.array(
    v.strictObject({
      /** The residual is at least `from` and below `to`; null where there is no bound. */
      from: v.nullable(v.number()),
      to: v.nullable(v.number()),
      rows: indexSchema,
    }),
  ),
  /** The rows that all of this was counted on. */
  held_out_rows: countSchema,
});

const errorModelShape = {
  error_forest: forestHeadSchema,
  error_floor: positiveSchema,
  calibration: v.pipe(
    v.strictObject({
      upper_bounds: v.array(v.number()),
      scores: v.array(
        v.pipe(
          numbersSchema((score) => score >= 0),
          v.minLength(1),
        ),
      ),
    }),
    v.check(({ upper_bounds, scores }) => scores.length === upper_bounds.length + 1),
  ),
};

const partialRowsSchema = v.strictObject({
  unfamiliar_bins: unfamiliarBinsSchema,
  correction_forest: forestHeadSchema,
  ...errorModelShape,
});

/** The head of an encoded regressor. */
export const regressionHeadSchema = v.pipe(
  v.object({
    task: v.literal('regression'),
    target: v.string(),
    missing_words: listedWordsSchema,
    target_reading: v.nullable(numberReadingSchema),
    row_count: countSchema,
    columns: indexSchema,
    metrics: metricsSchema,
    features: indexSchema,
    target_scale: v.strictObject({ magnitude: positiveSchema, centre: v.number(), spread: positiveSchema }),
    target_support: v.strictObject({
      lower: v.nullable(v.number()),
      upper: v.nullable(v.number()),
      is_whole: v.boolean(),
      values: v.nullable(v.pipe(v.array(v.number()), v.minLength(1))),
      keeps_mean: v.exactOptional(v.literal(true)),
    }),
    value_forest: forestHeadSchema,
    ...errorModelShape,
    target_deviation: nonNegativeSchema,
    partial_rows: v.nullable(partialRowsSchema),
  }),
  v.check(
    ({ features, partial_rows }) => partial_rows === null || partial_rows.unfamiliar_bins.length === features,
    'Partial rows refer to features that the model does not have.',
  ),
);

/** Returns the head of a regressor, and writes the rest of it as lines. */
export function encodeRegression(model: RegressionModel, lines: ModelLineWriter) {
  const { value_forest, error_forest, partial_rows, ...rest } = model;
  return {
    ...rest,
    ...lines.inputs(model),
    value_forest: lines.forest(value_forest),
    error_forest: lines.forest(error_forest),
    partial_rows: partial_rows && {
      ...partial_rows,
      correction_forest: lines.forest(partial_rows.correction_forest),
      error_forest: lines.forest(partial_rows.error_forest),
    },
  };
}

/** Reads the rest of a regressor behind its head. */
export function* decodeRegression(
  head: v.InferOutput<typeof regressionHeadSchema>,
  lines: ModelLineReader,
): Steps<RegressionModel> {
  const { partial_rows } = head;
  return {
    ...head,
    ...(yield* lines.inputs(head)),
    value_forest: yield* lines.forest(head.value_forest),
    error_forest: yield* lines.forest(head.error_forest),
    partial_rows: partial_rows && {
      ...partial_rows,
      correction_forest: yield* lines.forest(partial_rows.correction_forest),
      error_forest: yield* lines.forest(partial_rows.error_forest),
    },
  };
}
