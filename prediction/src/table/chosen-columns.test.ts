import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { catchFaults, csvStream, makeRows, QUICK, withoutMissing } from '../../../testkit/prediction/sample-tables.js';
import {
  answerRows,
  encodeTable,
  Predictor,
  readCsvTable,
  readRowsTable,
  type Table,
  TableDecoder,
  train,
} from '../index.js';
import type { ColumnChoices } from './column.js';

/** Rents that follow from the town of a postal code, of which one begins with a zero. */
const rows = makeRows(300, (random, index) => {
  const zip = ['05914', '5914', '80331'][index % 3];
  const rent = (zip === '5914' ? 900 : 300) + Math.round(20 * random());
  const note = index % 4 === 0 ? 'on request' : `${index % 7}`;
  return { id: 1000 + index, zip, floor: note, seen: `${13 + (index % 9)}.05.2025`, rent };
});
const names = ['id', 'zip', 'floor', 'seen', 'rent'] as const;
const lines = rows.map((row) => names.map((name) => row[name]).join(','));
const csv = [names.join(','), ...lines].join('\n');

const CHOICES: ColumnChoices = [
  ['id', 'unused'],
  ['zip', 'category'],
  ['floor', 'number'],
];

const readCsv = (choices: ColumnChoices) => readCsvTable(csvStream(csv), 'rent', { choices });

function stored(table: Table): Table {
  const decoder = new TableDecoder();
  for (const part of encodeTable(table)) decoder.add(part);
  return decoder.finish();
}

describe('chosen columns', () => {
  test('are read as was said, in every format, and are kept with the table', async () => {
    const table = await readCsv(CHOICES);
    expect(withoutMissing(table)).toEqual(withoutMissing(readRowsTable(rows, 'rent', { choices: CHOICES })));
    expect(stored(table)).toEqual(table);
    const { columns } = train(stored(table), QUICK);
    expect(columns).toMatchObject([
      { name: 'id', used: false, chosen: 'unused', missing_share: 1 },
      { name: 'zip', kind: 'category', chosen: 'category' },
      { name: 'floor', kind: 'number', chosen: 'number', missing_share: 0.25, max: 6 },
      { name: 'seen', kind: 'date', used: true },
    ]);
    expect(columns[1]?.categories?.toSorted()).toEqual(['05914', '5914', '80331']);
    expect(columns[3]).not.toHaveProperty('chosen');
  });

  test('keep the leading zeros of codes in rows to predict, of JSON and of CSV', async () => {
    const table = await readCsv(CHOICES);
    if (table.task !== 'regression') throw new Error('Rents are numbers');
    const predictor = new Predictor(train(table, QUICK));
    const [town, other] = predictor.predict([{ zip: '05914' }, { zip: '5914' }]);
    expect(other?.value).toBeGreaterThan(2 * (town?.value ?? 0));
    let text = '';
    const body = csvStream(`zip\n05914\n5914\n${'5914\n'.repeat(1000)}`);
    for await (const part of answerRows(predictor, body, { from: 'csv', to: 'csv' })) {
      if (part.kind === 'bytes') text += Buffer.from(part.bytes).toString();
    }
    const [header = '', ...answers] = text.trim().split('\n');
    const place = header.trim().split(',').indexOf('rent');
    const rents = answers.map((line) => Number(line.split(',')[place]));
    expect(rents[0]).toBeCloseTo(town?.value ?? 0, 0);
    expect(new Set(rents.slice(1))).toEqual(new Set([rents[1]]));
    expect(rents[1]).toBeGreaterThan(2 * (rents[0] ?? 0));
  });

  test('of more codes than texts are kept stay categories, and the frequent ones count', () => {
    const many = makeRows(140_000, (_, index) => ({
      zip: index % 2 === 0 ? '00001' : String(100_000 + index),
      y: index % 2,
    }));
    const table = readRowsTable(many, 'y', { choices: [['zip', 'category']], task: 'regression' });
    const [column] = table.columns;
    if (column?.kind !== 'text') throw new Error('The codes have become numbers');
    expect(column).toMatchObject({ chosen: 'category', texts: expect.arrayContaining(['00001']) });
    const code = 1 + column.texts.indexOf('00001');
    expect(column.codes.filter((other) => other === code)).toHaveLength(70_000);
  });

  test('that hold nothing of their kind are reported, and not used', async () => {
    const table = await readCsv([
      ['zip', 'date'],
      ['floor', 'date'],
    ]);
    expect(train(table, QUICK).columns).toMatchObject([
      { name: 'id' },
      { name: 'zip', used: false, reason: 'no value can be read as a date' },
      { name: 'floor', used: false, kind: 'date' },
      { name: 'seen' },
    ]);
  });

  test.each([
    ['regression', 'regression'],
    ['a forecast', { orderBy: 'day', groupBy: [], horizon: 3, known: [] }],
  ] as const)('that are left out take no memory and are no cells, in %s', (_what, task) => {
    const wide = Array.from({ length: 997 }, (_, index) => `c${index}`);
    const first = { ...Object.fromEntries(wide.map((name) => [name, 1])), day: 0, y: 0 };
    const sparse = Array.from({ length: 30_000 }, (_, index) => ({ day: index + 1, y: index % 7 }));
    const choices: ColumnChoices = wide.map((name) => [name, 'unused']);
    const table = readRowsTable([first, ...sparse], 'y', { choices, task });
    const bytes = [...encodeTable(table)].reduce((sum, part) => sum + part.length, 0);
    expect(bytes).toBeLessThan(2_000_000);
    expect(stored(table)).toEqual(table);
  });

  test('must be there, and must not be all that is left out', async () => {
    expect(await catchFaults(() => readCsv([['ZIP', 'category']]))).toEqual([
      { message: expect.stringContaining('"ZIP", which as_category names'), column: 'ZIP' },
    ]);
    const all = names.slice(0, -1).map((name) => [name, 'unused'] as const);
    const faults = await catchFaults(() => readCsv(all));
    expect(faults.map(({ column }) => column)).toEqual(['id', 'zip', 'floor', 'seen']);
    expect(faults[0]?.message).toContain('the training left it out (exclude)');
  });
});

