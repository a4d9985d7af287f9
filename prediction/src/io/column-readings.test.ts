/** Tests that the texts of a column mean the same in every format and direction: to train, to predict, and for previews. */
import { Float64, Table, TimestampMillisecond, tableToIPC, vectorFromArray } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { writePercents, writeWorkbook } from '../../../testkit/data/workbooks.js';
import { answer, pieces } from '../../../testkit/prediction/answered-rows.js';
import { makeRows, QUICK } from '../../../testkit/prediction/sample-tables.js';
import { decodeModel, encodeModel, Predictor, type RegressionTable, train } from '../index.js';
import type { TableColumn } from '../table/column.js';
import type { TableMarks } from '../table/reading/column-reading.js';
import { createReader } from '../table/reading/create-reader.js';
import { previewTable } from './preview-table.js';
import { readTable } from './read-table.js';

type Format = 'csv' | 'json' | 'ndjson' | 'xlsx';
type TextRow = Readonly<Record<string, string>>;

const FORMATS: readonly Format[] = ['csv', 'json', 'ndjson', 'xlsx'];

function write(rows: readonly TextRow[], format: Format): Buffer {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => row[name] ?? ''));
  if (format === 'xlsx') return writeWorkbook([names, ...cells]);
  if (format === 'json') return Buffer.from(JSON.stringify(rows));
  const lines =
    format === 'ndjson'
      ? rows.map((row) => JSON.stringify(row))
      : [names, ...cells].map((line) => line.map((cell) => `"${cell}"`).join(','));
  return Buffer.from(`${lines.join('\n')}\n`);
}

async function read(rows: readonly TextRow[], format: Format, target: string, marks?: TableMarks) {
  const table = await readTable(format, pieces(write(rows, format)), target, { marks });
  if (table.task !== 'regression') throw new Error('The target is no number');
  return table;
}

function valuesOf(column: TableColumn | undefined): number[] {
  if (column?.kind !== 'text' || !column.reading || column.reading.kind === 'undecided') return [];
  const parse = createReader(column.reading.kind, column.reading);
  return Array.from(column.codes, (code) => parse(column.texts[code - 1] ?? ''));
}

const group = (value: number, mark: string) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, mark);

/** Numbers as public files have them: how they are written, and their range. */
const FORMS: Record<string, [(value: number) => string, number, number]> = {
  'thousands by commas': [(value) => group(value, ','), 0, 4000],
  'thousands with and without cents': [(value) => `${group(value, ',')}${value % 2 < 1 ? '.00' : ''}`, 5e4, 14e4],
  'thousands by points': [(value) => group(value, '.'), 0, 3000],
  'three decimals behind a comma': [(value) => value.toFixed(3).replace('.', ','), 0, 9],
  'thousands by spaces': [(value) => group(value, '\u00a0'), 500, 9e5],
  accounting: [(value) => (value < 0 ? `(${group(-value, ',')})` : group(value, ',')), -2000, 2000],
  percentages: [(value) => `${value.toFixed(1).replace('.', ',')} %`, 0, 100],
};

function rowsOf([write, least, most]: (typeof FORMS)[string]) {
  const made = makeRows(200, (random) => {
    const value = least + (most - least) * random();
    const text = write(value);
    const digits = text.replace(/[^\d]/g, '');
    const decimals = /(?:\.00|,\d{3})$/.exec(text) && (text.endsWith('.00') || most < 10);
    const places = decimals ? (text.endsWith('.00') ? 2 : 3) : text.endsWith('%') ? 1 : 0;
    const size = Number(digits) / 10 ** places;
    return { text, value: text.startsWith('(') ? -size : size };
  });
  return { texts: made.map(({ text }) => String(text)), values: made.map(({ value }) => Number(value)) };
}

