import { seededRandom } from 'roster-prediction/internals';
import { expect, test } from 'vitest';
import { measure } from './measures.js';
import { type DataTable, splitTable, type Task } from './tables.js';

const COSTS = { training: 1, rowsPerSecond: 1 };

/** Returns a table of a target alone. */
function tableOf(task: Task, truths: readonly string[]): DataTable {
  const rows = truths.map((y) => ({ y }));
  return { name: 'a', target: 'y', task, set: 'tuned', maxSplits: 5, file: '', digest: '', omitted: [], rows };
}

function whole(table: DataTable) {
  return { index: 0, training: [], test: [...table.rows.keys()] };
}

test('a split uses each row with a target once, at random but always alike', () => {
  const table = tableOf('regression', ['', 'NA', ...Array.from({ length: 50 }, (_, row) => String(row))]);
  const { training, test } = splitTable(table, 0, 1000);
  expect([training.length, test.length]).toEqual([40, 10]);
  expect([...training, ...test].sort((one, other) => one - other)).toEqual(
    Array.from({ length: 50 }, (_, at) => at + 2),
  );
  expect(splitTable(table, 0, 1000).test).toEqual(test);
  expect(splitTable(table, 1, 1000).test).not.toEqual(test);
  expect(splitTable(table, 0, 5).training).toEqual(training.slice(0, 5));
});

test('intervals are judged by the fifths of their widths', () => {
  const table = tableOf('regression', ['0', '0', '0', '0', '9']);
  const bounds = [5, 4, 3, 2, 1].map((max) => ({ min: -1, max }));
  const { loss, coverage } = measure(table, whole(table), { ...COSTS, predictions: [0, 0, 0, 0, 4], bounds });
  expect(loss).toBeCloseTo(Math.sqrt(5));
  expect(coverage).toEqual({ rows: [1, 1, 1, 1, 1], covered: [0, 1, 1, 1, 1] });
});

test('exact probabilities have the calibration error that they have by chance, others more', () => {
  const random = seededRandom(7);
  const stated = Array.from({ length: 3000 }, () => 0.5 + random() / 2);
  const table = tableOf(
    'classification',
    stated.map((share) => (random() < share ? 'yes' : 'no')),
  );
  const judge = (change: (share: number) => number) => {
    const predictions = stated.map((share) => [change(share), 1 - change(share)]);
    return measure(table, whole(table), { ...COSTS, predictions, classes: ['yes', 'no'] });
  };
  const exact = judge((share) => share);
  expect((exact.ece ?? 0) / (exact.eceByChance ?? 0)).toBeCloseTo(1, 0);
  const bold = judge((share) => (1 + share) / 2);
  expect((bold.ece ?? 0) / (bold.eceByChance ?? 0)).toBeGreaterThan(5);
});

test('a class that is stated as impossible costs as much as one in a million', () => {
  const table = tableOf('classification', ['a', 'b']);
  const predictions = [
    [1, 0],
    [1, 0],
  ];
  const { loss, accuracy } = measure(table, whole(table), { ...COSTS, predictions, classes: ['a', 'b'] });
  expect(loss).toBeCloseTo(-Math.log(1e-6) / 2);
  expect(accuracy).toBe(0.5);
});
