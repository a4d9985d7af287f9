import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable } from './looked-table.js';

/** The columns whose pairs are tried, and the rows that refuse most of them at once. */
const MAX_COLUMNS = 60;
const MAX_ROWS = 500;

/** The share of the rows in which a formula must hold, and the relative error that counts as equal. */
const HOLDS = 0.98;
const EXACT = 1e-6;

const MIN_ROWS = 30;

const OPERATIONS = [
  ['the sum of', (one: number, other: number) => one + other],
  ['the difference of', (one: number, other: number) => one - other],
  ['the difference of', (one: number, other: number) => other - one],
  ['the product of', (one: number, other: number) => one * other],
  ['the quotient of', (one: number, other: number) => one / other],
  ['the quotient of', (one: number, other: number) => other / one],
] as const;

/** Finds a target that is computed from two columns: their sum, difference, product or quotient. */
export function findFormula({ target, columns }: LookedTable): Finding | undefined {
  if (target === null || target.kind !== 'number' || target.distinct < 5) return undefined;
  const numbers = columns.filter(({ kind, distinct }) => kind === 'number' && distinct > 2).slice(0, MAX_COLUMNS);
  const rows = Uint32Array.from(target.sample, (_, at) => at)
    .filter((at) => Number.isFinite(target.sample[at]))
    .subarray(0, MAX_ROWS);
  for (const [index, one] of numbers.entries()) {
    for (const other of numbers.slice(index + 1)) {
      const operation = OPERATIONS.find(([, compute]) => holds(target, one, other, compute, rows));
      if (operation !== undefined) return describe(target, one, other, operation[0]);
    }
  }
  return undefined;
}

function holds(
  target: LookedColumn,
  one: LookedColumn,
  other: LookedColumn,
  compute: (one: number, other: number) => number,
  rows: Uint32Array,
): boolean {
  let [looked, wrong] = [0, 0];
  for (const at of rows) {
    const truth = target.sample[at] ?? Number.NaN;
    const [x = Number.NaN, z = Number.NaN] = [one.sample[at], other.sample[at]];
    // Zeros make many formulas true.
    if (!Number.isFinite(x) || !Number.isFinite(z) || truth === 0 || x === 0 || z === 0) continue;
    looked++;
    if (Math.abs(compute(x, z) - truth) > EXACT * Math.abs(truth)) wrong++;
    if (wrong > (1 - HOLDS) * Math.max(looked, 100)) return false;
  }
  return looked >= MIN_ROWS && wrong <= (1 - HOLDS) * looked;
}

function describe(target: LookedColumn, one: LookedColumn, other: LookedColumn, what: string): Finding {
  const names = `${quote(one.name)} and ${quote(other.name)}`;
  return {
    kind: 'leak',
    column: one.name,
    rows: null,
    share: null,
    places: [],
    message: `The target ${quote(target.name)} is ${what} the columns ${names}.`,
    effect:
      'If both are known when you predict, no model is needed; if they are not, the model seems nearly perfect here and fails on new rows.',
    remedies: [one, other].map(({ name }) => ({ parameter: 'exclude', value: name })),
  };
}