describe.each(Object.keys(FORMS))('%s', (name) => {
  const form = FORMS[name] ?? [String, 0, 1];
  const { texts, values } = rowsOf(form);
  const rows = texts.map((text, index) => ({ x: text, y: String(values[index]) }));

  test.each(FORMATS)('are read from %s, as a column and as a target', async (format) => {
    const { columns, targetValues } = await read(rows, format, 'y');
    expect(valuesOf(columns[0])).toEqual(values);
    expect([...targetValues]).toEqual(values);
    expect([...(await read(rows, format, 'x')).targetValues]).toEqual(values);
    const preview = await previewTable(pieces(write(rows, format)), format);
    expect(preview.columns[0]).toMatchObject({ kind: 'number', reading: { kind: 'number' } });
    expect(preview.columns[1]).toMatchObject({ kind: 'number', reading: null });
  });

  test('are predicted from as the numbers that they are', async () => {
    const predictor = new Predictor(train(await read(rows, 'csv', 'y'), QUICK));
    const few = rows.slice(0, 40).map(({ x }) => ({ x }));
    const expected = predictor.predict(values.slice(0, 40).map((x) => ({ x })));
    for (const from of ['csv', 'json', 'ndjson'] as const) {
      const { bytes, warnings } = await answer(predictor, write(few, from), { from, to: 'json' });
      const answered: { y: number }[] = JSON.parse(bytes.toString());
      expect(answered.map(({ y }) => y)).toEqual(expected.map(({ value }) => value));
      expect(warnings?.warnings).toEqual([]);
    }
  });
});

/** A column of thousands by commas, as a feature and as the target. */
const prices = Array.from({ length: 200 }, (_, index) => ({ x: group(10 * index, ','), y: group(20 * index, ',') }));

describe('rows that contradict the column', () => {
  test('count as missing, and are warned of alike in every format', async () => {
    const predictor = new Predictor(train(await read(prices, 'csv', 'y'), QUICK));
    const rows = ['12,5', '1.234,50', '1,200', '1200.5', '-1,200', 'dear', '1 200'].map((x) => ({ x }));
    const [missing] = predictor.predict([{}]);
    for (const from of ['csv', 'json', 'ndjson'] as const) {
      const { bytes, warnings } = await answer(predictor, write(rows, from), { from, to: 'json', warnings: true });
      const answered: { y: number; y_warnings: string | null }[] = JSON.parse(bytes.toString());
      expect(answered.slice(0, 2).map(({ y }) => y)).toEqual([missing?.value, missing?.value]);
      expect(answered[2]?.y).not.toBe(missing?.value);
      expect(answered.map(({ y_warnings }) => y_warnings)).toEqual([
        ...['x: unreadable', 'x: unreadable', null, null, null, 'x: unreadable', null],
      ]);
      expect(warnings?.warnings).toContainEqual({ kind: 'unreadable', name: 'x', rows: 3, nearest: null });
    }
  });

  describe('by values of another kind', () => {
    const day = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10);
    const rows = Array.from({ length: 200 }, (_, index) => ({
      when: day(index),
      // Only a column with gaps has a bin for missing values.
      size: index % 50 ? String(index / 2) : '',
      y: String(2 * index + (index % 3)),
    }));
    const learn = async () => new Predictor(train(await read(rows, 'csv', 'y'), QUICK));
    const warned = (when: number, size: number) =>
      Object.entries({ when, size })
        .filter(([, count]) => count > 0)
        .map(([name, count]) => ({ kind: 'unreadable', name, rows: count, nearest: null }))
        .sort((one, other) => other.rows - one.rows);

    test.each(FORMATS)('are warned of in texts of %s, but not of missing words', async (from) => {
      const texts = ['1709251200000', 'March 1st', '45352', day(7), 'NA', ''].map((when) => ({ when, size: '50' }));
      const sizes = ['~50', 'TBD', 'true', '50 kg', '12', 'n/a', ''].map((size) => ({ when: day(8), size }));
      const body = write([...texts, ...sizes], from);
      const { warnings } = await answer(await learn(), body, { from, to: 'json' });
      expect(warnings?.warnings).toEqual(warned(3, 4));
    });

    test.each(['json', 'ndjson'] as const)('are warned of in typed values of %s', async (from) => {
      const cells = [
        ...[1_709_251_200_000, true, { value: day(1) }, day(2), null].map((when) => ({ when, size: 50 })),
        ...[true, false, { value: 50 }, [50], 50, '', null].map((size) => ({ when: day(8), size })),
        {},
      ];
      const lines = cells.map((cell) => JSON.stringify(cell));
      const body = Buffer.from(from === 'json' ? `[${lines.join(',')}]` : lines.join('\n'));
      const predictor = await learn();
      const { warnings } = await answer(predictor, body, { from, to: 'csv' });
      expect(warnings?.warnings.filter(({ kind }) => kind === 'unreadable')).toEqual(warned(3, 4));
      const check = predictor.check();
      check.add(cells);
      expect(check.warnings(9)).toEqual(warnings);
    });

    test('are warned of in typed columns of Arrow', async () => {
      const at = [1_709_251_200_000, null, 3].map((when) => (when === null ? null : new Date(when)));
      const table = new Table({
        when: vectorFromArray([1_709_251_200_000, null, 3], new Float64()),
        size: vectorFromArray(at, new TimestampMillisecond()),
      });
      const body = Buffer.from(tableToIPC(table, 'stream'));
      const { warnings } = await answer(await learn(), body, { from: 'arrow-stream', to: 'json' });
      expect(warnings?.warnings).toEqual(warned(2, 2));
    });
  });

  test('are read each by itself by a model of an earlier release', async () => {
    const model = train(await read(prices, 'csv', 'y'), QUICK);
    const earlier = decodeModel(
      Buffer.from(
        Buffer.from(encodeModel(model))
          .toString()
          .replaceAll(/"reading":\{[^}]*"decided_by":"values"\}/g, '"reading":null')
          .replace(/"target_reading":\{[^}]*\}/, '"target_reading":null'),
      ),
    );
    if (earlier.task !== 'regression') throw new Error('The target is no number');
    const predictor = new Predictor(earlier);
    const texts = ['1,200', 1.2, '1,200.0', 1200, '1,57,685.00', '–12', '12,-', null];
    const values = predictor.predict(texts.map((x) => ({ x })));
    expect(values[0]).toEqual({ ...values[1] });
    expect(values[2]?.value).toBe(values[3]?.value);
    // Forms that it does not know are missing.
    for (const value of values.slice(4)) expect(value).toEqual({ ...values.at(-1) });
    const check = predictor.check();
    check.add([{ x: '12,5.7.8' }]);
    expect(check.warnings(9).warnings).toEqual([]);
  });
});

