import { quote } from '../table/table-error.js';
import { seededRandom, shuffledRange } from '../trees/random.js';
import { describeCopy } from './copies.js';
import type { Finding } from './finding.js';
import { findFormula } from './formula.js';
import type { LookedColumn, LookedTable, LookedTarget } from './looked-table.js';
import { LEAK_EFFECT } from './one-class-columns.js';
import { isRowNumber } from './plain-columns.js';
import { chooseRepeated } from './repeated-values.js';
import {
  classByCategory,
  classByNeighbours,
  differsFromNeighbours,
  FOLDS,
  predictByCategory,
  predictByNeighbours,
  SEED,
  spreadFolds,
  variesBesideNeighbours,
  variesInCategories,
} from './single-column.js';
import { correlation, differences, explained, ranks, successiveRatio } from './statistics.js';

/** The rows on which single columns predict the target. */
const MAX_ROWS = 4000;
const MIN_ROWS = 50;

/** The part of the variance, of numbers and of their ranks, above which a column explains a target nearly fully. */
const MIN_EXPLAINED = 0.99;

/** The part of the errors of the most frequent class that a column may leave. */
const MAX_ERRORS = 0.02;

const MIN_MINORITY = 10;

/** Series that drift have a ratio of von Neumann far below 2: one drift predicts another, whatever causes them. */
const DRIFTING = 0.5;
const MIN_STEP_CORRELATION = 0.9;

/** So many times the errors that a column may leave show that it leaves too many, where they are counted roughly. */
const FAR_TOO_MANY = 5;

/** The rows of a category that are enough to know its mean. */
const MIN_PER_CATEGORY = 3;

/** Finds columns that predict nearly all of the target, and so are probably known only after it. */
export function findLeaks(table: LookedTable): Finding[] {
  const { target, columns } = table;
  if (target === null || target.present < MIN_ROWS) return [];
  const sampled = sampleTarget(target);
  const single = columns.flatMap((column) => {
    if (column.distinct < 2) return [];
    const copy = describeCopy(target, column);
    if (copy !== undefined) return [describe(column, `${copy} the target ${quote(target.name)}`)];
    if (column.isIdentifier || isRowNumber(table, column) || runsWithRows(column)) return [];
    const [all, repeated] = target.classes === null ? NUMBERS : CLASSES;
    const text = all(target, column, sampled) ?? measureRepeated(table, target, column, repeated);
    return text === undefined ? [] : [describe(column, text)];
  });
  const formula = single.length > 0 ? undefined : findFormula(table);
  return formula ? [formula] : single;
}

function describe(column: LookedColumn, text: string): Finding {
  return {
    kind: 'leak',
    column: column.name,
    rows: null,
    share: null,
    places: [],
    message: `The column ${quote(column.name)} ${text}.`,
    effect: LEAK_EFFECT,
    remedies: [{ parameter: 'exclude', value: column.name }],
  };
}

/** Returns a share in words, rounded down: 99.9 % is not 100 %. */
function showTenths(share: number): string {
  return `${Math.floor(1000 * share) / 10} %`;
}

/** Returns indexes of sampled rows with a target, at most `MAX_ROWS`, evenly spaced. */
function chooseRows({ sample }: LookedTarget): Uint32Array {
  const present = new Uint32Array(sample.length);
  let size = 0;
  for (let at = 0; at < sample.length; at++) if (Number.isFinite(sample[at])) present[size++] = at;
  const count = Math.min(MAX_ROWS, size);
  const rows = new Uint32Array(count);
  for (let at = 0; at < count; at++) rows[at] = present[Math.floor((at * size) / count)] ?? 0;
  return rows;
}

/** Indexes of sampled rows, the fold in which each is held out, its target, and the rank of that. */
interface SampledTarget {
  readonly rows: Uint32Array;
  readonly folds: Uint32Array;
  readonly y: Float64Array;
  readonly ranked: Float64Array;
}

function sampleTarget(target: LookedTarget): SampledTarget {
  const rows = chooseRows(target);
  const y = valuesAt(target, rows);
  return { rows, folds: chooseFolds(rows.length), y, ranked: ranks(y) };
}

function valuesAt({ sample }: LookedColumn, rows: Uint32Array): Float64Array {
  const values = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) values[at] = sample[rows[at] ?? 0] ?? Number.NaN;
  return values;
}

/** Returns the fold of each row, at random. */
function chooseFolds(count: number): Uint32Array {
  return shuffledRange(count, seededRandom(SEED)).map((at) => at % FOLDS);
}

