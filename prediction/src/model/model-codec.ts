import { z } from 'zod';
import { DATE_PARTS } from '../binning/date-parts.js';
import { MAX_BINS, MAX_LEAVES, type Tree } from '../forest/tree.js';
import { MAX_CATEGORIES } from '../table/categories.js';
import type { Model } from './model.js';

const FORMAT = 'roster-model/1';

const indexSchema = z.int().nonnegative();
const levelSchema = z.number().min(0).max(1);

const columnSchema = z.strictObject({
  name: z.string(),
  kind: z.enum(['number', 'date', 'category']),
  used: z.boolean(),
  reason: z.string().nullable(),
  missing_share: levelSchema,
  min: z.union([z.number(), z.string()]).nullable(),
  max: z.union([z.number(), z.string()]).nullable(),
  categories: z.array(z.string()).max(MAX_CATEGORIES).nullable(),
  importance: z.strictObject({ gain: levelSchema, permutation: z.number() }).nullable(),
});

const metricsSchema = z.strictObject({
  r2: z.number(),
  rmse: z.number(),
  mae: z.number(),
  baseline_rmse: z.number(),
  baseline_mae: z.number(),
  interval_level: levelSchema,
  interval_coverage: levelSchema,
  interval_coverage_by_error: z.array(levelSchema),
  reliability: z.array(
    z.strictObject({ nominal: levelSchema, observed: levelSchema, rows: z.int().positive() }),
  ),
  held_out_rows: z.int().positive(),
});

const binSchema = indexSchema.max(MAX_BINS - 1);

const splitSchema = z.strictObject({
  feature: indexSchema,
  left_bins: z.array(binSchema).min(2),
  left: z.int(),
  right: z.int(),
});

const treeSchema = z
  .strictObject({
    splits: z.array(splitSchema).max(MAX_LEAVES - 1),
    leaves: z.array(z.number()).min(1).max(MAX_LEAVES),
  })
  .refine(isTree, 'The splits and leaves are not a tree.');

/** Every split but the root, and every leaf, is the child of one split that comes before it. */
function isTree({ splits, leaves }: Tree): boolean {
  const children = splits.flatMap(({ left, right }) => [left, right]);
  const isSound = (child: number, index: number) =>
    child < 0 ? ~child < leaves.length : child > index >> 1 && child < splits.length;
  return (
    leaves.length === splits.length + 1 &&
    new Set(children).size === children.length &&
    children.every(isSound)
  );
}

const forestSchema = z.strictObject({ base: z.number(), trees: z.array(treeSchema) });

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
  /** Of missing values, and of a category's other values. */
  unfamiliar_bins: z.array(z.array(binSchema).max(2)),
  correction_forest: forestSchema,
  ...errorModelShape,
});

const modelSchema = z
  .object({
    format: z.literal(FORMAT),
    target: z.string(),
    row_count: z.int().positive(),
    columns: z.array(columnSchema),
    metrics: metricsSchema,
    features: z.array(
      z.strictObject({
        column: indexSchema,
        part: z.enum(DATE_PARTS).nullable(),
        cuts: z.array(z.number()).max(MAX_BINS - 2),
      }),
    ),
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
  .refine(refersToItsOwn, 'A feature or a split refers to what the model does not have.');

function refersToItsOwn(model: Model): boolean {
  const { columns, features, value_forest, error_forest, partial_rows } = model;
  const forests = [value_forest, error_forest];
  if (partial_rows) forests.push(partial_rows.correction_forest, partial_rows.error_forest);
  const splits = forests.flatMap(({ trees }) => trees.flatMap((tree) => tree.splits));
  return (
    features.every(({ column }) => column < columns.length) &&
    (partial_rows === null || partial_rows.unfamiliar_bins.length === features.length) &&
    splits.every(({ feature }) => feature < features.length)
  );
}

/** A model as JSON text in UTF-8. Decoded, it predicts the same to the last bit. */
export function encodeModel(model: Model): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ format: FORMAT, ...model }));
}

/** @throws {Error} if the bytes are not an encoded model of this format. */
export function decodeModel(bytes: Uint8Array): Model {
  const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  const { format: _, ...model } = modelSchema.parse(parsed);
  return model;
}