describe('a column of more texts than are kept', () => {
  const lines = (count: number, write: (index: number) => string, last: readonly string[] = []) =>
    [...Array.from({ length: count }, (_, index) => write(index)), ...last].map((x, index) => ({
      x,
      z: String(index % 7),
      y: String(index % 100),
    }));

  test('has the meaning that its last line shows', async () => {
    // The first 70,000 lines do not show whether these are thousands or decimals.
    const write = (index: number) => `${1 + (index % 99)},${100 + Math.floor(index / 99)}`;
    const rows = lines(70_000, write, ['1,234,567']);
    const { columns } = await read(rows, 'csv', 'y');
    const [column] = columns;
    if (column?.kind !== 'number') throw new Error('The column is none of numbers');
    expect(column.reading).toMatchObject({ decimal: '.', group: ',' });
    expect(column.values.at(-1)).toBe(1_234_567);
    expect(column.values[0]).toBe(1100);
  });

  test('is undecided where its last line contradicts the others', async () => {
    const rows = lines(70_000, (index) => String(index + 0.25), ['1.234,5']);
    const { columns } = await read(rows, 'csv', 'y');
    expect(columns[0]).toMatchObject({
      kind: 'text',
      texts: [],
      reading: { kind: 'undecided', reason: expect.stringMatching(/"0\.25" in line 2.*"1\.234,5" in line 70002/) },
    });
    const target = readTable('csv', pieces(write(rows, 'csv'), 65_536), 'x');
    await expect(target).rejects.toThrow(/cannot be read.*two forms.*line 70002/);
  });

  test('is undecided where many of the later values are none', async () => {
    const rows = lines(
      70_000,
      String,
      Array.from({ length: 10_000 }, (_, index) => `n${index}`),
    );
    const { columns } = await read(rows, 'csv', 'y');
    expect(columns[0]).toMatchObject({
      reading: { reason: expect.stringMatching(/^10,000 of its 80,000 values .*"n0" in line 70002/) },
    });
  });
});

