import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catchFaults, csvStream, readRows } from '../../../../testkit/prediction/sample-tables.js';
import { readTable } from '../../index.js';

const read = (records: readonly (readonly unknown[])[], bytesAtOnce = 4096) =>
  readTable('records', csvStream(records.map((record) => `${JSON.stringify(record)}\n`).join(''), bytesAtOnce), 'y');

const cell = fc.oneof(
  fc.string(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);

test('records are the same table as row objects, however they are cut', async () => {
  const rows = fc.array(fc.record({ a: cell, 'ü "b"': cell }), { minLength: 50, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 99 }), async (rows, bytesAtOnce) => {
      const objects = rows.map((row, index) => ({ ...row, y: index, z: index % 3 }));
      const records = objects.map((row) => [row.a, row['ü "b"'], row.y, row.z]);
      const table = await read([['a', 'ü "b"', 'y', 'z'], ...records], bytesAtOnce);
      expect(table).toEqual(readRows(objects, 'y'));
    }),
    { numRuns: 30 },
  );
});

test.each([
  ['without rows', [['x', 'y']], { message: expect.stringContaining('no rows') }],
  ['with two columns of one name', [['x', 'x', 'y']], { column: 'x' }],
  ['without the target', [['x', 'z']], { column: 'y' }],
])('a table %s is refused', async (_, records, fault) => {
  expect(await catchFaults(() => read(records))).toMatchObject([fault]);
});

test('a cell that cannot be used is reported by its row', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => [index, index === 7 ? 'seven' : index]);
  expect(await catchFaults(() => read([['x', 'y'], ...rows]))).toMatchObject([{ column: 'y', row: 7 }]);
});
