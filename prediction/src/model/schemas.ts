import { z } from 'zod';
import { DATE_PARTS } from '../binning/date-parts.js';
import { type Forest, MAX_BINS, MAX_LEAVES, type Tree } from '../forest/tree.js';
import { MAX_CATEGORIES } from '../table/categories.js';

/** What encoded models of both tasks are made of. */

export const indexSchema = z.int().nonnegative();
export const levelSchema = z.number().min(0).max(1);

export const columnSchema = z.strictObject({
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

export const forestSchema = z.strictObject({ base: z.number(), trees: z.array(treeSchema) });

export const featuresSchema = z.array(
  z.strictObject({
    column: indexSchema,
    part: z.enum(DATE_PARTS).nullable(),
    cuts: z.array(z.number()).max(MAX_BINS - 2),
  }),
);

/** For each feature, its unfamiliar bins: of missing values, and of a category's other values. */
export const unfamiliarBinsSchema = z.array(z.array(binSchema).max(2));

export const reliabilitySchema = z.array(
  z.strictObject({ nominal: levelSchema, observed: levelSchema, rows: z.int().positive() }),
);

/** Whether features and splits refer to columns and features that there are. */
export function refersToItsOwn(
  columnCount: number,
  features: readonly { readonly column: number }[],
  forests: readonly Forest[],
  unfamiliarBins: readonly unknown[] | undefined,
): boolean {
  const splits = forests.flatMap(({ trees }) => trees.flatMap((tree) => tree.splits));
  return (
    features.every(({ column }) => column < columnCount) &&
    (unfamiliarBins === undefined || unfamiliarBins.length === features.length) &&
    splits.every(({ feature }) => feature < features.length)
  );
}
