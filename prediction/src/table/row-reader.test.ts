import { describe, expect, test } from 'vitest';
import { catchFaults, type Row, readRows, toRows } from '../../../testkit/prediction/sample-tables.js';

const sixty = (make: (index: number) => unknown) => Array.from({ length: 60 }, (_, index) => make(index));

describe('JSON rows', () => {
  test('may differ in their keys: the columns are all of them, as they first appear', () => {
    const rows = sixty((index) => (index % 2 ? { y: index, a: 1 } : { b: 'x', y: index }));
    const table = readRows([{ c: 0 }, ...rows], 'y');
    expect(table.columns.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
    expect(toRows(table).slice(0, 2)).toEqual([
      { c: null, b: 'x', a: null, y: 0 },
      { c: null, b: null, a: '1', y: 1 },
    ]);
  });

  test('may have names of properties that every object has', () => {
    const rows = sixty((index) =>
      JSON.parse(`{"__proto__": ${index % 9}, "constructor": "c${index % 2}", "2019": 1, "y": ${index}}`),
    );
    const table = readRows(rows, 'y');
    expect(table.columns.map(({ name }) => name)).toEqual(['2019', '__proto__', 'constructor']);
    expect(table.columns[1]).toMatchObject({ texts: { length: 9 } });
    const target = readRows(rows, '__proto__');
    expect(target.targetValues[8]).toBe(8);
  });

  test('may hold numbers as text, and −0', () => {
    const rows = sixty((index) => ({ x: index % 2 ? '7' : 7, y: index === 0 ? -0 : ` ${index} ` }));
    const table = readRows([...rows, { x: -0, y: 1 }], 'y');
    expect(table.columns[0]).toMatchObject({ texts: ['7', '0'] });
    expect(Object.is(table.targetValues[0], 0)).toBe(true);
    expect(table.targetValues[1]).toBe(1);
  });

  test('may hold megabytes of digits that are not a number', () => {
    const digits = `${'1'.repeat(4_000_000)}x`;
    const rows = sixty((index) => ({ x: index === 0 ? digits : index, y: index }));
    expect(readRows(rows, 'y').columns[0]).toMatchObject({ texts: { length: 60 } });
  });

  test('count objects and arrays in cells as missing', () => {
    const rows = sixty((index) => ({ x: index % 2 ? { deep: [1] } : [index], z: index, y: index }));
    expect(readRows(rows, 'y').columns[0]).toMatchObject({ texts: [] });
  });
});

describe('bad rows are refused with the column or the row, and a remedy', () => {
  test('rows that are not objects', async () => {
    const rows = [1, 'a', null, [1], ...sixty((index) => ({ x: index, y: index }))];
    const faults = await catchFaults(() => readRows(rows, 'y'));
    expect(faults.map(({ row }) => row)).toEqual([0, 1, 2, 3]);
    expect(faults[0]?.message).toContain('Row 0 is not an object');
  });

  test('no rows', async () => {
    expect(await catchFaults(() => readRows([], 'y'))).toHaveLength(1);
  });

  test('an absent target', async () => {
    const rows = sixty((index) => ({ x: index, z: index }));
    expect(await catchFaults(() => readRows(rows, 'y'))).toEqual([
      { column: 'y', message: 'There is no column "y" to be the target. The columns are: "x", "z".' },
    ]);
  });

  test('a target that is not numeric', async () => {
    const rows = sixty((index) => ({ x: index, y: index === 20 || index > 50 ? 'dear' : index }));
    const [fault] = await catchFaults(() => readRows(rows, 'y'));
    expect(fault).toMatchObject({ column: 'y', row: 20 });
    expect(fault?.message).toContain('10 of its 60 values are not; the first is "dear"');
  });

  test('a target that is infinite', async () => {
    const rows = [...sixty((index) => ({ x: index, y: index })), JSON.parse('{"x":1,"y":1e400}')];
    expect(await catchFaults(() => readRows(rows, 'y'))).toMatchObject([{ row: 60 }]);
  });

  test('a constant target', async () => {
    const rows = sixty((index) => ({ x: index, y: 3 }));
    expect(await catchFaults(() => readRows(rows, 'y'))).toMatchObject([
      { column: 'y', message: expect.stringContaining('nothing to predict') },
    ]);
  });

  test('fewer than fifty rows with a target', async () => {
    const rows = sixty((index) => ({ x: index, y: index < 49 ? index : null }));
    expect(await catchFaults(() => readRows(rows, 'y'))).toMatchObject([
      { column: 'y', message: expect.stringContaining('Only 49 rows') },
    ]);
    expect(readRows([...rows, { x: 1, y: 1 }], 'y').rowCount).toBe(50);
  });

  test('no input column, or none that can be used', async () => {
    expect(
      await catchFaults(() =>
        readRows(
          sixty((y) => ({ y })),
          'y',
        ),
      ),
    ).toHaveLength(1);
    const rows = sixty((index) => ({ id: `row ${index}`, same: 1, none: null, y: index }));
    const faults = await catchFaults(() => readRows(rows, 'y'));
    expect(faults.map(({ column }) => column)).toEqual(['id', 'same', 'none']);
  });

  test('more than a thousand columns', async () => {
    const wide = (count: number): Row =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, index % 2]));
    const rows = (count: number) => sixty((index) => ({ ...wide(count), c0: index % 3, y: index }));
    expect(readRows(rows(999), 'y').columns).toHaveLength(999);
    expect(await catchFaults(() => readRows(rows(1000), 'y'))).toMatchObject([
      { message: expect.stringContaining('more than 1,000 columns') },
    ]);
  });

  test('more cells than are worth their memory, most of them not there', async () => {
    const wide = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`c${index}`, 1]));
    const rows = [{ y: 0, ...wide }, ...Array.from({ length: 30_000 }, (_, index) => ({ y: index }))];
    expect(await catchFaults(() => readRows(rows, 'y'))).toEqual([
      { message: expect.stringMatching(/more than 25,000,000 cells.*Send fewer/) },
    ]);
  });

  test('a column whose name every answer row would have to carry at length', async () => {
    const name = 'n'.repeat(1001);
    const rows = sixty((index) => ({ [name]: index, y: index }));
    expect(await catchFaults(() => readRows(rows, 'y'))).toEqual([
      { message: expect.stringMatching(/column 1 is longer than 1000 characters.*Rename/) },
    ]);
  });

  test('names that are too long together', async () => {
    const long = (index: number) => `${index}`.padEnd(1000, 'n');
    const row = Object.fromEntries(Array.from({ length: 140 }, (_, index) => [long(index), 1]));
    const rows = sixty((index) => ({ ...row, y: index }));
    expect(await catchFaults(() => readRows(rows, 'y'))).toEqual([
      { message: expect.stringMatching(/140,001 characters together; at most 131,072.*Shorten/) },
    ]);
  });

  test('more than a million rows, with a target or without', async () => {
    const rows = new Array<Row>(1_000_000).fill({ x: 1, y: null });
    expect(await catchFaults(() => readRows(rows, 'y'))).toMatchObject([
      { message: expect.stringContaining('Only 0 rows') },
    ]);
    rows.push({ x: 1, y: 1 });
    expect(await catchFaults(() => readRows(rows, 'y'))).toMatchObject([
      { row: 1_000_000, message: expect.stringMatching(/more than 1,000,000 rows.*Send/) },
    ]);
  });

  test('an empty name', async () => {
    const rows = sixty((index) => ({ '': index, y: index }));
    expect(await catchFaults(() => readRows(rows, 'y'))).toHaveLength(1);
  });

  test.each([
    ...['original', 'confidence', 'min', 'max', 'anomaly', 'explain'].map((end) => `y_${end}`),
    'select_data_query',
    'when_data',
    '__service_row_id',
  ])('an input column named %s, as answers have one of their own', async (column) => {
    const rows = sixty((index) => ({ x: index, [column]: index, y: index }));
    expect(await catchFaults(() => readRows(rows, 'y'))).toMatchObject([{ column }]);
  });

  test.each(['select_data_query', 'when_data', '__service_row_id'])('a target named %s', async (target) => {
    const rows = sixty((index) => ({ x: index, [target]: index }));
    const faults = await catchFaults(() => readRows(rows, target));
    expect(faults).toMatchObject([{ column: target }]);
  });
});
