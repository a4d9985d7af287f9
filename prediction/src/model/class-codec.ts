import * as v from 'valibot';
import { LEVELS, type SetCalibration } from '../classes/prediction-sets.js';
import type { ScoreCalibration } from '../classes/probabilities.js';
import type { Steps } from '../trees/steps.js';
import { MAX_CLASSES } from '../table/target/classes.js';
import type { ClassificationModel } from './class-model.js';
import type { ModelLineReader, ModelLineWriter } from './model-lines.js';
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

/** The schema of the head of an encoded classifier. */
export function classificationHeadSchema<const F extends string>(format: F) {
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
      columns: indexSchema,
      metrics: metricsSchema,
      features: indexSchema,
      class_forests: v.array(forestHeadSchema),
      ...calibrationShape,
      partial_rows: v.nullable(
        v.strictObject({
          unfamiliar_bins: unfamiliarBinsSchema,
          correction_forests: v.array(forestHeadSchema),
          ...calibrationShape,
        }),
      ),
    }),
    v.check(
      (head) => isConsistent(head),
      'A class or partial rows refer to what the model does not have.',
    ),
  );
}

type ClassificationHead = v.InferOutput<ReturnType<typeof classificationHeadSchema<string>>>;

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
