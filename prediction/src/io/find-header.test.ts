import { describe, expect, test } from 'vitest';
import { writeWorkbook } from '../../../testkit/data/workbooks.js';
import { csvStream } from '../../../testkit/prediction/sample-tables.js';
import { previewTable } from './preview-table.js';

type Row = readonly (string | number | null)[];

/** Rows of a file, the names of the columns in one of them. */
const CASES: readonly (readonly [string, number, readonly Row[]])[] = [
  [
    'first',
    1,
    [
      ['city', 'sold'],
      ['Bonn', 4],
      ['Ulm', 5],
    ],
  ],
  ['below a title', 2, [['Sales'], ['city', 'sold'], ['Bonn', 4], ['Ulm', 5]]],
  ['below notes', 3, [['Sales'], ['of', 2026], ['city', 'sold'], ['Bonn', 4], ['Ulm', 5]]],
  [
    'first, though they are years',
    1,
    [
      ['city', 2024, 2025],
      ['Bonn', 4, 5],
      ['Ulm', 5, 6],
    ],
  ],
  [
    'first, though one is missing',
    1,
    [
      [null, 'x', 'y'],
      [0, 1, 2],
      [1, 3, 4],
    ],
  ],
  [
    'first, though the last column is empty',
    1,
    [
      ['city', 'sold', 'note'],
      ['Bonn', 4, null],
      ['Ulm', 5, null],
    ],
  ],
  [
    'nowhere',
    1,
    [
      ['Bonn', 4],
      ['Ulm', 5],
      [7, 8, 9, 10],
    ],
  ],
];

describe.each(CASES)('names that stand %s are found in line %d', (_where, line, rows) => {
  const names = (rows[line - 1] ?? []).map((name, at) => String(name ?? `column_${at + 1}`));

  test.each([',', ';', '\t'])('of CSV with %j between its fields', async (delimiter) => {
    const csv = rows.map((fields) => fields.map((field) => field ?? '').join(delimiter)).join('\n');
    const preview = await previewTable(csvStream(csv, 7), 'csv');
    expect(preview.header_line).toBe(line);
    expect(preview.columns.map(({ name }) => name)).toEqual(names);
    expect(preview.first_lines.map(({ text }) => text)).toEqual(
      rows.map((fields) => fields.map((field) => field ?? '').join(' | ')),
    );
  });

  test('of a workbook', async () => {
    const preview = await previewTable(csvOf(writeWorkbook(rows)), 'xlsx');
    expect(preview.header_line).toBe(line);
    expect(preview.columns.map(({ name }) => name)).toEqual(names);
  });
});

async function* csvOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

test('a chosen line is kept, and blank lines and quotes in a title are no names', async () => {
  const csv = 'Sales "2026\r\n\r\ncity;sold\r\n"Bonn; old";4\r\nUlm;5\r\n';
  const found = await previewTable(csvStream(csv), 'csv');
  expect(found).toMatchObject({
    header_line: 3,
    rows: [
      ['Bonn; old', '4'],
      ['Ulm', '5'],
    ],
  });
  expect(found.first_lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  const chosen = await previewTable(csvStream(csv), 'csv', { headerLine: 5 }).catch(String);
  expect(chosen).toContain('one line of 2 fields');
  const none = await previewTable(csvStream('1,2\n3,4\n'), 'csv', { header: false });
  expect(none).toMatchObject({ header_line: null, first_lines: [], rows_read: 2 });
});
