import fc from 'fast-check';
import type { TestColumn } from '../../testkit/data/table-files.js';

/** A random table whose column `target` can be predicted. */
export interface RandomTable {
  readonly task: 'regression' | 'classification';
  readonly columns: readonly TestColumn[];
}

/** The name of the column to predict. */
export const TARGET = 'target';

const ROWS = 80;
const NAMES = ['carat', 'Größe in cm', 'a "b", c', 'x;y', '名前', 'line\nbreak'];
const TEXTS = ['Ideal', 'very, good', '"quoted"', 'größe', '日本 🙂', 'line\r\nbreak', 'O’Hara'];

const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.constantFrom(-0, 0.1 + 0.2, 5e-324, 2 ** 53),
);
const values = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.option(value, { freq: 10 }), { minLength: ROWS, maxLength: ROWS });

const column = (name: string): fc.Arbitrary<TestColumn> =>
  fc.oneof(
    values(number).map((values) => ({ kind: 'number' as const, name, values })),
    values(fc.constantFrom(...TEXTS)).map((values) => ({ kind: 'text' as const, name, values })),
    values(fc.boolean()).map((values) => ({ kind: 'boolean' as const, name, values })),
  );

/** Numbers that are rarely the same, so that no table is refused for its target. */
const numbers: fc.Arbitrary<TestColumn> = values(fc.double({ noNaN: true, min: -1e4, max: 1e4 })).map((values) => ({
  kind: 'number',
  name: TARGET,
  values,
}));

/** Two classes that take turns, so that each has its ten rows. */
const classes: fc.Arbitrary<TestColumn> = fc
  .shuffledSubarray(TEXTS, { minLength: 2, maxLength: 2 })
  .map((names) => ({
    kind: 'text',
    name: TARGET,
    values: Array.from({ length: ROWS }, (_, row) => names[row % 2] ?? null),
  }));

/**
 * Returns random tables with names and texts that formats treat in their own ways, always the same: a failure must
 * not come and go. They are not shrunk, which would take a training a step.
 */
export function sampleTables(task: RandomTable['task'], count: number): RandomTable[] {
  const tables = fc
    .shuffledSubarray(NAMES, { minLength: 2, maxLength: 4 })
    .chain((names) => fc.tuple(...names.map(column), task === 'regression' ? numbers : classes))
    .map((columns) => ({ task, columns }));
  return fc.sample(tables, { numRuns: count, seed: 45 });
}
