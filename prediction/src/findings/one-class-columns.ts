import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable, LookedTarget } from './looked-table.js';
import { showRows, showShare } from './words.js';

/** The share of the filled rows that are of one class, and the part of the rows of this class that are filled. */
const PURE = 0.98;
const MIN_FILLED = 0.2;

/** How unlikely so many rows of one class are by chance. */
const MAX_CHANCE = 1e-6;

/** The share of the rows that have the most frequent value of a number, for it to stand for a class. */
const MIN_FREQUENT = 0.1;

/** Finds columns that are filled only for one class of the target, or only where a number is or is not a frequent value, such as 0. */
export function findOneClassColumns({ target, columns }: LookedTable): Finding[] {
  if (target === null) return [];
  const groups = groupTarget(target);
  if (groups === undefined) return [];
  return columns.flatMap((column) => {
    if (column.present === 0 || column.present === column.sample.length) return [];
    const found = findClass(column, groups);
    return found ? [describe(target, column, found)] : [];
  });
}

/** The effect of a column that predicts the target, as findings have it. */
export const LEAK_EFFECT =
  'If its values are known only after the target, the model seems nearly perfect here and fails on new rows. Is it known when you predict?';

interface Groups {
  readonly groupOf: Float64Array;
  readonly names: readonly string[];
}

/** The class of each row of the sample, or whether its number is the most frequent one. */
function groupTarget({ classes, sample, sorted, name }: LookedTarget): Groups | undefined {
  if (classes !== null) {
    return { groupOf: sample, names: classes.map((each) => `the class ${quote(each.name)}`) };
  }
  const [frequent, times] = mostFrequent(sorted);
  if (times < MIN_FREQUENT * sample.length) return undefined;
  return {
    groupOf: sample.map((value) => Number(value !== frequent)),
    names: [`${quote(name)} = ${frequent}`, `another ${quote(name)} than ${frequent}`],
  };
}

/** Returns the most frequent of values in ascending order, and how often it occurs. */
function mostFrequent(sorted: Float64Array): [value: number, times: number] {
  let [value, times, start] = [Number.NaN, 0, 0];
  for (let at = 0; at < sorted.length; at++) {
    if (sorted[at] !== sorted[start]) start = at;
    if (at - start + 1 > times) [value, times] = [sorted[at] ?? Number.NaN, at - start + 1];
  }
  return [value, times];
}

interface FoundClass {
  readonly name: string;
  readonly rows: number;
  readonly share: number;
}

function findClass({ sample, present }: LookedColumn, { groupOf, names }: Groups): FoundClass | undefined {
  const all = new Float64Array(names.length);
  const filled = new Float64Array(names.length);
  for (const [at, group] of groupOf.entries()) {
    if (Number.isNaN(group)) continue;
    all[group] = (all[group] ?? 0) + 1;
    if (!Number.isNaN(sample[at])) filled[group] = (filled[group] ?? 0) + 1;
  }
  const group = filled.indexOf(Math.max(...filled));
  const rows = filled[group] ?? 0;
  const prior = (all[group] ?? 0) / groupOf.length;
  if (rows < PURE * present || rows < MIN_FILLED * (all[group] ?? 0) || prior ** present > MAX_CHANCE) return undefined;
  return { name: names[group] ?? '', rows: present, share: rows / present };
}

function describe({ sample }: LookedTarget, column: LookedColumn, { name, rows, share }: FoundClass): Finding {
  const part = share < 1 ? `, ${showShare(Math.floor(1000 * share) / 1000)} of them` : '';
  return {
    kind: 'one_class_column',
    column: column.name,
    rows,
    share: rows / sample.length,
    places: [],
    message: `The column ${quote(column.name)} is filled only in rows of ${name}${part} (${showRows(rows)}): whether it has a value says the target.`,
    effect: LEAK_EFFECT,
    remedies: [{ parameter: 'exclude', value: column.name }],
  };
}
