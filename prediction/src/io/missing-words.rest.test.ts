/** Tests that a word for a missing value is one in every format and direction: to train, to predict, and for previews. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FILE_FORMATS, toColumns, writeFile } from '../../../testkit/data/table-files.js';
import { answer, pieces } from '../../../testkit/prediction/answered-rows.js';
import { catchFaults, makeRows, QUICK } from '../../../testkit/prediction/sample-tables.js';
import { createPredictor, decodeModel, encodeModel, type Model, Predictor, readRowsTable, train } from '../index.js';
import { createTruthReader } from '../promises/subject.js';
import type { TableOptions } from '../table/row-reader.js';
import { previewTable } from './preview-table.js';
import { readTable } from './read-table.js';

type Row = Readonly<Record<string, string | number | null>>;

function read(rows: readonly Row[], format: (typeof FILE_FORMATS)[number], target: string, options?: TableOptions) {
  return readTable(format, pieces(writeFile(format, toColumns(rows)), 4000), target, options);
}

const numbers = makeRows(300, (random) => ({ x: Math.round(500 * random()) })).map(({ x }) => ({ x: Number(x) }));

/** A column of numbers with a dash in every 17th row, and one of classes and words; the target has words, too. */
const rows: Row[] = numbers.map(({ x }, index) => ({
  x: index % 17 === 0 ? '-' : String(x),
  kind: ['None', 'Minor', 'k.A.', 'n/a'][index % 4] ?? '',
  y: index % 21 === 0 ? 'K.A. ' : String(2 * x + (index % 4) * 100),
}));

const MARKS = { missing: ['k.A.'], missingIn: ['x=-'] };

const model = train(readRowsTable(rows, 'y', { marks: MARKS }), QUICK);
if (model.task !== 'regression') throw new Error('The target is no number');

describe('words that the sender names', () => {
  test.each(FILE_FORMATS)('are missing in a table of %s, the target among its columns', async (format) => {
    const table = await read(rows, format, 'y', { marks: MARKS });
    expect(table).toMatchObject({
      task: 'regression',
      rowCount: rows.length - 15,
      leftOut: [{ cause: 'no_target', rows: 15, words: [{ word: 'K.A.', rows: 15 }] }],
    });
    const { columns } = train(table, QUICK);
    expect(columns).toMatchObject([
      { name: 'x', kind: 'number', missing_share: expect.closeTo(1 / 17, 2) },
      { name: 'kind', kind: 'category', missing_share: expect.closeTo(0.5, 1) },
    ]);
    expect(columns[1]?.categories?.toSorted()).toEqual(['Minor', 'None']);
  });

  test.each(FILE_FORMATS)('are shown as missing in a preview of %s', async (format) => {
    const body = writeFile(format, toColumns(rows));
    const { columns } = await previewTable(pieces(body), format, { marks: MARKS });
    expect(columns[0]).toMatchObject({ kind: 'number', reading: null, missing: [{ text: '-', rows: 18 }] });
    expect(columns[1]?.missing).toEqual([
      { text: 'k.A.', rows: 75 },
      { text: 'n/a', rows: 75 },
    ]);
    expect(columns[2]).toMatchObject({ kind: 'number', missing: [{ text: 'K.A.', rows: 15 }] });
  });

  test.each(FILE_FORMATS)('are missing in rows of %s to predict', async (format) => {
    const predictor = new Predictor(model);
    const words = ['k.A.', ' K.A. ', 'NA', 'Null', 'None', 'none', 'other'];
    const sent = words.map((kind) => ({ x: '-', kind }));
    const expected = predictor.predict([
      ...Array.from({ length: 4 }, () => ({})),
      { kind: 'None' },
      { kind: 'x' },
      { kind: 'x' },
    ]);
    const { bytes } = await answer(predictor, writeFile(format, toColumns(sent)), { from: format, to: 'json' });
    const answered: { y: number }[] = JSON.parse(bytes.toString());
    expect(answered.map(({ y }) => y)).toEqual(expected.map(({ value }) => value));
  });

  test('may be numbers, which count by their value', async () => {
    const marked = numbers.map(({ x }, index): Row => ({ x: index % 5 ? x : -999, y: 2 * x }));
    for (const format of FILE_FORMATS) {
      const texts = marked.map(({ x, y }): Row => ({ x: x === -999 ? '-999.0' : String(x), y: y ?? null }));
      for (const table of [
        await read(marked, format, 'y', { marks: { missing: ['-999'] } }),
        await read(texts, format, 'y', { marks: { missingIn: ['x=-999'] } }),
      ]) {
        const [column] = train(table, QUICK).columns;
        expect(column).toMatchObject({ kind: 'number', missing_share: 0.2, min: expect.any(Number) });
        expect(Number(column?.min)).toBeGreaterThanOrEqual(0);
        expect('columns' in table && 'missing' in (table.columns[0] ?? {}) && table.columns[0]).toMatchObject({
          missing: { found: [{ word: '-999', rows: 60 }] },
        });
      }
    }
    const trained = train(readRowsTable(marked, 'y', { marks: { missing: ['-999'] } }), QUICK);
    if (trained.task !== 'regression') throw new Error('The target is no number');
    const predictor = new Predictor(trained);
    const [missing] = predictor.predict([{}]);
    for (const format of FILE_FORMATS) {
      for (const x of [-999, '-999', '-999.00', '-9.99e2']) {
        const body = writeFile(format, toColumns([{ x, y: '-999' }]));
        const { bytes } = await answer(predictor, body, { from: format, to: 'json' });
        expect(JSON.parse(bytes.toString())[0]).toMatchObject({ y: missing?.value, y_anomaly: null });
      }
    }
  });

  test('are missing in actual values', () => {
    const { classes } = { classes: [] };
    const readNumber = createTruthReader({ task: 'regression', reading: null, missing_words: ['k.A.', '0'], classes });
    expect(['k.a.', '0.0', 0, '1'].map(readNumber)).toEqual([null, null, null, 1]);
    const names = ['None', 'x'].map((name) => ({ name, rows: 9, merged_count: 0, merged: [] }));
    const ofClasses = { task: 'classification', reading: null, classes: names } as const;
    expect(createTruthReader({ ...ofClasses, missing_words: ['na'] })('None')).toBe(0);
    // As the release that trained the model did.
    expect(createTruthReader(ofClasses)('None')).toBeNull();
  });

  test('are missing in histories of series, whose groups keep all words', () => {
    const series = Array.from({ length: 120 }, (_, index) => ({
      day: new Date(Date.UTC(2025, 0, 1 + (index % 60))).toISOString().slice(0, 10),
      place: index < 60 ? 'NA' : 'k.A.',
      y: index % 11 === 0 ? 'k.A.' : String(10 + (index % 7)),
    }));
    const task = { orderBy: 'day', groupBy: ['place'], horizon: 3, known: [] };
    const forecaster = train(readRowsTable(series, 'y', { task, marks: MARKS_OF_TARGET }), QUICK);
    if (forecaster.task !== 'forecast') throw new Error('The task is a forecast');
    expect(forecaster.row_count).toBe(109);
    expect([...forecaster.series].map(({ groups }) => groups)).toEqual([['NA'], ['k.A.']]);
    const predictor = createPredictor(forecaster);
    const asked = { day: '2025-03-02', place: 'NA' };
    const answerOf = (y: unknown) => Buffer.concat([...predictor.answer([{ ...asked, y }])]).toString();
    expect(JSON.parse(answerOf('K.A.'))[0].y).toBe(JSON.parse(answerOf(null))[0].y);
    expect(() => answerOf('k.B.')).toThrow(/must be a number/);
  });
});