test('dates whose days and months a spreadsheet has exchanged are no moments of a forecast, nor read in large tables', async () => {
  const two = (number: number) => String(number).padStart(2, '0');
  const rows = Array.from({ length: 366 }, (_, index) => {
    const date = new Date(Date.UTC(2024, 0, 1 + index));
    const [day, month] = [two(date.getUTCDate()), two(date.getUTCMonth() + 1)];
    return { when: Number(day) <= 12 ? `2024-${day}-${month}` : `${day}/${month}/2024`, y: String(index % 7) };
  });
  const task = { orderBy: 'when', groupBy: [], horizon: 3, known: [] };
  const refused = readTable('csv', pieces(write(rows, 'csv')), 'y', { task });
  await expect(refused).rejects.toThrow(/exchanged day and month.*"2024-01-01".*"13\/01\/2024"/);
  // More texts than are kept: the times differ.
  const many = Array.from({ length: 70_000 }, (_, index) => {
    const { when = '', y = '' } = rows[index % 366] ?? {};
    const turn = Math.floor(index / 366);
    return { when: `${when} ${two(turn % 24)}:${two(Math.floor(turn / 24))}`, z: y, y };
  });
  const { columns } = await read(many, 'csv', 'y');
  expect(columns[0]).toMatchObject({ reading: { kind: 'undecided', reason: expect.stringMatching(/exchanged/) } });
  const { columns: right } = await read([...many, { when: '2024-03-31 10:00', z: '1', y: '1' }], 'csv', 'y');
  expect(right[0]).toMatchObject({ kind: 'date', reading: { order: 'day-first' } });
});

describe('numbers that a workbook shows as percentages', () => {
  const fractions = [0.45, 0.8, 0.073, 0.29];
  const shares = Array.from({ length: 200 }, (_, index) => (index * 37) % 101);
  const valuesOf = async (predictor: Predictor, body: Buffer, from: Format) => {
    const { bytes, warnings } = await answer(predictor, body, { from, to: 'json' });
    const rows: { y: number; y_original: number; rate: unknown }[] = JSON.parse(bytes.toString());
    return { values: rows.map(({ y }) => y), rates: rows.map(({ rate }) => rate), warnings };
  };

  test('are those of texts with the unit, beside numbers that are not shown so', async () => {
    const rows = shares.map((share) => ({ rate: `${share}.5%`, y: String(3 * share) }));
    const predictor = new Predictor(train(await read(rows, 'csv', 'y'), QUICK));
    const shown = await valuesOf(
      predictor,
      writePercents(
        ['rate'],
        fractions.map((each) => [each]),
      ),
      'xlsx',
    );
    const texts = fractions.map((each) => ({ rate: `${(100 * each).toFixed(1)}%` }));
    expect(shown.values).toEqual((await valuesOf(predictor, write(texts, 'csv'), 'csv')).values);
    expect(shown).toMatchObject({ rates: [45, 80, 7.3, 29], warnings: { warnings: [] } });
    const plain = await valuesOf(predictor, writeWorkbook([['rate'], [45], [80], [7.3], [29]]), 'xlsx');
    expect(plain.values).toEqual(shown.values);
  });

  test('stay fractions in a column of fractions', async () => {
    const rows = shares.map((share) => [share / 100, 3 * share]);
    const table = await readTable('xlsx', pieces(writePercents(['rate', 'y'], rows)), 'y');
    if (table.task !== 'regression') throw new Error('The target is no number');
    const predictor = new Predictor(train(table, QUICK));
    const shown = await valuesOf(
      predictor,
      writePercents(
        ['rate'],
        fractions.map((each) => [each]),
      ),
      'xlsx',
    );
    const texts = fractions.map((each) => ({ rate: String(each) }));
    expect(shown.values).toEqual((await valuesOf(predictor, write(texts, 'csv'), 'csv')).values);
  });
});

