import { expect, test } from 'vitest';
import { QUICK } from '../../../testkit/prediction/sample-tables.js';
import { readCsvTable } from '../io/read-table.js';
import type { RowTable } from '../table/table.js';
import { train } from '../tasks/train.js';
import { SeenRows } from './seen-rows.js';

async function tableOf(rows: readonly string[]): Promise<RowTable> {
  async function* text() {
    yield Buffer.from(['a,day,kind,id,y', ...rows].join('\n'));
  }
  const table = await readCsvTable(text(), 'y');
  if (table.task === 'forecast') throw new Error('It has no order');
  return table;
}

/** Rows of a number, a date, a category and an identifier. */
const rowsOf = (first: number, count: number, id = (row: number) => `n${row}`) =>
  Array.from({ length: count }, (_, index) => {
    const row = first + index;
    const day = `20${10 + (row % 20)}-0${1 + (row % 9)}-${10 + (row % 15)}`;
    return `${row / 8},${day},${'xyz'[row % 3]},${id(row)},${row % 90}`;
  });

const every = ({ rowCount }: RowTable) => new Uint32Array(rowCount).map((_, row) => row);

test('the rows of a table are known again, in another order, with other identifiers, and written otherwise', async () => {
  const table = await tableOf(rowsOf(0, 500));
  const { columns } = train(table, QUICK);
  const seen = SeenRows.decode(SeenRows.of(table, columns).encode());
  const again = rowsOf(0, 500, (row) => `other-${row * 7}`).toReversed();
  const mixed = await tableOf([...again.map((row) => row.replace(/^(\d+),/, '$1.00,')), ...rowsOf(500, 200)]);
  const fresh = seen.findNew(mixed, columns, every(mixed));
  expect([...fresh]).toEqual(Array.from({ length: 200 }, (_, index) => 500 + index));
});

test('a row to predict is known by its values, whatever its format and target', async () => {
  const table = await tableOf(rowsOf(0, 500));
  const { columns } = train(table, QUICK);
  const isSeen = SeenRows.decode(SeenRows.of(table, columns).encode()).createCheck(columns);
  const row = { a: 8 / 8, day: '2018-09-18', kind: 'z', id: 'another', y: 1 };
  expect(isSeen(row)).toBe(true);
  expect(isSeen({ a: ' 1.00 ', day: '2018-09-18T00:00:00Z', kind: 'z ' })).toBe(true);
  for (const changed of [{ a: 1.001 }, { day: null }, { kind: 'x' }, { a: 'n/a' }]) {
    expect(isSeen({ ...row, ...changed })).toBe(false);
  }
  expect(isSeen({})).toBe(false);
});

test('another target or value makes a row new', async () => {
  const table = await tableOf(rowsOf(0, 200));
  const { columns } = train(table, QUICK);
  const seen = SeenRows.of(table, columns);
  const changed = rowsOf(0, 200).map((row, index) =>
    index % 4 === 0 ? row.replace(/,\d+$/, ',91') : index % 4 === 1 ? `9${row}` : row,
  );
  const other = await tableOf(changed);
  const fresh = seen.findNew(other, columns, every(other));
  expect(fresh).toHaveLength(100);
  expect(fresh.every((row) => row % 4 < 2)).toBe(true);
});

test('of a large table, a sample is kept, and rows outside it are never taken for new', async () => {
  const rows = rowsOf(0, 60_000);
  const table = await tableOf(rows);
  const kinds = { a: 'number', day: 'date', kind: 'category' } as const;
  const columns = Object.entries(kinds).map(([name, kind]) => ({
    name,
    kind,
    used: true,
    reason: null,
    missing_share: 0,
    min: null,
    max: null,
    categories: null,
    reading: null,
    importance: null,
  }));
  const bytes = SeenRows.of(table, columns).encode();
  expect(bytes.length).toBeLessThanOrEqual(200_000);
  const seen = SeenRows.decode(bytes);
  const mixed = await tableOf([...rows, ...rowsOf(60_000, 20_000)]);
  const fresh = seen.findNew(mixed, columns, every(mixed));
  expect(fresh.every((row) => row >= 60_000)).toBe(true);
  expect(fresh.length / 20_000).toBeCloseTo(32_768 / 60_000, 1);
  expect(() => SeenRows.decode(bytes.subarray(0, 100))).toThrow('cannot be read');
});
