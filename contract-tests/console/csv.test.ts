import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { parseCsv, writeCsv } from '../../console/src/tables/csv.js';

/** Texts that need quotes, and some that need none. */
const CELLS = ['', 'a b', ' a', '1,5', '2;3', '"', 'a"b', '""', 'two\nlines', 'two\r\nlines', 'ß\t'];

const tableOf = (seed: number) =>
  Array.from({ length: 1 + (seed % 4) }, (_, row) =>
    Array.from({ length: 2 }, (_, column) => CELLS[(seed * 7 + row * 5 + column * 3) % 11] ?? ''),
  );

test('the console reads and writes CSV as Papa Parse does, wherever a piece of it ends', () => {
  for (let seed = 0; seed < 300; seed++) {
    const table = tableOf(seed);
    const delimiter = ([',', ';', '\t'] as const)[seed % 3] ?? ',';
    const newline = seed % 2 ? '\n' : '\r\n';
    const text = writeCsv(table, { delimiter, newline });
    expect(text).toBe(Papa.unparse(table, { delimiter, newline }) + newline);
    const { records, end } = parseCsv(text.slice(0, seed % text.length), delimiter, false);
    expect([...records, ...parseCsv(text.slice(end), delimiter, true).records]).toEqual(table);
  }
});
