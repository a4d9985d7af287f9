import { z } from 'zod';
import { LEVELS, type SetCalibration } from '../classes/prediction-sets.js';
import type { ScoreCalibration } from '../classes/probabilities.js';
import type { Steps } from '../steps.js';
import { MAX_CLASSES } from '../table/target/classes.js';
import type { ClassificationModel } from './class-model.js';
import type { ModelLineReader, ModelLineWriter } from './model-lines.js';
import {
  forestHeadSchema,
  indexSchema,
  levelSchema,
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

/** The schema of the head of an encoded classifier. */
export function classificationHeadSchema<const F extends string>(format: F) {
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
      columns: indexSchema,
      metrics: metricsSchema,
      features: indexSchema,
      class_forests: z.array(forestHeadSchema),
      ...calibrationShape,
      partial_rows: z
        .strictObject({
          unfamiliar_bins: unfamiliarBinsSchema,
          correction_forests: z.array(forestHeadSchema),
          ...calibrationShape,
        })
        .nullable(),
    })
    .refine(isConsistent, 'A class or partial rows refer to what the model does not have.');
}

type ClassificationHead = z.infer<ReturnType<typeof classificationHeadSchema<string>>>;

interface Calibration {
  probabilities: ScoreCalibration;
  sets: SetCalibration;
}

/** The parts of a head that must fit together. */
interface HeadParts extends Calibration {
  classes: readonly unknown[];
  features: number;
  class_forests: readonly unknown[];
  partial_rows: PartialParts | null;
}

interface PartialParts extends Calibration {
  unfamiliar_bins: readonly unknown[];
  correction_forests: readonly unknown[];
}

function isConsistent(head: HeadParts): boolean {
  const { classes, features, class_forests, partial_rows } = head;
  const forests = classes.length === 2 ? 1 : classes.length;
  const calibrations = [head, ...(partial_rows ? [partial_rows] : [])];
  return (
    class_forests.length === forests &&
    (partial_rows === null ||
      (partial_rows.correction_forests.length === forests &&
        partial_rows.unfamiliar_bins.length === features)) &&
    calibrations.every(
      ({ probabilities: { shifts, shares }, sets: { groups, thresholds } }) =>
        [shifts, shares, groups].every(({ length }) => length === classes.length) &&
        groups.every((group) => group < thresholds.length),
    )
  );
}

/** Returns the head of a classifier, and writes the rest of it as lines. */
export function encodeClassification(model: ClassificationModel, lines: ModelLineWriter) {
  const { class_forests, partial_rows, ...rest } = model;
  return {
    ...rest,
    ...lines.inputs(model),
    class_forests: class_forests.map((forest) => lines.forest(forest)),
    partial_rows: partial_rows && {
      ...partial_rows,
      correction_forests: partial_rows.correction_forests.map((forest) => lines.forest(forest)),
    },
  };
}

/** Reads the rest of a classifier behind its head. */
export function* classificationSteps(
  { format: _, ...head }: ClassificationHead,
  lines: ModelLineReader,
): Steps<ClassificationModel> {
  const { partial_rows } = head;
  return {
    ...head,
    ...(yield* lines.inputs(head)),
    class_forests: yield* lines.forests(head.class_forests),
    partial_rows: partial_rows && {
      ...partial_rows,
      correction_forests: yield* lines.forests(partial_rows.correction_forests),
    },
  };
}
