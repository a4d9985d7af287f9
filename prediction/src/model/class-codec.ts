import { z } from 'zod';
import { LEVELS } from '../classes/prediction-sets.js';
import { MAX_CLASSES } from '../table/target/classes.js';
import type { ClassificationModel } from './class-model.js';
import {
  columnSchema,
  featuresSchema,
  forestSchema,
  indexSchema,
  levelSchema,
  refersToItsOwn,
  reliabilitySchema,
  unfamiliarBinsSchema,
} from './schemas.js';

const shareSchema = levelSchema.nullable();

const metricsSchema = z.strictObject({
  log_loss: z.number().nonnegative(),
  baseline_log_loss: z.number().nonnegative(),
  accuracy: levelSchema,
  baseline_accuracy: levelSchema,
  balanced_accuracy: levelSchema,
  brier_score: z.number().nonnegative(),
  calibration_error: levelSchema,
  reliability: reliabilitySchema,
  confusion: z.array(z.array(indexSchema)),
  set_level: levelSchema,
  set_coverage: levelSchema,
  set_size: z.number().nonnegative(),
  by_class: z.array(
    z.strictObject({
      class: z.string(),
      rows: indexSchema,
      recall: shareSchema,
      precision: shareSchema,
      set_coverage: shareSchema,
      set_size: z.number().nonnegative().nullable(),
      reliability: reliabilitySchema,
    }),
  ),
  held_out_rows: z.int().positive(),
});

const calibrationShape = {
  probabilities: z.strictObject({
    scale: z.number().positive(),
    shifts: z.array(z.number()),
    shares: z.array(levelSchema),
    share_weight: levelSchema,
  }),
  sets: z.strictObject({
    groups: z.array(indexSchema),
    thresholds: z.array(z.array(levelSchema).length(LEVELS)),
  }),
};

/** The schema of an encoded classifier. */
export function classificationSchema<const F extends string>(format: F) {
  return z
    .object({
      format: z.literal(format),
      task: z.literal('classification'),
      target: z.string(),
      row_count: z.int().positive(),
      classes: z
        .array(
          z.strictObject({
            name: z.string(),
            rows: z.int().positive(),
            merged_count: indexSchema,
            merged: z.array(z.string()),
          }),
        )
        .min(2)
        .max(MAX_CLASSES),
      columns: z.array(columnSchema),
      metrics: metricsSchema,
      features: featuresSchema,
      class_forests: z.array(forestSchema),
      ...calibrationShape,
      partial_rows: z
        .strictObject({
          unfamiliar_bins: unfamiliarBinsSchema,
          correction_forests: z.array(forestSchema),
          ...calibrationShape,
        })
        .nullable(),
    })
    .refine(isConsistent, 'A feature, a split or a class refers to what the model does not have.');
}

function isConsistent(model: ClassificationModel): boolean {
  const { classes, columns, features, class_forests, partial_rows } = model;
  const corrections = partial_rows?.correction_forests ?? [];
  const forests = classes.length === 2 ? 1 : classes.length;
  const calibrations = [model, ...(partial_rows ? [partial_rows] : [])];
  return (
    class_forests.length === forests &&
    (partial_rows === null || corrections.length === forests) &&
    calibrations.every(
      ({ probabilities: { shifts, shares }, sets: { groups, thresholds } }) =>
        [shifts, shares, groups].every(({ length }) => length === classes.length) &&
        groups.every((group) => group < thresholds.length),
    ) &&
    refersToItsOwn(
      columns.length,
      features,
      [...class_forests, ...corrections],
      partial_rows?.unfamiliar_bins,
    )
  );
}
