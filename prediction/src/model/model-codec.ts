import { z } from 'zod';
import { finish, type Steps } from '../steps.js';
import {
  classificationHeadSchema,
  classificationSteps,
  encodeClassification,
} from './class-codec.js';
import type { Model, RegressionModel } from './model.js';
import { ModelLineReader, ModelLineWriter } from './model-lines.js';
import {
  forestHeadSchema,
  indexSchema,
  levelSchema,
  reliabilitySchema,
  unfamiliarBinsSchema,
} from './schemas.js';

const FORMAT = 'roster-model/2';

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
  error_forest: forestHeadSchema,
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
  correction_forest: forestHeadSchema,
  ...errorModelShape,
});

const regressionHeadSchema = z
  .object({
    format: z.literal(FORMAT),
    task: z.literal('regression'),
    target: z.string(),
    row_count: z.int().positive(),
    columns: indexSchema,
    metrics: metricsSchema,
    features: indexSchema,
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
    value_forest: forestHeadSchema,
    ...errorModelShape,
    target_deviation: z.number().nonnegative(),
    partial_rows: partialRowsSchema.nullable(),
  })
  .refine(isConsistent, 'Partial rows refer to features that the model does not have.');

type RegressionHead = z.infer<typeof regressionHeadSchema>;

function isConsistent({
  features,
  partial_rows,
}: {
  features: number;
  partial_rows: { unfamiliar_bins: readonly unknown[] } | null;
}): boolean {
  return partial_rows === null || partial_rows.unfamiliar_bins.length === features;
}

function encodeRegression(model: RegressionModel, lines: ModelLineWriter) {
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

function* regressionSteps(
  { format: _, ...head }: RegressionHead,
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

/** Encodes a model as lines of JSON. Decoded, it predicts the same to the last bit. */
export function encodeModel(model: Model): Uint8Array {
  const lines = new ModelLineWriter();
  const head =
    model.task === 'regression'
      ? encodeRegression(model, lines)
      : encodeClassification(model, lines);
  return lines.finish({ format: FORMAT, ...head });
}

const headSchema = z.discriminatedUnion('task', [
  regressionHeadSchema,
  classificationHeadSchema(FORMAT),
]);

/** @throws {Error} if the bytes are not an encoded model of this format. */
export function decodeModel(bytes: Uint8Array): Model {
  return finish(decodeModelInSteps(bytes));
}

/**
 * Decodes a model in steps.
 *
 * @throws {Error} in a step, as `decodeModel`.
 */
export function* decodeModelInSteps(bytes: Uint8Array): Steps<Model> {
  const lines = new ModelLineReader(bytes);
  const head = headSchema.parse(lines.next());
  const model =
    head.task === 'regression'
      ? yield* regressionSteps(head, lines)
      : yield* classificationSteps(head, lines);
  lines.end();
  return model;
}
