import { quote } from '../table/table-error.js';
import { seededRandom, shuffledRange } from '../trees/random.js';
import { describeCopy } from './copies.js';
import type { Finding } from './finding.js';
import { findFormula } from './formula.js';
import type { LookedColumn, LookedTable, LookedTarget } from './looked-table.js';
import { LEAK_EFFECT } from './one-class-columns.js';
import { isRowNumber } from './plain-columns.js';
import { correlation, differences, explained, ranks, successiveRatio } from './statistics.js';

/** The rows on which single columns predict the target, and the folds in which they are held out. */
const MAX_ROWS = 4000;
const FOLDS = 5;
const SEED = 52;
const MIN_ROWS = 50;

/** The part of the variance, of numbers and of their ranks, above which a column explains a target nearly fully. */
const MIN_EXPLAINED = 0.99;

/** The part of the errors of the most frequent class that a column may leave. */
const MAX_ERRORS = 0.02;

const MIN_MINORITY = 10;

/** Series that drift have a ratio of von Neumann far below 2: one drift predicts another, whatever causes them. */
const DRIFTING = 0.5;
const MIN_STEP_CORRELATION = 0.9;

/** The neighbours that vote on a class, and the rows of a category that are enough to know its mean. */
const NEIGHBOURS = 3;
const MIN_PER_CATEGORY = 3;

/** Finds columns that predict nearly all of the target, and so are probably known only after it. */
export function findLeaks(table: LookedTable): Finding[] {
  const { target, columns } = table;
  if (target === null || target.present < MIN_ROWS) return [];
  const rows = chooseRows(target);
  const folds = chooseFolds(rows.length);
  const single = columns.flatMap((column) => {
    if (column.distinct < 2) return [];
    const copy = describeCopy(target, column);
    if (copy !== undefined) return [describe(column, `${copy} the target ${quote(target.name)}`)];
    if (column.isIdentifier || isRowNumber(table, column) || runsWithRows(column)) return [];
    const measured = target.classes === null ? measureNumber : measureClasses;
    const text = measured(target, column, rows, folds);
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
  const present = Uint32Array.from(sample, (_, at) => at).filter((at) => Number.isFinite(sample[at]));
  const count = Math.min(MAX_ROWS, present.length);
  return Uint32Array.from({ length: count }, (_, at) => present[Math.floor((at * present.length) / count)] ?? 0);
}

/** Returns the fold of each row, at random. */
function chooseFolds(count: number): Uint32Array {
  return shuffledRange(count, seededRandom(SEED)).map((at) => at % FOLDS);
}

/** A column that is sorted, as the rows are, predicts whatever the rows are sorted by. */
function runsWithRows({ kind, sample, distinct, present }: LookedColumn): boolean {
  if (kind === 'category' || 2 * distinct < present) return false;
  const steps = differences(sample.filter((value) => !Number.isNaN(value)));
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0);
}

function measureNumber(
  target: LookedTarget,
  column: LookedColumn,
  rows: Uint32Array,
  folds: Uint32Array,
): string | undefined {
  const y = Float64Array.from(rows, (row) => target.sample[row] ?? Number.NaN);
  const x = Float64Array.from(rows, (row) => column.sample[row] ?? Number.NaN);
  const isCategory = column.kind === 'category';
  if (isCategory && column.distinct * MIN_PER_CATEGORY > column.present) return undefined;
  const predict = isCategory ? predictByCategory : predictByNeighbours;
  const share = explained(y, predict(x, y, folds));
  if (share < MIN_EXPLAINED) return undefined;
  // Few extreme rows may carry the variance.
  const ranked = ranks(y);
  if (explained(ranked, predict(x, ranked, folds)) < MIN_EXPLAINED) return undefined;
  if (!isCategory && successiveRatio(x) < DRIFTING && successiveRatio(y) < DRIFTING) {
    if (Math.abs(correlation(differences(x), differences(y))) < MIN_STEP_CORRELATION) return undefined;
  }
  return `alone explains ${showTenths(share)} of the differences in the target ${quote(target.name)}`;
}

function measureClasses(
  target: LookedTarget,
  column: LookedColumn,
  rows: Uint32Array,
  folds: Uint32Array,
): string | undefined {
  if (column.kind === 'category' && column.distinct * MIN_PER_CATEGORY > column.present) return undefined;
  const y = Float64Array.from(rows, (row) => target.sample[row] ?? Number.NaN);
  const x = Float64Array.from(rows, (row) => column.sample[row] ?? Number.NaN);
  const counts = new Map<number, number>();
  for (const value of y) counts.set(value, (counts.get(value) ?? 0) + 1);
  const others = y.length - Math.max(...counts.values());
  if (others < MIN_MINORITY) return undefined;
  const predicted = column.kind === 'category' ? classByCategory(x, y, folds) : classByNeighbours(x, y, folds);
  const errors = predicted.reduce((sum, value, at) => sum + Number(value !== y[at]), 0);
  if (errors > MAX_ERRORS * others) return undefined;
  return `alone predicts the class of the target ${quote(target.name)} in ${showTenths(1 - errors / y.length)} of the rows that were held out`;
}

/** Predicts held-out rows by the mean of their category in the other folds; the mean of all where it has none. */
function predictByCategory(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const predicted = new Float64Array(y.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const sums = new Map<number, [sum: number, rows: number]>();
    const all: [number, number] = [0, 0];
    for (let at = 0; at < y.length; at++) {
      if (folds[at] === fold) continue;
      const key = x[at] ?? Number.NaN;
      const own = sums.get(key) ?? [0, 0];
      sums.set(key, own);
      for (const sum of [own, all]) [sum[0], sum[1]] = [sum[0] + (y[at] ?? 0), sum[1] + 1];
    }
    for (let at = 0; at < y.length; at++) {
      if (folds[at] !== fold) continue;
      const [sum, count] = sums.get(x[at] ?? Number.NaN) ?? all;
      predicted[at] = sum / count;
    }
  }
  return predicted;
}

/** Predicts held-out rows by a line between the nearest lower and higher values of the other folds; missing ones by their mean. */
function predictByNeighbours(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const order = sortedPresent(
    x,
    Uint32Array.from(x, (_, at) => at),
  );
  const predicted = predictByCategory(
    x.map((value) => (Number.isNaN(value) ? value : 0)),
    y,
    folds,
  );
  for (let fold = 0; fold < FOLDS; fold++) {
    const points = meansByValue(order, x, y, (at) => folds[at] !== fold);
    let next = 0;
    for (const at of order) {
      if (folds[at] !== fold) continue;
      const value = x[at] ?? 0;
      while (next < points.length && (points[next]?.x ?? 0) < value) next++;
      const above = points[next] ?? points[next - 1];
      const below = points[next - 1] ?? above;
      if (above === undefined || below === undefined) continue;
      const part = above.x > below.x ? Math.min(1, (value - below.x) / (above.x - below.x)) : 0;
      predicted[at] = below.y + part * (above.y - below.y);
    }
  }
  return predicted;
}

/** Returns the rows with a value, sorted by it; rows with equal values stay in the order of `among`. */
function sortedPresent(x: Float64Array, among: Uint32Array): Uint32Array {
  return among.filter((at) => Number.isFinite(x[at])).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0));
}

