/** Tests of tables of almost a million lines, whose last lines contradict the first, or whose words are all different. */
import { describe, expect, test } from 'vitest';
import { readTable, type Table } from '../index.js';
import type { TableMarks } from '../table/reading/column-reading.js';

const LINES = 900_000;

/** Yields lines of CSV with a column `x`, and columns `z` and `y` of few numbers, a thousand at once. */
async function* csv(write: (row: number) => string, count = LINES): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x,z,y\n');
  for (let first = 0; first < count; first += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - first) }, (_, index) => {
      const row = first + index;
      return `"${write(row)}",${row % 7},${row % 97}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

const read = (write: (row: number) => string, target: string, count?: number, marks: TableMarks = {}): Promise<Table> =>
  readTable('csv', csv(write, count), target, { marks });

describe('a column that changes its form in line 900,000', () => {
  const last = (row: number) => row === LINES - 2;

  test.each<[string, (row: number) => string, RegExp]>([
    [
      'decimals',
      (row) => (last(row) ? '1.234,5' : String(row + 0.25)),
      /"0\.25" in line 2, and "1\.234,5" in line 900000/,
    ],
    [
      'dates',
      (row) => {
        const date = new Date(Date.UTC(1900, 0, 1 + (row % 60_000)));
        const [day, month] = [date.getUTCDate(), 1 + date.getUTCMonth()];
        return `${last(row) ? '05/13' : `${day}/${month}`}/${date.getUTCFullYear()}`;
      },
      /"13\/1\/1900" in line 14, and "05\/13\/\d+" in line 900000/,
    ],
  ])('is undecided, with both lines: %s', async (_, write, lines) => {
    const { columns } = await read(write, 'y');
    expect(columns[0]?.reading).toMatchObject({ kind: 'undecided', reason: expect.stringMatching(lines) });
  });

  test('is refused as a target, with both lines', async () => {
    const refused = read((row) => (last(row) ? '1,234.5' : `${row},25`), 'x');
    await expect(refused).rejects.toThrow(
      /cannot be read: .*two forms.*"1,234\.5" in line 900000, and "0,25" in line 2/,
    );
  });

  test('has the meaning that this line alone shows', async () => {
    const write = (row: number) => (last(row) ? '1,234,567' : `${1 + (row % 999)},${111 + ((row >> 3) % 889)}`);
    const { columns } = await read(write, 'y');
    expect(columns[0]?.reading).toMatchObject({ kind: 'number', decimal: '.', group: ',' });
  });
});

describe('a million different words', () => {
  const word = (row: number) => `word ${row}`;

  test('are categories of which some are kept, in bounded memory', async () => {
    const { columns } = await read(word, 'y', 1_000_000);
    expect(columns[0]).toMatchObject({ kind: 'text', codes: { length: 1_000_000 } });
    const [column] = columns;
    expect(column?.kind === 'text' && column.texts.length).toBeLessThan(65_535);
  });

  /** As many words for missing values as a table may have. */
  const missing = Array.from({ length: 50 }, (_, index) => word(index * 20_000));

  test('of which some are missing are distinguished from the others, in any row', async () => {
    const table = await read(word, 'y', 1_000_000, { missing });
    const [column] = table.columns;
    if (column?.kind !== 'text') throw new Error('Words are texts');
    expect(column.codes.filter((code) => code === 0)).toHaveLength(50);
    const numbers = await read((row) => (row % 20_000 ? String(row) : word(row)), 'x', 1_000_000, { missing });
    expect(numbers).toMatchObject({
      task: 'regression',
      rowCount: 999_950,
      leftOut: [{ cause: 'no_target', rows: 50 }],
    });
  });

  test('are refused as a target', async () => {
    await expect(read(word, 'x', 1_000_000, { missing })).rejects.toThrow(/more than 5,000 different values/);
    await expect(read(word, 'x', 1_000_000)).rejects.toThrow(/more than 5,000 different values, too many for classes/);
  });
});
