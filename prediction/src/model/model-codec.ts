import { z } from 'zod';
import { classificationSchema } from './class-codec.js';
import type { Model, RegressionModel } from './model.js';
import {
  columnSchema,
  featuresSchema,
  forestSchema,
  levelSchema,
  refersToItsOwn,
  reliabilitySchema,
  unfamiliarBinsSchema,
} from './schemas.js';

const FORMAT = 'roster-model/1';

const metricsSchema = z.strictObject({
  r2: z.number(),
  rmse: z.number(),
  mae: z.number(),
  baseline_rmse: z.number(),
  baseline_mae: z.number(),
  interval_level: levelSchema,
  interval_coverage: levelSchema,
  interval_coverage_by_error: z.array(levelSchema),
  reliability: reliabilitySchema,
  predicted_actual: z
    .array(
      z.strictObject({
        predicted: z.number(),
        actual: z.number(),
        deviation: z.number().nonnegative(),
        rows: z.int().positive(),
      }),
    )
    .default([]),
  residuals: z
    .array(
      z.strictObject({
        from: z.number().nullable(),
        to: z.number().nullable(),
        rows: z.int().nonnegative(),
      }),
    )
    .default([]),
  held_out_rows: z.int().positive(),
});

const errorModelShape = {
  error_forest: forestSchema,
  error_floor: z.number().positive(),
  calibration: z
    .strictObject({
      upper_bounds: z.array(z.number()),
      scores: z.array(z.array(z.number().nonnegative()).min(1)),
    })
    .refine(({ upper_bounds, scores }) => scores.length === upper_bounds.length + 1),
};

const partialRowsSchema = z.strictObject({
  unfamiliar_bins: unfamiliarBinsSchema,
  correction_forest: forestSchema,
  ...errorModelShape,
});

const regressionSchema = z
  .object({
    format: z.literal(FORMAT),
    task: z.literal('regression'),
    target: z.string(),
    row_count: z.int().positive(),
    columns: z.array(columnSchema),
    metrics: metricsSchema,
    features: featuresSchema,
    target_scale: z.strictObject({
      magnitude: z.number().positive(),
      centre: z.number(),
      spread: z.number().positive(),
    }),
    target_support: z.strictObject({
      lower: z.number().nullable(),
      upper: z.number().nullable(),
      is_whole: z.boolean(),
      values: z.array(z.number()).min(1).nullable(),
    }),
    value_forest: forestSchema,
    ...errorModelShape,
    target_deviation: z.number().nonnegative(),
    partial_rows: partialRowsSchema.nullable(),
  })
  .refine(isConsistent, 'A feature or a split refers to what the model does not have.');

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

const modelSchema = z.discriminatedUnion('task', [regressionSchema, classificationSchema(FORMAT)]);

/** @throws {Error} if the bytes are not an encoded model of this format. */
export function decodeModel(bytes: Uint8Array): Model {
  const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  const { format: _, ...model } = modelSchema.parse(parsed);
  return model;
}
