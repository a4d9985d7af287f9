import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { catchFaults, readRows } from '../../../../testkit/prediction/sample-tables.js';
import {
  decodeModel,
  describeModel,
  encodeModel,
  encodeTable,
  Predictor,
  readRowsTable,
  TableDecoder,
  type Task,
  train,
} from '../../index.js';
import type { Table } from '../table.js';

/** A table of sixty rows with the texts in turn, and a target that follows from their index. */
function tableOf(texts: readonly unknown[]) {
  const rows = Array.from({ length: 60 }, (_, index) => ({
    x: texts[index % texts.length],
    y: index % texts.length,
  }));
  return readRows(rows, 'y');
}

/** Texts of a column, and what it is read as. */
const numbers: [string[], object, [number, number]][] = [
  [['€ 12.50', '€ 7.00', '€ 1,250.00'], { unit: '€', decimal: '.', group: ',' }, [7, 1250]],
  [['12,50 €', '7,00 €', '1.250,00 €'], { unit: '€', decimal: ',', group: '.' }, [7, 1250]],
  [['$1,234.5', '$0.5', '-$20'], { unit: '$', decimal: '.', group: ',' }, [-20, 1234.5]],
  [['$1,234', '$12,500', '$999'], { unit: '$', decimal: '.', group: ',' }, [999, 12500]],
  [['1.234 €', '999 €'], { unit: '€', decimal: ',', group: '.' }, [999, 1234]],
  [['CHF 1’234.50', 'CHF 20.00'], { unit: 'CHF', decimal: '.', group: "'" }, [20, 1234.5]],
  [['1\u202f234,50 €', '7 €'], { unit: '€', decimal: ',', group: ' ' }, [7, 1234.5]],
  [['3.20 kg', '0.75 kg', '10 kg'], { unit: 'kg', decimal: '.', group: null }, [0.75, 10]],
  [['0,500 kg', '1,250 kg'], { unit: 'kg', decimal: ',', group: null }, [0.5, 1.25]],
  [['45 %', '7.5 %', '100 %'], { unit: '%', decimal: '.', group: null }, [7.5, 100]],
  [['45%', '7%', '', 'NA'], { unit: '%', decimal: '.', group: null }, [7, 45]],
  [['−5 °C', '20 °C'], { unit: '°C', decimal: '.', group: null }, [-5, 20]],
];

const dates: [string[], string, string][] = [
  [['13/05/2025', '01/06/2025'], 'day-first', '2025-05-13T00:00:00.000Z'],
  [['05/13/2025', '06/01/2025'], 'month-first', '2025-05-13T00:00:00.000Z'],
  [['13.05.2025', '1.6.2025'], 'day-first', '2025-05-13T00:00:00.000Z'],
  [['13/05/2025 14:30', '01/06/2025 00:00:01'], 'day-first', '2025-05-13T14:30:00.000Z'],
  [['5/13/2025 2:30 PM', '6/1/2025 12:00 AM'], 'month-first', '2025-05-13T14:30:00.000Z'],
];

const categories: [string, string[]][] = [
  ['a value has another unit', ['€ 12', '$ 12']],
  ['a value has none', ['€ 12', '12']],
  ['a value is a word', ['€ 12', 'free']],
  ['it has sizes', ['2XL', '3XL']],
  ['it has names', ['A 1', 'A 2']],
  ['it has room numbers', ['12b', '13b']],
  ['it has parts of numbers', ['1-2', '3-4']],
  ['dates have no common order', ['13/05/2025', '05/13/2025']],
  ['there is no such day', ['30/02/2025', '01/02/2025']],
  ['years have two digits', ['13/05/25', '14/05/25']],
  ['separators differ', ['13/05/2025', '13.05.2025']],
];

const undecided: [string, string[], RegExp][] = [
  ['dates', ['05/06/2025', '07/08/2025'], /day or the month.*2025-05-13/],
  ['grouped numbers or decimals', ['1,234 kg', '2,500 kg'], /thousands or decimals.*1234\.5/],
];

const plain: string[][] = [
  ['1,234', '12'],
  ['1,234.5', '7'],
  ['1e3', '2'],
  ['2025-05-13', '2024-01-01'],
];

const all = [
  ...numbers.map(([texts]) => texts),
  ...dates.map(([texts]) => texts),
  ...categories.map(([, texts]) => texts),
  ...undecided.map(([, texts]) => texts),
  ...plain,
];

/** The columns of one model, by their texts. */
const columns = train(
  readRows(
    Array.from({ length: 60 }, (_, row) => ({
      ...Object.fromEntries(all.map((texts) => [texts.join(), texts[row % texts.length]])),
      y: row,
    })),
    'y',
  ),
).columns;

function columnOf(texts: readonly string[]) {
  return columns.find(({ name }) => name === texts.join());
}

test.each(numbers)('%j are numbers with a unit', (texts, reading, [min, max]) => {
  expect(columnOf(texts)).toMatchObject({
    ...{ kind: 'number', used: true, reason: null, categories: null },
    ...{ reading: { kind: 'number', ...reading }, min, max },
  });
});

test.each(dates)('%j are dates', (texts, order, min) => {
  expect(columnOf(texts)).toMatchObject({ kind: 'date', reading: { kind: 'date', order }, min });
});

