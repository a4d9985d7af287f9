import * as v from 'valibot';
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
import { listedWordsSchema } from '../../table/codec/format.js';
import type { TargetClass } from '../../table/table.js';
import { MAX_CLASSES } from '../../table/target-cells.js';
import { forestCount } from '../../trees/boosting/softmax-loss.js';
import type { Forest } from '../../trees/forest/tree.js';
import type { Steps } from '../../trees/steps.js';
import type { ClassCalibration } from './calibration.js';
import { LEVELS } from './prediction-sets.js';
import type { Ranking } from './ranking.js';

/** A trained classifier. Its own calibration is for ordinary rows. */
export interface ClassificationModel extends ModelBase, ClassCalibration {
  readonly task: 'classification';
  /** The most frequent first. */
  readonly classes: readonly TargetClass[];
  readonly metrics: ClassificationMetrics;
  /** Null in a model that was decoded. */
  readonly ranking: Ranking | null;
  /** For each class a forest whose sum is its score; of two classes, one, for the second. */
  readonly class_forests: readonly Forest[];
  readonly partial_rows: ClassPartialRows | null;
}

export interface ClassPartialRows extends PartialRowsBase, ClassCalibration {
  /** Added to the scores of the class forests. */
  readonly correction_forests: readonly Forest[];
}

/** The accuracy of a classifier on rows that its forests were not trained on. */
export type ClassificationMetrics = v.InferOutput<typeof metricsSchema>;

/** The accuracy of a classifier on the rows of one class. */
export type ClassMetrics = ClassificationMetrics['by_class'][number];

const shareSchema = v.nullable(levelSchema);

const metricsSchema = v.strictObject({
  /** The mean negative natural logarithm of the probability that rows give to their class. */
  log_loss: nonNegativeSchema,
  /** The same of always answering with the shares of the classes. */
  baseline_log_loss: nonNegativeSchema,
  /** The share of rows whose most likely class is theirs. */
  accuracy: levelSchema,
  /** The same of always answering the commonest class of the table. */
  baseline_accuracy: levelSchema,
  /** The mean of the classes' recalls. */
  balanced_accuracy: levelSchema,
  /** The mean squared distance of the probabilities from the truth, summed over the classes (Brier 1950). */
  brier_score: nonNegativeSchema,
  /** The mean distance of confidence from accuracy over 15 groups of as many rows (expected calibration error). */
  calibration_error: levelSchema,
  /** Rows by the confidence of their class, ascending, in groups of about as many rows. */
  reliability: reliabilitySchema,
  /** Rows by their class, and by the class that they are answered with, both in the order of the classes. */
  confusion: v.array(v.array(indexSchema)),
  /** The confidence at which the sets were measured: 0.9. */
  set_level: levelSchema,
  /** The share of rows whose set holds their class. */
  set_coverage: levelSchema,
  /** The mean number of classes in a set. */
  set_size: nonNegativeSchema,
  /** In the order of the classes. */
  by_class: v.array(
    v.strictObject({
      class: v.string(),
      rows: indexSchema,
      /** The share of the class's rows that are answered with it; null without such rows. */
      recall: shareSchema,
      /** The share of the rows answered with the class that are of it; null if none are. */
      precision: shareSchema,
      set_coverage: shareSchema,
      set_size: v.nullable(nonNegativeSchema),
      /** All rows by the probability of this class, ascending. */
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
    thresholds: v.array(
      v.pipe(
        numbersSchema((level) => level >= 0 && level <= 1),
        v.length(LEVELS),
      ),
    ),
  }),
};

const headSchema = v.object({
  task: v.literal('classification'),
  target: v.string(),
  missing_words: listedWordsSchema,
  row_count: countSchema,
  classes: v.pipe(
    v.array(
      v.strictObject({ name: v.string(), rows: countSchema, merged_count: indexSchema, merged: v.array(v.string()) }),
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
});

/** The head of an encoded classifier. */
export const classificationHeadSchema = v.pipe(
  headSchema,
  v.check(isConsistent, 'A class or partial rows refer to what the model does not have.'),
);

function isConsistent(head: v.InferOutput<typeof headSchema>): boolean {
  const { classes, features, class_forests, partial_rows } = head;
  const forests = forestCount(classes.length);
  const calibrations = [head, ...(partial_rows ? [partial_rows] : [])];
  return (
    class_forests.length === forests &&
    (partial_rows === null ||
      (partial_rows.correction_forests.length === forests && partial_rows.unfamiliar_bins.length === features)) &&
    calibrations.every(
      ({ probabilities: { shifts, shares }, sets: { groups, thresholds } }) =>
        [shifts, shares, groups].every(({ length }) => length === classes.length) &&
        groups.every((group) => group < thresholds.length),
    )
  );
}

/** Returns the head of a classifier, and writes the rest of it as lines. */
export function encodeClassification(model: ClassificationModel, lines: ModelLineWriter) {
  const { class_forests, partial_rows, ranking: _, ...rest } = model;
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
export function* decodeClassification(
  head: v.InferOutput<typeof classificationHeadSchema>,
  lines: ModelLineReader,
): Steps<ClassificationModel> {
  const { partial_rows } = head;
  return {
    ...head,
    ...(yield* lines.inputs(head)),
    ranking: null,
    class_forests: yield* lines.forests(head.class_forests),
    partial_rows: partial_rows && {
      ...partial_rows,
      correction_forests: yield* lines.forests(partial_rows.correction_forests),
    },
  };
}
