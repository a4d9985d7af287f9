import * as v from 'valibot';
import { LEVELS } from '../classes/prediction-sets.js';
import { MAX_CLASSES } from '../table/target/classes.js';
import type { ClassificationModel } from './class-model.js';
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

const shareSchema = v.nullable(levelSchema);

const metricsSchema = v.strictObject({
  log_loss: nonNegativeSchema,
  baseline_log_loss: nonNegativeSchema,
  accuracy: levelSchema,
  baseline_accuracy: levelSchema,
  balanced_accuracy: levelSchema,
  brier_score: nonNegativeSchema,
  calibration_error: levelSchema,
  reliability: reliabilitySchema,
  confusion: v.array(v.array(indexSchema)),
  set_level: levelSchema,
  set_coverage: levelSchema,
  set_size: nonNegativeSchema,
  by_class: v.array(
    v.strictObject({
      class: v.string(),
      rows: indexSchema,
      recall: shareSchema,
      precision: shareSchema,
      set_coverage: shareSchema,
      set_size: v.nullable(nonNegativeSchema),
      reliability: reliabilitySchema,
    }),
  ),
  held_out_rows: countSchema,
});

const calibrationShape = {
  probabilities: v.strictObject({
    scale: positiveSchema,
    shifts: v.array(v.number()),
    shares: v.array(levelSchema),
    share_weight: levelSchema,
  }),
  sets: v.strictObject({
    groups: v.array(indexSchema),
    thresholds: v.array(v.pipe(v.array(levelSchema), v.length(LEVELS))),
  }),
};

/** The schema of an encoded classifier. */
export function classificationSchema<const F extends string>(format: F) {
  return v.pipe(
    v.object({
      format: v.literal(format),
      task: v.literal('classification'),
      target: v.string(),
      row_count: countSchema,
      classes: v.pipe(
        v.array(
          v.strictObject({
            name: v.string(),
            rows: countSchema,
            merged_count: indexSchema,
            merged: v.array(v.string()),
          }),
        ),
        v.minLength(2),
        v.maxLength(MAX_CLASSES),
      ),
      columns: v.array(columnSchema),
      metrics: metricsSchema,
      features: featuresSchema,
      class_forests: v.array(forestSchema),
      ...calibrationShape,
      partial_rows: v.nullable(
        v.strictObject({
          unfamiliar_bins: unfamiliarBinsSchema,
          correction_forests: v.array(forestSchema),
          ...calibrationShape,
        }),
      ),
    }),
    v.check(
      (model) => isConsistent(model),
      'A feature, a split or a class refers to what the model does not have.',
    ),
  );
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
