import { z } from 'zod';
import { DATE_PARTS } from '../binning/date-parts.js';
import { MAX_BINS, MAX_LEAVES, type Split, type Tree } from '../forest/tree.js';
import { MAX_CATEGORIES } from '../table/categories.js';
import { isRowObject, type RowObject } from '../table/row-object.js';

/** The parts of encoded models of both tasks. */

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

/** Trees are most of a model, and zod would take ten times as long to check them. */
export const treeSchema = z.custom<Tree>(isTree, 'The splits and leaves are not a tree.');

function isTree(value: unknown): value is Tree {
  if (!hasKeys(value, 2)) return false;
  const { splits, leaves } = value;
  return (
    Array.isArray(splits) &&
    Array.isArray(leaves) &&
    leaves.length === splits.length + 1 &&
    leaves.length <= MAX_LEAVES &&
    leaves.every((leaf) => typeof leaf === 'number') &&
    splits.every(isSplit) &&
    isConnected(splits)
  );
}

function isSplit(value: unknown): value is Split {
  if (!hasKeys(value, 4)) return false;
  const { feature, left_bins, left, right } = value;
  return (
    isIndex(feature) &&
    Array.isArray(left_bins) &&
    left_bins.length >= 2 &&
    left_bins.every((bin) => isIndex(bin) && bin < MAX_BINS) &&
    Number.isInteger(left) &&
    Number.isInteger(right)
  );
}

/** Every split but the root, and every leaf, is the child of one split that comes before it. */
function isConnected(splits: readonly Split[]): boolean {
  const children = splits.flatMap(({ left, right }) => [left, right]);
  const isSound = (child: number, index: number) =>
    child < 0 ? ~child <= splits.length : child > index >> 1 && child < splits.length;
  return new Set(children).size === children.length && children.every(isSound);
}

function isIndex(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

function hasKeys(value: unknown, count: number): value is RowObject {
  return isRowObject(value) && Object.keys(value).length === count;
}

/** A forest without its trees, which are lines of their own: `trees` is their number. */
export const forestHeadSchema = z.strictObject({ base: z.number(), trees: indexSchema });

export const featureSchema = z.strictObject({
  column: indexSchema,
  part: z.enum(DATE_PARTS).nullable(),
  cuts: z.array(z.number()).max(MAX_BINS - 2),
});

/** For each feature, its unfamiliar bins: of missing values, and of a category's other values. */
export const unfamiliarBinsSchema = z.array(z.array(binSchema).max(2));

export const reliabilitySchema = z.array(
  z.strictObject({ nominal: levelSchema, observed: levelSchema, rows: z.int().positive() }),
);