describe('numbers of JSON beside texts', () => {
  const mixed = (text: string) =>
    Array.from({ length: 60 }, (_, index) => ({ x: index % 2 ? index + 0.125 : text, y: index }));
  const readMixed = async (text: string) => {
    const body = Buffer.from(JSON.stringify(mixed(text)));
    const { columns } = (await readTable('json', pieces(body), 'y')) as RegressionTable;
    return valuesOf(columns[0]).slice(0, 2);
  };

  test('are those numbers, whatever the texts show', async () => {
    expect(await readMixed('1.234,5')).toEqual([1234.5, 1.125]);
    expect(await readMixed('1,234.5')).toEqual([1234.5, 1.125]);
    expect(await readMixed('0,5')).toEqual([0.5, 1.125]);
  });

  test('are the same categories as their texts', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ x: ['a', 'b', 1.5, '1.5'][index % 4], y: index }));
    const table = await readTable('json', pieces(Buffer.from(JSON.stringify(rows))), 'y');
    expect(table.columns[0]).toMatchObject({ kind: 'text', texts: ['a', 'b', '1.5'] });
  });
});

describe('infinity as R and pandas write it', () => {
  test.each(FORMATS)('is a value of a column of numbers in %s', async (format) => {
    const rows = Array.from({ length: 120 }, (_, index) => ({
      x: index % 4 === 0 ? (['Inf', 'inf', 'Infinity'][index % 3] ?? '') : String(index),
      y: String(index % 4 === 0 ? 500 + (index % 5) : index),
    }));
    const predictor = new Predictor(train(await read(rows, format, 'y'), QUICK));
    expect(predictor.model.columns[0]).toMatchObject({ kind: 'number', missing_share: 0, min: 1, max: 119 });
    const asked = ['inf', 'Inf', '+inf', 'Infinity'].map((x) => ({ x }));
    const { bytes } = await answer(predictor, write(asked, format), { from: format, to: 'json' });
    const answered: { y: number }[] = JSON.parse(bytes.toString());
    expect(new Set(answered.map(({ y }) => y)).size).toBe(1);
    expect(answered[0]?.y).toBeGreaterThan(400);
  });
});

describe('one invalid date in two hundred', () => {
  test.each(FORMATS)('is a missing value in %s', async (format) => {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      when: index === 9 ? 'TBD' : `05/${13 + (index % 15)}/${2010 + (index % 10)}`,
      y: String(index % 50),
    }));
    const model = train(await read(rows, format, 'y'), QUICK);
    expect(model.columns[0]).toMatchObject({
      kind: 'date',
      missing_share: 1 / 200,
      min: '2010-05-13T00:00:00.000Z',
      reading: { order: 'month-first', decided_by: 'values' },
    });
  });
});

describe('marks that the sender names', () => {
  const texts = (all: readonly string[]) =>
    Array.from({ length: 60 }, (_, index) => ({
      x: all[index % all.length] ?? '',
      z: String(index % 7),
      y: String(index % 50),
    }));

  test('decide where the values do not', async () => {
    const rows = texts(['1,234', '2,500', '33,333']);
    const decided = async (marks: TableMarks) => valuesOf((await read(rows, 'csv', 'y', marks)).columns[0])[0];
    expect(await decided({})).toBeUndefined();
    expect(await decided({ decimal: ',' })).toBe(1.234);
    expect(await decided({ decimal: '.' })).toBe(1234);
    expect(await decided({ group: ',' })).toBe(1234);
    expect(await decided({ decimal: '.', columns: [['x', ',']] })).toBe(1.234);
  });

  test('are refused for a column that is not there', async () => {
    const marks = { columns: [['w', ',']] } as const;
    await expect(read(texts(['1']), 'csv', 'y', marks)).rejects.toThrow(/no column "w", which decimal_comma names/);
  });

  test('leave a column undecided that contradicts them', async () => {
    const { columns } = await read(texts(['1.5', '2.25']), 'csv', 'y', { decimal: ',' });
    expect(columns[0]).toMatchObject({
      reading: { reason: expect.stringMatching(/contradict decimal=,.*"1\.5" in line 2/) },
    });
    expect(columns[1]).toMatchObject({ reading: { decimal: ',', decided_by: 'parameters' } });
  });

  test('say which number of a date comes first', async () => {
    const rows = texts(['05/06/2025', '07/08/2025']);
    const { columns } = await read(rows, 'csv', 'y', { dateOrder: 'day-first' });
    expect(columns[0]).toMatchObject({ reading: { order: 'day-first', decided_by: 'parameters' } });
    expect(valuesOf(columns[0])[0]).toBe(Date.UTC(2025, 5, 5));
  });
});