function meansByValue(order: Uint32Array, x: Float64Array, y: Float64Array, isUsed: (at: number) => boolean) {
  const points: { x: number; y: number; rows: number }[] = [];
  for (const at of order) {
    if (!isUsed(at)) continue;
    const value = x[at] ?? 0;
    const last = points.at(-1);
    if (last?.x === value) {
      last.rows++;
      last.y += ((y[at] ?? 0) - last.y) / last.rows;
    } else points.push({ x: value, y: y[at] ?? 0, rows: 1 });
  }
  return points;
}

/** Predicts the class of held-out rows as the most frequent one of their category in the other folds. */
function classByCategory(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const predicted = new Float64Array(y.length).fill(Number.NaN);
  for (let fold = 0; fold < FOLDS; fold++) {
    const votes = new Map<number, Map<number, number>>();
    for (let at = 0; at < y.length; at++) {
      if (folds[at] === fold) continue;
      const key = x[at] ?? Number.NaN;
      const own = votes.get(key) ?? new Map<number, number>();
      votes.set(key, own.set(y[at] ?? 0, (own.get(y[at] ?? 0) ?? 0) + 1));
    }
    for (let at = 0; at < y.length; at++) {
      if (folds[at] === fold) predicted[at] = mostFrequent(votes.get(x[at] ?? Number.NaN));
    }
  }
  return predicted;
}

/** Predicts the class of held-out rows by the nearest values of the other folds, in their order. */
function classByNeighbours(x: Float64Array, y: Float64Array, folds: Uint32Array): Float64Array {
  const predicted = classByCategory(
    x.map((value) => (Number.isNaN(value) ? value : 0)),
    y,
    folds,
  );
  // Rows of one value are in random order: in that of the table, the nearest ones would be its neighbours there.
  const random = shuffledRange(x.length, seededRandom(SEED));
  const order = sortedPresent(x, random);
  for (const [place, at] of order.entries()) {
    const votes = new Map<number, number>();
    for (const side of [-1, 1]) {
      for (let seen = 0, next = place + side; seen < NEIGHBOURS && next >= 0 && next < order.length; next += side) {
        const other = order[next] ?? 0;
        if (folds[other] === folds[at]) continue;
        seen++;
        // A row of the same value counts as much as all others.
        const weight = x[other] === x[at] ? 2 * NEIGHBOURS + 1 : 1;
        votes.set(y[other] ?? 0, (votes.get(y[other] ?? 0) ?? 0) + weight);
      }
    }
    predicted[at] = mostFrequent(votes);
  }
  return predicted;
}

function mostFrequent(votes: ReadonlyMap<number, number> | undefined): number {
  let [best, most] = [Number.NaN, 0];
  for (const [value, count] of votes ?? []) if (count > most) [best, most] = [value, count];
  return best;
}