const MARKS_OF_TARGET = { missing: ['k.A.'] };

test('a model of an earlier release counts None as missing, in every format', async () => {
  const earlier = withoutWords(model);
  expect(JSON.stringify(earlier)).not.toContain('missing_words');
  const predictor = createPredictor(earlier);
  for (const from of FILE_FORMATS) {
    const body = writeFile(from, toColumns([{ kind: 'None' }, { kind: 'NONE ' }, { kind: null }, { kind: 'k.A.' }]));
    const { bytes } = await answer(predictor, body, { from, to: 'json' });
    const [one, other, missing, unknown] = JSON.parse(bytes.toString());
    expect([one.y, other.y]).toEqual([missing.y, missing.y]);
    expect(unknown.y).not.toBe(missing.y);
  }
});

/** Returns a model as a release without lists of words has stored it. */
function withoutWords(trained: Model): Model {
  const text = Buffer.from(encodeModel(trained)).toString();
  return decodeModel(
    Buffer.from(text.replaceAll(/,"missing_words":(?:\[[^\]]*\]|\{[^}]*\})/g, '').replaceAll('"None"', '"Nothing"')),
  );
}

describe('a frequent text among numbers or dates', () => {
  const values = (index: number) => String((index * 37) % 499);
  const days = (index: number) => `${1 + (index % 28)}/${1 + (index % 12)}/2024`;

  test.each<[string, (index: number) => string, RegExp]>([
    [
      '-',
      values,
      /^60 of its 300 values are not numbers.*"-" in (line|row) \d \(20 %\).*missing=-.*as_number.*as_category/,
    ],
    ['..', values, /"\.\."/],
    ['#DIV/0!', values, /"#DIV\/0!"/],
    ['k.A.', values, /"k\.A\."/],
    ['TBD', days, /^60 of its 300 values are not dates.*"TBD".*as_date/],
    ['3+', (index) => String(index % 3), /"3\+"/],
  ])('(%s) makes the column undecided in every format, and is named', async (text, write, reason) => {
    const mixed = numbers.map(({ x }, index) => ({ x: index % 5 === 0 ? text : write(index), y: x }));
    for (const format of FILE_FORMATS) {
      const table = await read(mixed, format, 'y');
      const [column] = train(table, QUICK).columns;
      expect(column).toMatchObject({
        kind: 'category',
        reading: { kind: 'undecided', reason: expect.stringMatching(reason) },
      });
      const { columns } = await previewTable(pieces(writeFile(format, toColumns(mixed))), format);
      expect(columns[0]).toMatchObject({ reading: { kind: 'undecided' }, alternatives: [] });
      const decided = await read(mixed, format, 'y', { marks: { missing: [text] } });
      expect(train(decided, QUICK).columns[0]?.kind).not.toBe('category');
    }
  });

  test('is named also where it is in most rows, or the column has more values than are kept', async () => {
    const sparse = Array.from({ length: 400 }, (_, index) => ({ x: index % 10 < 7 ? '-' : values(index), y: index }));
    expect(train(readRowsTable(sparse, 'y'), QUICK).columns[0]?.reading).toMatchObject({
      reason: expect.stringContaining('"-" in row 0 (70 %)'),
    });
    const many = Array.from({ length: 90_000 }, (_, index) => ({
      x: index % 5 ? String(index) : '-',
      z: index % 9,
      y: index,
    }));
    expect(readRowsTable(many, 'y').columns[0]).toMatchObject({
      reading: { kind: 'undecided', reason: expect.stringMatching(/^18,000 of its 90,000.*"-" in row 0 \(20 %\)/) },
      missing: { unread: { rows: 18_000, present: 90_000, texts: [{ text: '-', rows: 18_000, place: { row: 0 } }] } },
    });
  });

  test.each([
    ['answers', ['yes', 'no', 'maybe', '5']],
    ['codes', ['A1', 'B2', 'C3', '17', '4']],
    ['names', ['North', 'South', '2']],
  ])('is none among %s, which are categories', (_, texts) => {
    const named = numbers.map((_, index) => ({ x: texts[index % texts.length], y: index }));
    expect(train(readRowsTable(named, 'y'), QUICK).columns[0]).toMatchObject({ kind: 'category', reading: null });
  });
});

