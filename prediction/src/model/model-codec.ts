import * as v from 'valibot';
import { finish, type Steps } from '../trees/steps.js';
import { refuseLaterFormat } from '../table/codec/stored-format.js';
import { numberReadingSchema } from '../table/reading/reading-schema.js';
import {
  classificationHeadSchema,
  classificationSteps,
  encodeClassification,
} from './class-codec.js';
import type { Model, RegressionModel } from './model.js';
import { ModelLineReader, ModelLineWriter } from './model-lines.js';
import {
  countSchema,
  forestHeadSchema,
  indexSchema,
  levelSchema,
  nonNegativeSchema,
  positiveSchema,
  reliabilitySchema,
  unfamiliarBinsSchema,
} from './schemas.js';

const FORMAT = 'roster-model/2';

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
  error_forest: forestHeadSchema,
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
  correction_forest: forestHeadSchema,
  ...errorModelShape,
});

const regressionHeadSchema = v.pipe(
  v.object({
    format: v.literal(FORMAT),
    task: v.literal('regression'),
    target: v.string(),
    // Models of earlier versions have none.
    target_reading: v.optional(v.nullable(numberReadingSchema), null),
    row_count: countSchema,
    columns: indexSchema,
    metrics: metricsSchema,
    features: indexSchema,
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
    value_forest: forestHeadSchema,
    ...errorModelShape,
    target_deviation: nonNegativeSchema,
    partial_rows: v.nullable(partialRowsSchema),
  }),
  v.check(
    (head) => isConsistent(head),
    'Partial rows refer to features that the model does not have.',
  ),
);

type RegressionHead = v.InferOutput<typeof regressionHeadSchema>;

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

const headSchema = v.variant('task', [regressionHeadSchema, classificationHeadSchema(FORMAT)]);

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
  const stored = lines.next();
  refuseLaterFormat(stored, FORMAT);
  const head = v.parse(headSchema, stored);
  const model =
    head.task === 'regression'
      ? yield* regressionSteps(head, lines)
      : yield* classificationSteps(head, lines);
  lines.end();
  return model;
}
