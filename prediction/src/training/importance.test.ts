import { describe, expect, test } from 'vitest';
import { makeRows, QUICK, type Row, readRows } from '../../../testkit/prediction/sample-tables.js';
import { train } from '../index.js';

function importanceOf(rows: readonly Row[]) {
  const { columns } = train(readRows(rows, 'y'), QUICK);
  return new Map(columns.map(({ name, importance }) => [name, importance]));
}

describe('the importance of a column', () => {
  const rows = makeRows(600, (random, index) => {
    const main = random();
    const minor = random();
    const day = new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
    const y = 10 * main + 2 * minor + random() / 10;
    return { main, minor, idle: random(), day, id: `row ${index}`, y };
  });
  const importance = importanceOf(rows);

  test('is null where the model does not use it', () => {
    expect(importance.get('id')).toBeNull();
  });

  test('is a share of the gain; the shares of all columns make 1', () => {
    const gains = [...importance.values()].map((of) => of?.gain ?? 0);
    expect(gains.reduce((sum, gain) => sum + gain, 0)).toBeCloseTo(1, 9);
    expect(Math.min(...gains)).toBeGreaterThanOrEqual(0);
    expect(importance.get('main')?.gain).toBeGreaterThan(0.9);
    expect(importance.get('minor')?.gain).toBeGreaterThan(importance.get('idle')?.gain ?? 1);
  });

  test('is how much worse the model gets without its order, in units of the target', () => {
    // Shuffled, a column is off by √2 of its deviation, 1/√12 of its range.
    expect(importance.get('main')?.permutation).toBeCloseTo(10 * Math.sqrt(2 / 12), 0);
    expect(importance.get('minor')?.permutation).toBeCloseTo(2 * Math.sqrt(2 / 12), 0);
    expect(importance.get('idle')?.permutation).toBeLessThan(0.05);
    expect(importance.get('day')?.permutation).toBeLessThan(0.05);
  });

  test('grows with the units of the target', () => {
    const large = importanceOf(rows.map(({ y, ...row }) => ({ ...row, y: 1000 * Number(y) })));
    const ratio = (large.get('main')?.permutation ?? 0) / (importance.get('main')?.permutation ?? 0);
    // Rounding may choose other trees.
    expect(ratio / 1000).toBeCloseTo(1, 1);
    expect(large.get('main')?.gain).toBeCloseTo(importance.get('main')?.gain ?? 0, 2);
  });

  test('is nothing where there is nothing to learn', () => {
    const noise = importanceOf(makeRows(60, (_random, index) => ({ x: index, y: index % 2 })));
    expect(noise.get('x')).toEqual({ gain: 0, permutation: 0 });
  });

  test('ranks the columns of a large table, and of one with many columns', () => {
    const large = importanceOf(
      makeRows(21_000, (random) => {
        const a = random();
        return { a, b: random(), y: a + random() };
      }),
    );
    expect(large.get('a')?.permutation).toBeGreaterThan(0.05);
    expect(large.get('b')?.permutation).toBeLessThan(0.01);
    const names = Array.from({ length: 60 }, (_, index) => `c${index}`);
    const wide = importanceOf(
      makeRows(150, (random) => {
        const row = Object.fromEntries(names.map((name): [string, number] => [name, random()]));
        return { ...row, y: 5 * (row['c7'] ?? 0) };
      }),
    );
    expect(wide.get('c7')?.permutation).toBeGreaterThan(1);
  });
});
