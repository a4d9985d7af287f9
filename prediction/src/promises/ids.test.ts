import { expect, test } from 'vitest';
import { writeEarlierId, writeId } from './ids.js';

test.each([
  ['a column', { kind: 'column', name: 'ref' }, (name: string) => [name]],
  [
    'a step of a series',
    { kind: 'series', orderBy: 'day', groupBy: ['store'], reading: null },
    (name: string) => ['2024-03-11', name],
  ],
] as const)(
  'the id of %s is the same with and without decimals, and is found as earlier releases kept it',
  (_, columns, cells) => {
    expect(writeId(columns, cells('1.0'))).toBe(writeId(columns, cells('1')));
    expect(writeId(columns, cells('1.5'))).not.toBe(writeId(columns, cells('1')));
    expect(writeEarlierId(columns, cells('1'))).toBe('');
    expect(writeEarlierId(columns, cells('1.0'))).toBe(writeId(columns, cells('1')).replace(/^1$|(?<=")1(?=")/, '1.0'));
  },
);
