import * as v from 'valibot';
import { classificationSchema } from './class-codec.js';
import type { Model, RegressionModel } from './model.js';
import {
  columnSchema,
  countSchema,
  featuresSchema,
  forestSchema,
  indexSchema,
  levelSchema,
  nonNegativeSchema,
  positiveSchema,
  refersToItsOwn,
  reliabilitySchema,
  unfamiliarBinsSchema,
} from './schemas.js';

const FORMAT = 'roster-model/1';

const metricsSchema = v.strictObject({
  r2: v.number(),
  rmse: v.number(),
  mae: v.number(),
  baseline_rmse: v.number(),
  baseline_mae: v.number(),
  interval_level: levelSchema,
  interval_coverage: levelSchema,
  interval_coverage_by_error: v.array(levelSchema),
  reliability: reliabilitySchema,
  predicted_actual: v.optional(
    v.array(
      v.strictObject({
        predicted: v.number(),
        actual: v.number(),
        deviation: nonNegativeSchema,
        rows: countSchema,
      }),
    ),
    [],
  ),
  residuals: v.optional(
    v.array(
      v.strictObject({
        from: v.nullable(v.number()),
        to: v.nullable(v.number()),
        rows: indexSchema,
      }),
    ),
    [],
  ),
  held_out_rows: countSchema,
});

const errorModelShape = {
  error_forest: forestSchema,
  error_floor: positiveSchema,
  calibration: v.pipe(
    v.strictObject({
      upper_bounds: v.array(v.number()),
      scores: v.array(v.pipe(v.array(nonNegativeSchema), v.minLength(1))),
    }),
    v.check(({ upper_bounds, scores }) => scores.length === upper_bounds.length + 1),
  ),
};

const partialRowsSchema = v.strictObject({
  unfamiliar_bins: unfamiliarBinsSchema,
  correction_forest: forestSchema,
  ...errorModelShape,
});

const regressionSchema = v.pipe(
  v.object({
    format: v.literal(FORMAT),
    task: v.literal('regression'),
    target: v.string(),
    row_count: countSchema,
    columns: v.array(columnSchema),
    metrics: metricsSchema,
    features: featuresSchema,
    target_scale: v.strictObject({
      magnitude: positiveSchema,
      centre: v.number(),
      spread: positiveSchema,
    }),
    target_support: v.strictObject({
      lower: v.nullable(v.number()),
      upper: v.nullable(v.number()),
      is_whole: v.boolean(),
      values: v.nullable(v.pipe(v.array(v.number()), v.minLength(1))),
    }),
    value_forest: forestSchema,
    ...errorModelShape,
    target_deviation: nonNegativeSchema,
    partial_rows: v.nullable(partialRowsSchema),
  }),
  v.check(
    (model) => isConsistent(model),
    'A feature or a split refers to what the model does not have.',
  ),
);

function isConsistent(model: RegressionModel): boolean {
  const { columns, features, value_forest, error_forest, partial_rows } = model;
  const forests = [value_forest, error_forest];
  if (partial_rows) forests.push(partial_rows.correction_forest, partial_rows.error_forest);
  return refersToItsOwn(columns.length, features, forests, partial_rows?.unfamiliar_bins);
}

/** A model as JSON text in UTF-8. Decoded, it predicts the same to the last bit. */
export function encodeModel(model: Model): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ format: FORMAT, ...model }));
}

const modelSchema = v.variant('task', [regressionSchema, classificationSchema(FORMAT)]);

/** @throws {Error} if the bytes are not an encoded model of this format. */
export function decodeModel(bytes: Uint8Array): Model {
  const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  const { format: _, ...model } = v.parse(modelSchema, parsed);
  return model;
}
