/** Tests that a table in any of the forms that people write is read as its values, or as none: never as others. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeFile } from '../../../testkit/data/table-files.js';
import { answer, pieces } from '../../../testkit/prediction/answered-rows.js';
import { QUICK } from '../../../testkit/prediction/sample-tables.js';
import {
  dateForms,
  numberStyles,
  roundAs,
  writeNumber,
  writtenDays,
  writtenNumbers,
} from '../../../testkit/prediction/written-values.js';
import { Predictor, type RegressionTable, TableError, train } from '../index.js';
import type { TableColumn } from '../table/column.js';
import { createReader } from '../table/reading/create-reader.js';
import { readTable } from './read-table.js';

const FORMATS = ['csv', 'json', 'ndjson', 'arrow-stream', 'parquet', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];

const ROWS = 60;

/** A column as it is written, and the numbers or moments that were meant; NaN is missing. */
interface WrittenColumn {
  readonly texts: readonly string[];
  readonly values: readonly number[];
}

const BLANKS = ['', ' ', '\u00a0 '];
const WORDS = ['', 'NA', 'n/a', '#N/A', 'NULL', 'NaN'];

/** Columns of values, some of which are missing, and which may have blanks around them. */
function columnOf<T>(
  value: fc.Arbitrary<T>,
  write: fc.Arbitrary<{ text: (value: T) => string; number: (value: T) => number }>,
): fc.Arbitrary<WrittenColumn> {
  const cells = fc.array(fc.option(value, { freq: 8 }), { minLength: ROWS, maxLength: ROWS });
  return fc
    .record({ cells, write, blank: fc.constantFrom(...BLANKS), word: fc.constantFrom(...WORDS) })
    .map(({ cells, write, blank, word }) => ({
      texts: cells.map((cell) => `${blank}${cell === null ? word : write.text(cell)}${blank}`),
      values: cells.map((cell) => (cell === null ? Number.NaN : write.number(cell))),
    }));
}

const numbers = numberStyles.map((style) => ({
  text: (value: number) => writeNumber(value, style),
  number: (value: number) => roundAs(value, style),
}));
const dates = dateForms.map((text) => ({ text, number: Number }));

const COLUMNS = fc.record({
  size: columnOf(writtenNumbers, numbers),
  count: columnOf(fc.oneof(fc.nat(20), fc.nat(5000)), numbers),
  when: columnOf(writtenDays, dates),
});

type Name = 'size' | 'count' | 'when';
const NAMES: readonly Name[] = ['size', 'count', 'when'];

/** Writes some columns, with a target `y` that counts the rows. */
function write(columns: Partial<Record<Name, WrittenColumn>>, format: Format): Buffer {
  const texts = Object.entries(columns).map(([name, { texts }]) => ({ kind: 'text' as const, name, values: texts }));
  return writeFile(format, [
    ...texts,
    { kind: 'number', name: 'y', values: Array.from({ length: ROWS }, (_, row) => row) },
  ]);
}

async function read(bytes: Buffer, format: Format, target: string): Promise<RegressionTable> {
  const table = await readTable(format, pieces(bytes), target, { task: 'regression' });
  if (table.task !== 'regression') throw new Error('The table has another task');
  return table;
}

/** Returns the values of a column; undefined where the table reports that it is undecided. */
function valuesOf(column: TableColumn | undefined): number[] | undefined {
  expect(column?.reading).toBeTruthy();
  if (!column?.reading || column.reading.kind === 'undecided') return undefined;
  if (column.kind !== 'text') return [...column.values];
  const parse = createReader(column.reading.kind, column.reading);
  return Array.from(column.codes, (code) => (code === 0 ? Number.NaN : parse(column.texts[code - 1] ?? '') + 0));
}

const tables = fc.record({ columns: COLUMNS, format: fc.constantFrom(...FORMATS) });

test('columns in any form and format are read as their values, or are undecided', async () => {
  const counts = { size: 0, count: 0, when: 0 };
  const check = async (columns: Record<Name, WrittenColumn>, format: Format) => {
    const table = await read(write(columns, format), format, 'y');
    for (const [at, name] of NAMES.entries()) {
      const values = valuesOf(table.columns[at]);
      if (values === undefined) continue;
      counts[name]++;
      expect(values).toEqual(columns[name].values);
    }
  };
  await fc.assert(
    fc.asyncProperty(tables, ({ columns, format }) => check(columns, format)),
    { numRuns: 300 },
  );
  // Not by refusing to read anything.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(200);
});

test('a target in any form and format is read as its values, or refused', async () => {
  let count = 0;
  const check = async (size: WrittenColumn, format: Format) => {
    const known = size.values.filter((value) => !Number.isNaN(value));
    try {
      const { targetValues } = await read(write({ size }, format), format, 'size');
      count++;
      expect([...targetValues]).toEqual(known);
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      expect(error.message).toMatch(known.length < 50 ? /Only \d+ rows/ : /cannot be read: /);
    }
  };
  await fc.assert(
    fc.asyncProperty(COLUMNS, fc.constantFrom(...FORMATS), ({ size }, format) => check(size, format)),
    { numRuns: 200 },
  );
  expect(count).toBeGreaterThan(120);
});

test('rows to predict in any form and format are answered as their values', async () => {
  let count = 0;
  const check = async (columns: Record<Name, WrittenColumn>, format: Exclude<Format, 'parquet'>) => {
    const predictor = new Predictor(train(await read(write(columns, 'csv'), 'csv', 'y'), QUICK));
    const isRead = NAMES.every(
      (name) => predictor.model.columns.find((column) => column.name === name)?.kind !== 'category',
    );
    if (!isRead) return;
    count++;
    const cell = (name: Name, value: number) =>
      Number.isNaN(value) ? null : name === 'when' ? new Date(value).toISOString() : value;
    const typed = Array.from({ length: ROWS }, (_, row) =>
      Object.fromEntries(NAMES.map((name) => [name, cell(name, columns[name].values[row] ?? Number.NaN)])),
    );
    const { bytes, warnings } = await answer(predictor, write(columns, format), { from: format, to: 'json' });
    const answered: { y: number }[] = JSON.parse(bytes.toString());
    expect(answered.map(({ y }) => y)).toEqual(predictor.predict(typed).map(({ value }) => value));
    expect(warnings?.warnings ?? []).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(COLUMNS, fc.constantFrom('csv', 'json', 'ndjson', 'arrow-stream', 'xlsx'), check), {
    numRuns: 25,
  });
  expect(count).toBeGreaterThan(15);
});
