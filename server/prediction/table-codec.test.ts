import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { decodeTable, encodeTable, readRowsTable, train } from './index.js';

const rows = Array.from({ length: 60 }, (_, index) => ({
  __proto__x: index % 4,
  'lone \ud800': index % 3 ? `value \udfff${index % 5}` : null,
  y: index / 3,
}));

test('a table comes back from bytes as it was, whatever its letters', () => {
  const table = readRowsTable(rows, 'y');
  const bytes = encodeTable(table);
  expect(decodeTable(bytes)).toEqual(table);
  // A database may hand the bytes back at any offset of a larger buffer.
  const shifted = new Uint8Array(bytes.length + 3).subarray(3);
  shifted.set(bytes);
  expect(decodeTable(shifted)).toEqual(table);
  expect(train(decodeTable(bytes))).toEqual(train(table));
});

test('bytes that are no table are refused', () => {
  const table = readRowsTable(rows, 'y');
  const [column] = table.columns;
  const damaged = [
    new Uint8Array(),
    new TextEncoder().encode('{"format":"roster-table/1"}'),
    serialize(null),
    serialize({ ...table, format: 'roster-table/2' }),
    serialize({ ...table, format: 'roster-table/1', rowCount: 61 }),
    serialize({ ...table, format: 'roster-table/1', columns: [{ ...column, texts: [] }] }),
    encodeTable(table).subarray(0, 100),
  ];
  for (const bytes of damaged) expect(() => decodeTable(bytes)).toThrow();
});
