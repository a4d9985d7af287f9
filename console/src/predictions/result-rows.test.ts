import { expect, test } from 'vitest';
import type { TableFormat } from '../tables/table-format.js';
import type { ResultTable } from './result-columns.js';
import { IN_FILE_ORDER, ResultRows } from './result-rows.js';

const FORMAT: TableFormat = { encoding: 'utf-8', hasMark: false, delimiter: ',', newline: '\n', headerLine: 1 };
const TABLE: ResultTable = { columns: [], isMissed: undefined };
const noFile = new Blob([]);
const asItIs = (cells: readonly string[]) => cells;

test('rows that are kept in memory are arranged as a whole, however many they are', async () => {
  const rows = new ResultRows(asItIs);
  const kept = Array.from({ length: 150_000 }, (_, row) => [String(row), 'a']);
  for (let first = 0; first < kept.length; first += 10_000) rows.add(kept.slice(first, first + 10_000));
  expect(rows.areFew).toBe(true);
  const arranged = await rows.arrange(noFile, FORMAT, TABLE, IN_FILE_ORDER);
  expect([arranged.rows.length, arranged.count]).toEqual([150_000, 150_000]);
});

test('of more cells, the first 100,000 rows are read again, as they were added', async () => {
  const rows = new ResultRows((cells) => cells.map((cell) => cell.replace("'", '')));
  const wide = Array.from({ length: 11 }, () => '=1');
  for (let added = 0; added < 100_001; added += 1) rows.add([wide]);
  expect(rows.areFew).toBe(false);
  const line = wide.map((cell) => `'${cell}`).join(',');
  const file = new Blob(['a\n', `${line}\n`.repeat(100_001)]);
  const arranged = await rows.arrange(file, FORMAT, TABLE, IN_FILE_ORDER);
  expect([arranged.rows.length, arranged.count]).toEqual([100_000, 100_001]);
  expect(arranged.rows[0]?.cells).toEqual(wide);
});
