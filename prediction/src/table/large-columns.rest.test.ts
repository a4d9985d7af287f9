import { describe, expect, test } from 'vitest';
import { makeRows, type Row, readRows, toRows } from '../../../testkit/prediction/sample-tables.js';
import { encodeModel, Predictor, train } from '../index.js';
import { ISO_DATES, PLAIN_NUMBERS } from './reading/column-reading.js';

/** More than the distinct texts that a column keeps. */
const MANY = 70_000;

function columnsOf(count: number, make: (index: number) => Row) {
  return readRows(
    Array.from({ length: count }, (_, index) => ({ ...make(index), few: index % 3, y: index % 1000 })),
    'y',
  ).columns;
}

describe('a column of more distinct values than texts are kept', () => {
  test('of numbers is kept as numbers, and what is none is missing', () => {
    const cell = (index: number) => {
      if (index % 100 === 0) return ['NA', 'about 7', null, '', true][(index / 100) % 5];
      return index % 2 ? index / 8 : `${index / 8}`;
    };
    const rows = Array.from({ length: MANY }, (_, index) => ({ x: cell(index), y: index % 9 }));
    const table = readRows(rows, 'y');
    expect(table.columns).toMatchObject([{ kind: 'number', values: { length: MANY } }]);
    const wrong = toRows(table).filter(({ x }, index) => x !== (index % 100 ? index / 8 : null));
    expect(wrong).toEqual([]);
  });

  test('of dates is kept as moments', () => {
    const day = (index: number) => new Date(60_000 * index).toISOString();
    const [column] = columnsOf(MANY, (index) => ({ day: index % 50 ? day(index) : 'unknown' }));
    expect(column).toMatchObject({ kind: 'date', values: { 0: Number.NaN, 7: 420_000 } });
  });

  test('of words keeps those that many rows have, wherever they first appear', () => {
    const [column] = columnsOf(2.5 * MANY, (index) => ({
      word: index > 1.5 * MANY && index % 10 === 0 ? 'late' : `word ${index}`,
    }));
    if (column?.kind !== 'text') throw new Error('Words are not numbers');
    expect(column.texts).toContain('late');
    const late = column.texts.indexOf('late') + 1;
    expect(column.codes.filter((code) => code === late)).toHaveLength(MANY / 10 - 1);
    const others = column.texts.length + 1;
    expect(column.codes.filter((code) => code === others).length).toBeGreaterThan(MANY);
    expect(column.codes.filter((code) => code === 0)).toHaveLength(0);
  });

  test('of words and some numbers is one of words', () => {
    const [column] = columnsOf(MANY, (index) => ({ x: index % 10 ? index : `word ${index}` }));
    expect(column?.kind).toBe('text');
  });
});

test('distinct words in every row are left out of a model, and it says why', () => {
  const rows = makeRows(MANY, (random, index) => ({ id: `id ${index}`, x: index % 16, y: (index % 16) + random() }));
  // To be trained on a few rows, as the others would take long.
  const { columns, targetValues, ...table } = readRows(rows, 'y');
  const [id] = columns;
  if (id?.kind !== 'text') throw new Error('The ids are not numbers');
  expect(id.texts.length).toBeLessThan(65_535);
  const few = readRows(rows.slice(0, 2000), 'y');
  const model = train({
    ...table,
    rowCount: 2000,
    targetValues: few.targetValues,
    columns: [{ ...id, codes: id.codes.slice(0, 2000) }, ...few.columns.slice(1)],
  });
  expect(targetValues).toHaveLength(MANY);
  expect(model.columns).toMatchObject([
    { name: 'id', used: false, reason: expect.stringContaining('identifier') },
    { name: 'x', used: true },
  ]);
});

test('a model is the same from numbers that are kept as such as from those kept as texts', () => {
  const rows = makeRows(200, (random) => {
    const x = random();
    const day = new Date(1e12 + 1e11 * random()).toISOString();
    return { x, day, y: Math.round(100 * x) + random() };
  });
  const table = readRows(rows, 'y');
  const [x, day] = table.columns;
  expect([x?.kind, day?.kind]).toEqual(['text', 'text']);
  const asValues = {
    ...table,
    columns: [
      {
        ...(x?.missing && { missing: x.missing }),
        kind: 'number',
        name: 'x',
        reading: PLAIN_NUMBERS,
        values: Float64Array.from(rows, (row) => Number(row['x'])),
      },
      {
        ...(day?.missing && { missing: day.missing }),
        kind: 'date',
        name: 'day',
        reading: ISO_DATES,
        values: Float64Array.from(rows, (row) => Date.parse(String(row['day']))),
      },
    ] as const,
  };
  const model = train(asValues);
  expect(Buffer.from(encodeModel(model)).equals(encodeModel(train(table)))).toBe(true);
  expect(new Predictor(model).predict(rows.slice(0, 3))).toHaveLength(3);
});

test('the texts of all columns together are bounded', () => {
  const rows = Array.from({ length: 140 }, (_, index) => {
    const cells = Array.from({ length: 100 }, (_, column) => [`c${column}`, `${column} ${index} `.padEnd(10_000, 'x')]);
    return Object.fromEntries([...cells, ['few', index % 3], ['y', index]]);
  });
  const { columns } = readRows(rows, 'y');
  const letters = columns.map((column) =>
    column.kind === 'text' ? column.texts.reduce((sum, { length }) => sum + length, 0) : 0,
  );
  const all = letters.reduce((sum, some) => sum + some);
  expect(all).toBeLessThan(100 * 1024 * 1024);
  expect(all).toBeGreaterThan(40 * 1024 * 1024);
  expect(columns.at(-1)).toMatchObject({ name: 'few', texts: ['0', '1', '2'] });
});