test('few cells of another kind are counted, with their texts and first places, in numbers and dates', async () => {
  const few = numbers.map(({ x }, index) => ({
    x: index % 100 === 7 ? `ca. ${index}` : String(x),
    day: index === 9 ? 'TBD' : `${13 + (index % 15)}/01/2024`,
    y: index,
  }));
  const { columns } = readRowsTable(few, 'y');
  expect(columns).toMatchObject([
    {
      missing: {
        unread: {
          kind: 'number',
          rows: 3,
          present: 300,
          texts: ['ca. 7', 'ca. 107', 'ca. 207'].map((text) => {
            return { text, rows: 1, place: { row: Number(text.slice(4)) } };
          }),
        },
      },
    },
    { missing: { unread: { kind: 'date', rows: 1, texts: [{ text: 'TBD', rows: 1, place: { row: 9 } }] } } },
  ]);
  const last = Array.from({ length: 70_000 }, (_, index) => ({
    x: index === 69_999 ? 'end' : String(index),
    y: index,
  }));
  expect(readRowsTable(last, 'y').columns[0]).toMatchObject({
    missing: { unread: { rows: 1, texts: [{ text: 'end', rows: 1, place: { row: 69_999 } }] } },
  });
});

describe('a target of which numbers are wanted', () => {
  const choices = [['y', 'number']] as const;

  test.each(FILE_FORMATS)('is numbers in %s, and other rows are left out and counted', async (format) => {
    const table = await read(rows, format, 'y', { choices });
    expect(table).toMatchObject({
      task: 'regression',
      rowCount: 285,
      leftOut: [{ cause: 'no_target', rows: 15, words: [{ word: 'K.A.', rows: 15 }] }],
    });
  });

  test('may have units and infinite values in some rows', () => {
    const mixed = Array.from({ length: 200 }, (_, index) => ({
      x: index,
      y: index % 3 === 0 ? `${index} €` : index % 7 === 0 ? '1e999' : index % 11 === 0 ? '5 kg' : index,
    }));
    const table = readRowsTable(mixed, 'y', { choices });
    const kept = mixed.filter(({ y }) => y !== '1e999' && y !== '5 kg');
    expect(table.rowCount).toBe(kept.length);
    expect('targetValues' in table && [...table.targetValues]).toEqual(kept.map(({ x }) => x));
  });

  test('is refused with the ways to say what its other texts are', async () => {
    const [fault] = await catchFaults(() => readRowsTable(rows, 'y', { task: 'regression' }));
    expect(fault?.message).toMatch(/the first is "K\.A\.".*missing=K\.A\..*as_number=y/);
    const [none] = await catchFaults(() =>
      readRowsTable(
        rows.map((row) => ({ ...row, y: 'k' })),
        'y',
        { choices },
      ),
    );
    expect(none?.message).toMatch(/Only 0 rows.*"k" \(300 rows\), which is not a number/);
    const [empty] = await catchFaults(() =>
      readRowsTable(
        rows.map((row) => ({ ...row, y: 0 })),
        'y',
        { marks: { missing: ['0'] } },
      ),
    );
    expect(empty?.message).toMatch(/Only 0 rows.*"0" \(300 rows\), which counts as missing/);
  });
});