/** A column that is sorted, as the rows are, predicts whatever the rows are sorted by. */
function runsWithRows({ kind, sample, distinct, present }: LookedColumn): boolean {
  if (kind === 'category' || 2 * distinct < present) return false;
  let [last, rises, falls] = [Number.NaN, false, false];
  for (let at = 0; at < sample.length && !(rises && falls); at++) {
    const value = sample[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    if (value > last) rises = true;
    if (value < last) falls = true;
    last = value;
  }
  return !(rises && falls);
}

function measureNumber(
  target: LookedTarget,
  column: LookedColumn,
  { rows, folds, y, ranked }: SampledTarget,
): string | undefined {
  const isCategory = column.kind === 'category';
  if (isCategory && column.distinct * MIN_PER_CATEGORY > column.present) return undefined;
  const x = valuesAt(column, rows);
  if (isCategory ? variesInCategories(x, ranked, 1 - MIN_EXPLAINED) : variesBesideNeighbours(x, ranked))
    return undefined;
  const predict = isCategory ? predictByCategory : predictByNeighbours;
  return describeExplained(target, column, { x, y, ranked }, (values) => predict(x, values, folds));
}

/** The values of a column and of the target in some rows, and the ranks of those of the target. */
interface Pairs {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly ranked: Float64Array;
}

function describeExplained(
  target: LookedTarget,
  column: LookedColumn,
  { x, y, ranked }: Pairs,
  predict: (values: Float64Array) => Float64Array,
): string | undefined {
  const share = explained(y, predict(y));
  if (share < MIN_EXPLAINED) return undefined;
  // Few extreme rows may carry the variance.
  if (explained(ranked, predict(ranked)) < MIN_EXPLAINED) return undefined;
  if (column.kind !== 'category' && successiveRatio(x) < DRIFTING && successiveRatio(y) < DRIFTING) {
    if (Math.abs(correlation(differences(x), differences(y))) < MIN_STEP_CORRELATION) return undefined;
  }
  return `alone explains ${showTenths(share)} of the differences in the target ${quote(target.name)}`;
}

function measureClasses(
  target: LookedTarget,
  column: LookedColumn,
  { rows, folds, y }: SampledTarget,
): string | undefined {
  const isCategory = column.kind === 'category';
  if (isCategory && column.distinct * MIN_PER_CATEGORY > column.present) return undefined;
  const x = valuesAt(column, rows);
  const others = countOthers(y);
  if (others < MIN_MINORITY) return undefined;
  if (!isCategory && differsFromNeighbours(x, y) > FAR_TOO_MANY * MAX_ERRORS * others) return undefined;
  return describePredicted(target, y, isCategory ? classByCategory(x, y, folds) : classByNeighbours(x, y, folds));
}

/** Returns the number of rows that are not of the most frequent class. */
function countOthers(y: Float64Array): number {
  const counts = new Map<number, number>();
  for (const value of y) counts.set(value, (counts.get(value) ?? 0) + 1);
  return y.length - Math.max(...counts.values());
}

function describePredicted(target: LookedTarget, y: Float64Array, predicted: Float64Array): string | undefined {
  const errors = predicted.reduce((sum, value, at) => sum + Number(value !== y[at]), 0);
  if (errors > MAX_ERRORS * countOthers(y)) return undefined;
  return `alone predicts the class of the target ${quote(target.name)} in ${showTenths(1 - errors / y.length)} of the rows that were held out`;
}

/** Where a value has more rows than this, on average, random folds leave some of them beside each held-out row. */
const MANY_PER_VALUE = 20;

type MeasureRepeated = (target: LookedTarget, column: LookedColumn, pairs: Pairs) => string | undefined;

/** Measures a column in the rows that share their value with another: most rows of a code are alone in a sample. */
function measureRepeated(
  table: LookedTable,
  target: LookedTarget,
  column: LookedColumn,
  measure: MeasureRepeated,
): string | undefined {
  if (column.distinct * MANY_PER_VALUE < column.present) return undefined;
  const rows = chooseRepeated(table, column, target);
  if (rows === undefined) return undefined;
  const y = Float64Array.from(rows, target.at);
  const text = measure(target, column, { x: Float64Array.from(rows, column.at), y, ranked: ranks(y) });
  return text && `${text}, where rows share its value`;
}

const repeatedNumber: MeasureRepeated = (target, column, pairs) => {
  const { x, ranked } = pairs;
  if (variesInCategories(x, ranked, 1 - MIN_EXPLAINED)) return undefined;
  const folds = spreadFolds(x);
  return describeExplained(target, column, pairs, (values) => predictByCategory(x, values, folds));
};

const repeatedClass: MeasureRepeated = (target, _, { x, y }) =>
  countOthers(y) < MIN_MINORITY ? undefined : describePredicted(target, y, classByCategory(x, y, spreadFolds(x)));

const NUMBERS = [measureNumber, repeatedNumber] as const;
const CLASSES = [measureClasses, repeatedClass] as const;
