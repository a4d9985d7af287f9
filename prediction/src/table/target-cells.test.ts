import { describe, expect, test } from 'vitest';
import { catchFaults, type Row } from '../../../testkit/prediction/sample-tables.js';
import { readRowsTable, type Task } from '../index.js';

function rowsWith(count: number, y: (row: number) => unknown): Row[] {
  return Array.from({ length: count }, (_, row) => ({ x: row, y: y(row) }));
}

describe('the task', () => {
  test.each<[string, (row: number) => unknown, Task]>([
    ['numbers', (row) => row / 3, 'regression'],
    ['three whole numbers', (row) => row % 3, 'regression'],
    ['numbers as text', (row) => `${row},5`, 'regression'],
    ['text', (row) => (row % 2 ? 'yes' : 'no'), 'classification'],
    ['booleans', (row) => row % 2 === 0, 'classification'],
    ['text and few numbers', (row) => (row % 5 ? `kind ${row % 2}` : 7), 'classification'],
  ])('of %s is what they suggest', (_of, y, task) => {
    expect(readRowsTable(rowsWith(60, y), 'y').task).toBe(task);
  });

  test('of numbers is classification where it is asked for', () => {
    const table = readRowsTable(
      rowsWith(60, (row) => row % 3),
      'y',
      { task: 'classification' },
    );
    if (table.task !== 'classification') throw new Error('The table is of numbers.');
    expect(table.classes.map(({ name }) => name)).toEqual(['0', '1', '2']);
    expect([...table.targetClasses.subarray(0, 4)]).toEqual([0, 1, 2, 0]);
  });
});

test('classes of 5 to 9 rows are kept as far as 100 classes leave room for them, the most frequent first', () => {
  const frequent = rowsWith(980, (row) => `class ${row % 98}`);
  const few = (name: string, count: number) => rowsWith(count, () => name);
  const table = readRowsTable([...frequent, ...few('five', 5), ...few('nine', 9), ...few('four', 4)], 'y');
  if (table.task !== 'classification') throw new Error('The table is of numbers.');
  expect(table.classes).toHaveLength(100);
  expect(table.classes.slice(98)).toEqual([
    { name: 'nine', rows: 9, merged_count: 0, merged: [] },
    { name: 'other', rows: 9, merged_count: 2, merged: ['five', 'four'] },
  ]);
});

describe('a target is refused, with the column and a remedy,', () => {
  test.each<[string, Row[], Task | undefined, string]>([
    ['of one class', rowsWith(60, () => 'a'), undefined, 'there is nothing to predict'],
    [
      'of two classes, one of a single row',
      rowsWith(60, (row) => (row === 9 ? 'b' : 'a')),
      undefined,
      'the next, "b", has 1 row',
    ],
    ['of 10,000 classes', rowsWith(10_000, (row) => `class ${row}`), undefined, 'more than 5,000 different values'],
    [
      'of classes that are rare for the most part',
      rowsWith(300, (row) => (row < 140 ? `kind ${row % 2}` : `single ${row}`)),
      undefined,
      'most rows have one that is in fewer than 10 rows',
    ],
    [
      'of more than 100 classes',
      rowsWith(1010, (row) => `class ${row % 101}`),
      undefined,
      'has 101 classes with at least 10 rows; a model distinguishes at most 100',
    ],
    ['of blanks', rowsWith(60, (row) => (row < 20 ? 'a' : ' ')), undefined, 'Only 20 rows have'],
    [
      'of a class of 10,000 characters',
      rowsWith(60, (row) => (row === 30 ? 'b'.repeat(10_000) : `kind ${row % 2}`)),
      undefined,
      'longer than 200 characters',
    ],
    [
      'of text that is to be numbers',
      rowsWith(60, (row) => (row % 2 ? 'yes' : 'no')),
      'regression',
      'must hold finite numbers, but 60 of its 60 values are not',
    ],
    [
      'of different numbers that are to be classes',
      rowsWith(60, (row) => row / 7),
      'classification',
      'Classes need at least 10 rows each',
    ],
  ])('%s', async (_of, rows, task, message) => {
    const [fault, ...others] = await catchFaults(() => readRowsTable(rows, 'y', { task }));
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ column: 'y', message: expect.stringContaining(message) });
  });

  test('whose set of classes would have the name of a column', async () => {
    const rows = rowsWith(60, (row) => (row % 2 ? 'yes' : 'no')).map((row) => ({ ...row, y_set: 1 }));
    expect(await catchFaults(() => readRowsTable(rows, 'y'))).toMatchObject([{ column: 'y_set' }]);
    const numbers = rowsWith(60, (row) => row).map((row) => ({ ...row, y_set: 1 }));
    expect(readRowsTable(numbers, 'y').task).toBe('regression');
  });
});