test('a column of which all values are words says so, and words for an absent column are refused', async () => {
  const empty = rows.map((row, index) => ({ ...row, x: '0', y: index }));
  const [column] = train(readRowsTable(empty, 'y', { marks: { missing: ['0'] } }), QUICK).columns;
  expect(column).toMatchObject({ used: false, reason: 'every value is missing' });
  const [fault] = await catchFaults(() => readRowsTable(rows, 'y', { marks: { missingIn: ['size=0'] } }));
  expect(fault).toMatchObject({ column: 'size', message: expect.stringContaining('which missing_in names') });
  const named = numbers.map(({ x }, index) => ({ 'a=b': index % 3 ? String(x) : 'c=d', y: index }));
  const [equal] = train(readRowsTable(named, 'y', { marks: { missingIn: ['a=b=c=d'] } }), QUICK).columns;
  expect(equal).toMatchObject({ kind: 'number', missing_share: 1 / 3 });
});

test('rows are predicted alike in every format, whatever the words are', async () => {
  const word = fc.constantFrom(
    'k.A.',
    '-',
    '0',
    '-999',
    'true',
    'ß',
    'Straße fehlt',
    'not available',
    'kÄ',
    '1e3',
    'é',
  );
  const cell = fc.oneof(
    word,
    fc.constantFrom('a', 'b', 'TRUE', '-999.0', '1000', 'K.A.', 'KÄ', '\u212a.A.', 'É', 'SS', '00'),
  );
  const column = fc.array(cell, { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(fc.uniqueArray(word, { maxLength: 4 }), column, async (missing, cells) => {
    const table = numbers.map(({ x }, index) => ({ n: String(x), c: ['a', 'b', 'c'][index % 3] ?? '', y: index }));
    const trained = train(readRowsTable(table.slice(0, 60), 'y', { marks: { missing } }), QUICK);
    const predictor = createPredictor(trained);
    const sent = cells.map((text) => ({ n: text, c: text }));
    const expected = Buffer.concat([...predictor.answer(sent)]).toString();
    const valuesOf = (text: string) => JSON.parse(text).map(({ y }: { y: number }) => y);
    for (const from of FILE_FORMATS) {
      const { bytes } = await answer(predictor, writeFile(from, toColumns(sent)), { from, to: 'json' });
      expect(valuesOf(bytes.toString())).toEqual(valuesOf(expected));
    }
  });
  await fc.assert(property, { numRuns: 30, seed: 106 });
});

describe('the column that decides which rows measure a model', () => {
  const dated = (word: string): Row[] => {
    return numbers.map(({ x }, index) => ({ x, when: index === 9 ? word : `2025-01-${10 + (index % 20)}`, y: index }));
  };
  const grouped = numbers.map(({ x }, index) => ({ x, shop: index % 5 ? `s${index % 30}` : 'k.A.', y: index }));

  test.each([{ missing: ['TBD'] }, { missingIn: ['when=TBD'] }])('has no moment at a word of %j', async (marks) => {
    const validation = { method: 'last', by: 'when' } as const;
    const [fault] = await catchFaults(() => readRowsTable(dated('TBD'), 'y', { marks, validation }));
    expect(fault).toMatchObject({ column: 'when', row: 9, message: expect.stringContaining('has no value') });
  });

  test.each([{ missing: ['K.A.'] }, { missingIn: ['shop=K.A.'] }])('has no group at a word of %j', (marks) => {
    const validation = { method: 'group', by: 'shop' } as const;
    const blank = grouped.map((row) => ({ ...row, shop: row.shop === 'k.A.' ? null : row.shop }));
    const named = measuredRows(grouped, { marks, validation });
    expect(named).toEqual(measuredRows(blank, { validation }));
    expect(named).not.toEqual(measuredRows(grouped, { validation }));
  });
});

function measuredRows(sent: readonly Row[], options: TableOptions) {
  const table = readRowsTable(sent, 'y', options);
  if (table.task === 'forecast') throw new Error('The table is of a forecast');
  return table.validation;
}
