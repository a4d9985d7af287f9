import { isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { QUICK, readRows } from '../../../../testkit/prediction/sample-tables.js';
import { encodeTable, type Table, TableDecoder, train } from '../../index.js';

const rows = Array.from({ length: 60 }, (_, index) => ({
  __proto__x: index % 4,
  'lone \ud800': index % 3 ? `value \udfff${index % 5}` : null,
  y: index / 3,
}));

/** A table of words, numbers and dates of which there are more than texts are kept. */
const largeTable = readRows(
  Array.from({ length: 70_000 }, (_, index) => ({
    word: `word ${index % 50_000}`,
    value: index / 7,
    day: new Date(60_000 * index).toISOString(),
    y: index % 1000,
  })),
  'y',
);

function decode(parts: Iterable<Uint8Array>): Table {
  const decoder = new TableDecoder();
  for (const part of parts) decoder.add(part);
  return decoder.finish();
}

test('a table comes back from bytes as it was, whatever its letters', () => {
  const table = readRows(rows, 'y');
  const parts = [...encodeTable(table)];
  expect(decode(parts)).toEqual(table);
  // A database may hand the bytes back at any offset of a larger buffer.
  const shifted = parts.map((part) => {
    const larger = new Uint8Array(part.length + 3);
    larger.set(part, 3);
    return larger.subarray(3);
  });
  expect(decode(shifted)).toEqual(table);
  expect(train(decode(parts), QUICK)).toEqual(train(table, QUICK));
});

test('a large table comes in parts of some hundred kibibytes', () => {
  const parts = [...encodeTable(largeTable)];
  expect(parts.length).toBeGreaterThan(2);
  for (const { length } of parts) expect(length).toBeLessThan(512 * 1024);
  // On so many values, `toEqual` takes seconds.
  expect(isDeepStrictEqual(decode(parts), largeTable)).toBe(true);
});

test('a table of a later release is refused, in words that say so', () => {
  const later = serialize([{ format: 'roster-table/2', target: 'y' }]);
  expect(() => decode([later])).toThrow('A later release of Roster wrote it');
});

test('bytes that are not a table are refused', () => {
  const [head, ...others] = [...encodeTable(largeTable)];
  if (head === undefined) throw new Error('An encoded table has parts');
  const damaged = [
    [],
    [new Uint8Array()],
    [new TextEncoder().encode('{"format":"roster-table/2"}')],
    [serialize(null)],
    [serialize([{ format: 'roster-table/3' }])],
    others,
    [head, ...others.slice(1)],
    [head, ...others.slice(0, -1)],
    [head, ...others, ...others],
    [head.subarray(0, 100), ...others],
    [serialize({ ...largeTable, format: 'roster-table/1' })],
  ];
  for (const parts of damaged) expect(() => decode(parts)).toThrow();
});