test.each(categories)('a column stays one of categories if %s', (_, texts) => {
  expect(columnOf(texts)).toMatchObject({ kind: 'category', reading: null, categories: texts });
});

test.each(undecided)(
  'a column of %s stays one of categories, with the reason',
  (_, texts, reason) => {
    expect(columnOf(texts)).toMatchObject({
      ...{ kind: 'category', used: true, reason: null, categories: texts },
      reading: { kind: 'undecided', reason: expect.stringMatching(reason) },
    });
  },
);

test.each(plain)('%s and %s are read as ever', (...texts) => {
  expect(columnOf(texts)).toMatchObject({ reading: null });
  expect(columnOf(texts)?.kind).not.toBe('category');
});

describe('rows to predict', () => {
  const prices = Array.from({ length: 40 }, (_, index) => `€ ${1000 + 100 * index},00`);
  const texts = prices.map((price) => price.replace(/(\d)(\d{3}),/, '$1.$2,'));
  const model = train(tableOf(texts));
  const values = (cells: readonly unknown[]) =>
    new Predictor(model).predict(cells.map((x) => ({ x }))).map(({ value }) => value);

  test('are read as the column, and plain numbers too', () => {
    const [, , third = ''] = texts;
    const same = [
      third,
      ` ${third} `,
      '1.200,00 €',
      '€1200',
      1200,
      '1200',
      '1200.0',
      '1.200,0',
      '+1200',
    ];
    expect(new Set(values(same)).size).toBe(1);
    expect(values([third])).not.toEqual(values([texts[30]]));
    expect(values(['$ 1200', 'dear'])).toEqual(values([null, null]));
  });

  test('are warned of by their numbers', () => {
    const check = new Predictor(model).check();
    check.add([{ x: '€ 1.200,00' }, { x: '€ 99.999,00' }, { x: 99999 }]);
    expect(check.warnings(9).warnings).toMatchObject([
      { kind: 'out-of-range', name: 'x', rows: 2 },
    ]);
  });

  test('are read alike by a model that was kept', () => {
    expect(decodeModel(encodeModel(model))).toEqual(model);
  });
});

test('a column of very many different prices is read as one of few, and kept so', () => {
  const english = new Intl.NumberFormat('en');
  const rows = Array.from({ length: 70_000 }, (_, index) => ({
    x: `${english.format(index + 0.25)} kg`,
    y: index % 7,
  }));
  const table = readRows(rows, 'y');
  expect(table.columns).toMatchObject([
    { kind: 'number', reading: { kind: 'number', unit: 'kg', decimal: '.', group: ',' } },
  ]);
  const decoder = new TableDecoder();
  for (const part of encodeTable(table)) decoder.add(part);
  const kept: Table = decoder.finish();
  // On so many values, `toEqual` takes seconds.
  expect(isDeepStrictEqual(kept, table)).toBe(true);
});

describe('a target of numbers with a unit', () => {
  const targets = (texts: readonly string[], task?: Task) => {
    const rows = Array.from({ length: 60 }, (_, index) => ({
      x: index % texts.length,
      y: texts[index % texts.length],
    }));
    return readRowsTable(rows, 'y', { task });
  };
  const texts = Array.from({ length: 12 }, (_, index) => `${index},50 €`);

  test('is predicted as a number, and says its unit', () => {
    const model = train(targets(texts));
    if (model.task !== 'regression') throw new Error('The target holds classes.');
    const reading = { kind: 'number', unit: '€', decimal: ',', group: null };
    expect(model.target_reading).toEqual(reading);
    expect(describeModel(model)).toMatch(/off by [\d.]+ € on average/);
    expect(decodeModel(encodeModel(model))).toEqual(model);
    const predictor = new Predictor(model);
    const [told, missed] = predictor.predict([
      { x: 3, y: '3,50 €' },
      { x: 3, y: '1.000,00 €' },
    ]);
    expect(told).toMatchObject({ anomaly: false, original: '3,50 €' });
    expect(missed).toMatchObject({ anomaly: true });
    expect(told?.value).toBeCloseTo(3.5, 0);
  });

  test('is kept with its unit', () => {
    const table = targets(texts);
    const decoder = new TableDecoder();
    for (const part of encodeTable(table)) decoder.add(part);
    expect(decoder.finish()).toEqual(table);
  });

  test('is one of classes if that is asked for, or if units differ', () => {
    expect(targets(['1 €', '2 €'], 'classification')).toMatchObject({ task: 'classification' });
    expect(targets(['1 €', '2 $'])).toMatchObject({ task: 'classification' });
    expect(targets(['1 €', '2'])).toMatchObject({ task: 'classification' });
  });

  test('is refused as a number if nothing tells how to read it, or it is always the same', async () => {
    const undecided = () => targets(['1,234 kg', '2,500 kg'], 'regression');
    expect(await catchFaults(undecided)).toMatchObject([
      { column: 'y', message: expect.stringMatching(/cannot be read: .*1234\.5\. Or predict/) },
    ]);
    expect(await catchFaults(() => targets(['5 kg']))).toMatchObject([
      { message: expect.stringContaining('Every value of the target "y" is 5') },
    ]);
  });
});
