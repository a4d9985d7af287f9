import * as v from 'valibot';
import { isRowObject, type RowObject } from '../table/cells.js';
import { columnReadingSchema } from '../table/codec/format.js';
import { MAX_CATEGORIES } from '../table/column-profile.js';
import { MISSING_BIN } from '../trees/binning/bin-mapper.js';
import { DATE_PARTS } from '../trees/binning/date-parts.js';
import { MAX_BINS, MAX_LEAVES, type Split, type Tree } from '../trees/forest/tree.js';

/** The parts of encoded models of both tasks. */

export const indexSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const countSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
export const positiveSchema = v.pipe(v.number(), v.gtValue(0));
export const nonNegativeSchema = v.pipe(v.number(), v.minValue(0));
export const levelSchema = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/**
 * Returns the schema of a list of numbers. `v.array` takes three times the time and memory, because it makes an object
 * for each number.
 *
 * @param isSound whether a number may be in the list.
 */
export function numbersSchema(isSound: (value: number) => boolean = () => true) {
  return v.custom<number[]>(
    (list) => Array.isArray(list) && list.every((value) => typeof value === 'number' && isSound(value)),
    'A list must hold numbers in their bounds.',
  );
}

export const columnSchema = v.strictObject({
  name: v.string(),
  kind: v.picklist(['number', 'date', 'category']),
  used: v.boolean(),
  reason: v.nullable(v.string()),
  missing_share: levelSchema,
  min: v.nullable(v.union([v.number(), v.string()])),
  max: v.nullable(v.union([v.number(), v.string()])),
  categories: v.nullable(v.pipe(v.array(v.string()), v.maxLength(MAX_CATEGORIES))),
  reading: v.nullable(columnReadingSchema),
  importance: v.nullable(v.strictObject({ gain: levelSchema, permutation: v.number() })),
  chosen: v.exactOptional(v.picklist(['unused', 'number', 'date', 'category'])),
  missing_words: v.exactOptional(v.pipe(v.array(v.string()), v.readonly())),
});

const binSchema = v.pipe(indexSchema, v.maxValue(MAX_BINS - 1));

/** Trees are most of a model, and valibot would take ten times as long to check them. */
export const treeSchema = v.custom<Tree>(isTree, 'The splits and leaves are not a tree.');

function isTree(value: unknown): value is Tree {
  if (!isRowObject(value)) return false;
  const { splits, leaves, covers, ...others } = value;
  return (
    Object.keys(others).length === 0 &&
    Array.isArray(splits) &&
    Array.isArray(leaves) &&
    leaves.length === splits.length + 1 &&
    leaves.length <= MAX_LEAVES &&
    leaves.every((leaf) => typeof leaf === 'number') &&
    (covers === undefined || (Array.isArray(covers) && covers.length === leaves.length && covers.every(isCount))) &&
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

function isCount(value: unknown): value is number {
  return isIndex(value) && value > 0;
}

function hasKeys(value: unknown, count: number): value is RowObject {
  return isRowObject(value) && Object.keys(value).length === count;
}

/** A forest without its trees, which are their own lines: `trees` is their number. */
export const forestHeadSchema = v.strictObject({ base: v.number(), trees: indexSchema });

const isValueBin = (bin: number) => Number.isInteger(bin) && bin > MISSING_BIN && bin < MAX_BINS;

const valueBinsSchema = v.pipe(
  v.strictObject({
    texts: v.array(v.string()),
    bins: numbersSchema(isValueBin),
    others: v.pipe(v.number(), v.check(isValueBin)),
  }),
  v.check(({ texts, bins }) => texts.length === bins.length, 'A statistic must have a bin for each of its texts.'),
);

export const featureSchema = v.strictObject({
  column: indexSchema,
  part: v.nullable(v.picklist(DATE_PARTS)),
  cuts: v.pipe(numbersSchema(), v.maxLength(MAX_BINS - 2)),
  statistic: v.exactOptional(valueBinsSchema),
});

/** For each feature, its unfamiliar bins: of missing values, and of a category's other values. */
export const unfamiliarBinsSchema = v.array(v.pipe(v.array(binSchema), v.maxLength(2)));

export const reliabilitySchema = v.array(
  v.strictObject({ nominal: levelSchema, observed: levelSchema, rows: countSchema }),
);