describe('the line of the header', () => {
  const titled = `Umsätze "2025, Export;;\r\n\r\n${csv.replaceAll('\n', '\r\n')}`;

  test('may follow a title that is no CSV, whatever the line ends and the chunks', async () => {
    const expected = withoutMissing(await readCsv(CHOICES));
    for (const text of [titled, titled.replaceAll('\r\n', '\n'), titled.replaceAll('\r\n', '\r')]) {
      for (const size of [1, 1 << 20]) {
        const source = csvStream(`\uFEFF${text}`, size);
        expect(withoutMissing(await readCsvTable(source, 'rent', { headerLine: 3, choices: CHOICES }))).toEqual(
          expected,
        );
      }
    }
  });

  test('counts in messages, and must be in the file', async () => {
    const short = Readable.from([Buffer.from(`${titled}\r\n1,2`)]);
    const options = { headerLine: 3 };
    expect(await catchFaults(() => readCsvTable(short, 'rent', options))).toMatchObject([
      { line: 304, message: expect.stringContaining('Line 304 has 2 fields') },
    ]);
    const below = { headerLine: 304 };
    expect(await catchFaults(() => readCsvTable(csvStream(titled), 'rent', below))).toEqual([
      { message: expect.stringContaining('header_line is 304, but the text has 303 lines') },
    ]);
    for (const [text, headerLine, lines] of [
      ['a\nb\n', 5, '2 lines'],
      ['a\r\nb\r\n', 3, '2 lines'],
      ['a\nb', 3, '2 lines'],
      ['a\n', 2, '1 line'],
      ['', 2, '0 lines'],
    ] as const) {
      expect(await catchFaults(() => readCsvTable(csvStream(text), 'rent', { headerLine }))).toMatchObject([
        { message: expect.stringContaining(`header_line is ${headerLine}, but the text has ${lines}.`) },
      ]);
    }
  });
});
