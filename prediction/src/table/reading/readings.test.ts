import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { catchFaults, QUICK, readRows } from '../../../../testkit/prediction/sample-tables.js';
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
import { PLAIN_NUMBERS, shownReading } from './column-reading.js';

/** A table of sixty rows with the texts in turn, and a target that follows from their index. */
function tableOf(texts: readonly unknown[]) {
  const rows = Array.from({ length: 60 }, (_, index) => ({ x: texts[index % texts.length], y: index % texts.length }));
  return readRows(rows, 'y');
}

/** Texts of a column, and what it is read as. */
const numbers: [string[], object, [number, number]][] = [
  [['€ 12.50', '€ 7.00', '€ 1,250.00'], { unit: '€', decimal: '.', group: ',' }, [7, 1250]],
  [['12,50 €', '7,00 €', '1.250,00 €'], { unit: '€', decimal: ',', group: '.' }, [7, 1250]],
  [['$1,234.5', '$0.5', '-$20'], { unit: '$', decimal: '.', group: ',' }, [-20, 1234.5]],
  [['$1,234', '$12,500', '$999'], { unit: '$', decimal: '.', group: ',' }, [999, 12500]],
  [['$2.805', '$0.801'], { unit: '$', decimal: '.', group: null }, [0.801, 2.805]],
  [['1.234 €', '999 €'], { unit: '€', decimal: ',', group: '.' }, [999, 1234]],
  [['CHF 1’234.50', 'CHF 20.00'], { unit: 'CHF', decimal: '.', group: "'" }, [20, 1234.5]],
  [['1\u202f234,50 €', '7 €'], { unit: '€', decimal: ',', group: ' ' }, [7, 1234.5]],
  [['3.20 kg', '0.75 kg', '10 kg'], { unit: 'kg', decimal: '.', group: null }, [0.75, 10]],
  [['0,500 kg', '1,250 kg'], { unit: 'kg', decimal: ',', group: null }, [0.5, 1.25]],
  [['45 %', '7.5 %', '100 %'], { unit: '%', decimal: '.', group: null }, [7.5, 100]],
  [['45%', '7%', '', 'NA'], { unit: '%', decimal: '.', group: null }, [7, 45]],
  [['−5 °C', '20 °C'], { unit: '°C', decimal: '.', group: null }, [-5, 20]],
  [['($1,234)', '$12', '$7-'], { unit: '$', decimal: '.', group: ',' }, [-1234, 12]],
  // Numbers without a unit: what one text shows holds for all of them.
  [['1,500', '987', '1,234,567'], { decimal: '.', group: ',' }, [987, 1_234_567]],
  [['68,641.00', '72,105'], { decimal: '.', group: ',' }, [68_641, 72_105]],
  [['1,020', '847', '12,345'], { decimal: '.', group: ',' }, [847, 12_345]],
  [['1.020', '847', '12.345'], { decimal: ',', group: '.' }, [847, 12_345]],
  [['1,234', '0,512', '8'], { decimal: ',', group: null }, [0.512, 8]],
  [['1,234', '12,34'], { decimal: ',', group: null }, [1.234, 12.34]],
  [['1,234', '98.5'], { decimal: '.', group: ',' }, [98.5, 1234]],
  [['1.234', '0,5'], { decimal: ',', group: '.' }, [0.5, 1234]],
  [['1 234 567', '512', '1 000'], { decimal: '.', group: ' ' }, [512, 1_234_567]],
  [['1\u00a0234,5', '12'], { decimal: ',', group: ' ' }, [12, 1234.5]],
  [["1'234", "12'345'678"], { decimal: '.', group: "'" }, [1234, 12_345_678]],
  [['(1,234)', '5,678.90', '12'], { decimal: '.', group: ',' }, [-1234, 5678.9]],
  [['1,234-', '1,234,567', '12-'], { decimal: '.', group: ',' }, [-1234, 1_234_567]],
  // A dash in place of the cents is no minus.
  [['261,- €', '1.299,- €', '99,90 €'], { unit: '€', decimal: ',', group: '.' }, [99.9, 1299]],
  [['CHF 288.-', "CHF 1'450.-", 'CHF 12.--'], { unit: 'CHF', decimal: '.', group: "'" }, [12, 1450]],
  [['199,- kr', '1.099,– kr', '-20,-- kr'], { unit: 'kr', decimal: ',', group: '.' }, [-20, 1099]],
  [['–9,50', '6,25'], { decimal: ',', group: null }, [-9.5, 6.25]],
  [['€ –9.50', '–€ 6.25', '€ 7.00'], { unit: '€', decimal: '.', group: null }, [-9.5, 7]],
  [['85,318.00', '1,57,685.00'], { decimal: '.', group: ',' }, [85_318, 157_685]],
  [['₹1,57,685', '₹9,318', '₹12,31,57,685'], { unit: '₹', decimal: '.', group: ',' }, [9318, 123_157_685]],
  [['199,-', '20,-', '(5,-)'], { decimal: ',', group: null }, [-5, 199]],
];

/** Texts that a program writes, and their least and largest number. */
const plain: [string[], [number, number]][] = [
  [
    ['1e3', '2'],
    [2, 1000],
  ],
  [
    ['1.234', '0.5'],
    [0.5, 1.234],
  ],
  [
    ['1.234', '1.23456'],
    [1.234, 1.23456],
  ],
  [
    ['1.234', '1234.567', '847'],
    [1.234, 1234.567],
  ],
  [
    ['1.234', '20.125', '1500'],
    [1.234, 1500],
  ],
  [
    ['(5)', '7'],
    [-5, 7],
  ],
  [
    ['5.', '.5', '+7'],
    [0.5, 7],
  ],
  [
    ['Inf', '-inf', '3', '5', 'Infinity'],
    [3, 5],
  ],
];

/** Days that a spreadsheet has made of texts, taking their days for months, and the texts that it has left. */
const exchanged = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(
  (day) => `2024-0${1 + (day % 9)}-${String(day).padStart(2, '0')}`,
);
const left = ['13/05/2024', '28/02/2024', '31/12/2024'];

const dates: [string[], string | null, string][] = [
  [['2025-05-13', '2026-01-01'], null, '2025-05-13T00:00:00.000Z'],
  [['13/05/2025', '01/06/2025'], 'day-first', '2025-05-13T00:00:00.000Z'],
  [['05/13/2025', '06/01/2025'], 'month-first', '2025-05-13T00:00:00.000Z'],
  [['13.05.2025', '1.6.2025'], 'day-first', '2025-05-13T00:00:00.000Z'],
  [['13/05/2025 14:30', '01/06/2025 00:00:01'], 'day-first', '2025-05-13T14:30:00.000Z'],
  [['5/13/2025 2:30 PM', '6/1/2025 12:00 AM'], 'month-first', '2025-05-13T14:30:00.000Z'],
  [['1/31/12', '12/5/68', '1/1/69'], 'month-first', '1969-01-01T00:00:00.000Z'],
  [['13/05/25', '14/05/25'], 'day-first', '2025-05-13T00:00:00.000Z'],
  [['99-12-31', '00-01-02'], 'year-first', '1999-12-31T00:00:00.000Z'],
  [['2021/01/31', '2021.02.01', '2022-1-7'], 'unambiguous', '2021-01-31T00:00:00.000Z'],
  [['2012-01-01 10:00:00+02', '2012-06-01 10:00:00+0200'], 'unambiguous', '2012-01-01T08:00:00.000Z'],
  [['2012-01-01 21:29:00 UTC', '2013-01-01 21:29:00 Z'], 'unambiguous', '2012-01-01T21:29:00.000Z'],
  [['28-May-15', '7-Jan-2016'], 'unambiguous', '2015-05-28T00:00:00.000Z'],
  [['May 28, 2015', '7 January 2016', 'Sept. 3, 2016'], 'unambiguous', '2015-05-28T00:00:00.000Z'],
  [['2000-Q1', '2000Q2', 'Q3 2000'], 'unambiguous', '2000-01-01T00:00:00.000Z'],
  [['2018-W01', '2018W52', '2020-W53-7'], 'unambiguous', '2018-01-01T00:00:00.000Z'],
  [['21AUG1990', '5Sep1991'], 'unambiguous', '1990-08-21T00:00:00.000Z'],
  [['1975 Jan', '1976 Dec'], 'unambiguous', '1975-01-01T00:00:00.000Z'],
  [['1939, May', '1940,  June', '1941-Jul'], 'unambiguous', '1939-05-01T00:00:00.000Z'],
  [['Jan 1975', 'May, 1976'], 'unambiguous', '1975-01-01T00:00:00.000Z'],
  [['03/1995', '12-1996'], 'unambiguous', '1995-03-01T00:00:00.000Z'],
  [['11:37:15  3 Sep 2020', '9:05 4 Oct 2021'], 'unambiguous', '2020-09-03T11:37:15.000Z'],
  [['6/13/2001  11:00:00 AM', '6/1/2002  1:00 PM'], 'month-first', '2001-06-13T11:00:00.000Z'],
  [['0012-01-31', '9999-12-31'], null, '0012-01-31T00:00:00.000Z'],
  // Days after the 12th, texts that could be either, and a few dates show nothing that is wrong.
  [[...exchanged, '2024-01-13', ...left], 'day-first', '2024-01-09T00:00:00.000Z'],
  [[...exchanged, ...left, '05/06/2024'], 'day-first', '2024-01-09T00:00:00.000Z'],
  [[...exchanged.slice(0, 9), ...left], 'day-first', '2024-01-09T00:00:00.000Z'],
];

const categories: [string, string[]][] = [
  ['a value has another unit', ['€ 12', '$ 12']],
  ['a value has none', ['€ 12', '12']],
  ['a value is a word', ['€ 12', 'free']],
  ['it has addresses', ['1 Elm', '2 Oak', '3 Elm', '4 Oak', '5 Elm', '6 Oak', '7 Elm', '8 Oak', '9 Elm', '10 Oak']],
  ['it has few sizes', ['500 g', '1 kg', '2 kg']],
  ['it has sizes', ['2XL', '3XL']],
  ['it has names', ['A 1', 'A 2']],
  ['it has room numbers', ['12b', '13b']],
  ['it has parts of numbers', ['1-2', '3-4']],
  ['it has numbered labels', ['1. Male', '2. Male']],
  ['it has codes that begin with 0', ['09A', '10A']],
  ['it has shares or codes', ['1/2000', '10-2345', '13/1995']],
  ['it has times of day', ['13:30', '02:55:10']],
  ['groups begin with 0', ['0,123,456', '0,123,457']],
];

const undecided: [string, string[], RegExp][] = [
  ['dates', ['05/06/2025', '07/08/2025'], /looks like dates .*day or the month.*2025-05-13/],
  ['dates in two orders', ['13/05/2025', '05/13/2025'], /two forms: "13\/05.*"05\/13/],
  ['dates in two forms', ['13/05/2025', '13.05.2025'], /two forms/],
  ['days that are none', ['30/02/2025', '31/06/2025'], /no such days, such as "30\/02\/2025"/],
  ['short dates', ['12-01-05', '11-02-03'], /day or the month or the year/],
  ['groups or decimals with a unit', ['1,234 kg', '2,500 kg'], /thousands or decimals.*1234\.5/],
  ['groups or decimals', ['1,234', '12,345'], /a comma may .* \("1,234" in row 0\)/],
  ['points that may group', ['1.234', '12.345'], /a point may separate thousands or decimals/],
  ['groups beside an ungrouped number', ['1,230', '1500', '7'], /beside "1500" in row 1/],
  ['thirds, which may be thousands', ['33,333', '50', '66,667'], /a comma may/],
  ['two forms', ['1,234.5', '1.234,5'], /two forms.*"1,234.5" in row 0, and "1.234,5" in row 1/],
  [
    'two units',
    ['5 kg', '6 kg', '7 kg', '8 kg', '9 kg', '700 g'],
    /10 of its 60 .* more than one unit: "kg" \(50\), "g" \(10\); write all of them in one unit/,
  ],
  ['two groups', ['1,234,567', "1'234'567"], /two forms/],
  [
    'weights in two units',
    ['5 kg', '6 kg', '7 kg', '8 kg', '9 kg', '700 g', '800 g', '900 g', '650 g', '750 g'],
    /30 of its 60 values .* more than one unit: "kg" \(30\), "g" \(30\)/,
  ],
  [
    'prices in two currencies',
    [...[66, 86, 12, 13, 14, 15].map((price) => `€ ${price}.50`), ...[17, 18, 19, 20].map((price) => `$${price}`)],
    /more than one unit: "€" \(36\), "\$" \(24\)/,
  ],
  [
    'dates whose days and months a spreadsheet has exchanged',
    [...exchanged, ...left],
    /exchanged day and month.*"2024-02-01" in row 0.*"13\/05\/2024" in row 10.*date_order=day-first/,
  ],
  ['prices of fuel', ['$2.805', '$3.502', '$1.999'], /a point may separate .*"\$2\.805" in row 0/],
  ['prices of fuel with commas', ['1,629 €', '1,589 €'], /a comma may separate/],
  ['grades or negative numbers', ['1', '2-', '3-', '4'], /minus stands only behind .*"2-" in row 1.*\(as_number\)/],
];

const all = [
  ...numbers.map(([texts]) => texts),
  ...dates.map(([texts]) => texts),
  ...categories.map(([, texts]) => texts),
  ...undecided.map(([, texts]) => texts),
  ...plain.map(([texts]) => texts),
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
  QUICK,
).columns;

function columnOf(texts: readonly string[]) {
  return columns.find(({ name }) => name === texts.join());
}

test.each(numbers)('%j are numbers', (texts, reading, [min, max]) => {
  expect(columnOf(texts)).toMatchObject({
    kind: 'number',
    used: true,
    reason: null,
    categories: null,
    reading: { kind: 'number', unit: null, decided_by: 'values', ...reading },
    min,
    max,
  });
});

test.each(plain)('%j are numbers as programs write them', (texts, [min, max]) => {
  const column = columnOf(texts);
  expect(column).toMatchObject({ kind: 'number', reading: PLAIN_NUMBERS, min, max });
  expect(shownReading(column?.reading ?? null)).toBeNull();
});

test.each(dates)('%j are dates', (texts, order, min) => {
  const { kind, reading = null, min: first } = columnOf(texts) ?? {};
  const shown = order && { kind: 'date', order, decided_by: 'values' };
  expect({ kind, reading: shownReading(reading), first }).toEqual({ kind: 'date', reading: shown, first: min });
});

test.each(categories)('a column stays one of categories if %s', (_, texts) => {
  expect(columnOf(texts)).toMatchObject({ kind: 'category', reading: null, categories: texts });
});

test.each(undecided)('a column of %s stays one of categories, with the reason', (_, texts, reason) => {
  expect(columnOf(texts)).toMatchObject({
    kind: 'category',
    used: true,
    reason: null,
    categories: texts,
    reading: { kind: 'undecided', reason: expect.stringMatching(reason) },
  });
});

describe('rows to predict', () => {
  const prices = Array.from({ length: 40 }, (_, index) => `€ ${1000 + 100 * index},00`);
  const texts = prices.map((price) => price.replace(/(\d)(\d{3}),/, '$1.$2,'));
  const model = train(tableOf(texts), QUICK);
  const values = (cells: readonly unknown[]) =>
    new Predictor(model).predict(cells.map((x) => ({ x }))).map(({ value }) => value);

  test('are read as the column, and plain numbers too', () => {
    const [, , third = ''] = texts;
    const same = [third, ` ${third} `, '1.200,00 €', '€1200', 1200, '1200', '1200,0', '1.200,0', '+1200'];
    expect(new Set(values(same)).size).toBe(1);
    expect(values([third])).not.toEqual(values([texts[30]]));
    expect(values(['$ 1200', 'dear', '1200.0'])).toEqual(values([null, null, null]));
  });

  test('are warned of by their numbers', () => {
    const check = new Predictor(model).check();
    check.add([{ x: '€ 1.200,00' }, { x: '€ 99.999,00' }, { x: 99999 }]);
    expect(check.warnings(9).warnings).toMatchObject([{ kind: 'out-of-range', name: 'x', rows: 2 }]);
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

  test('names no unit where it has none', () => {
    for (const unit of ['', ' €']) {
      const summary = describeModel(
        train(targets(Array.from({ length: 12 }, (_, index) => `${index},50${unit}`)), QUICK),
      );
      expect(summary).toMatch(unit === '' ? /off by [\d.]+ on average/ : /off by [\d.]+ € on average/);
    }
  });

  test('is predicted as a number, and says its unit', () => {
    const model = train(targets(texts), QUICK);
    if (model.task !== 'regression') throw new Error('The target holds classes.');
    const reading = { kind: 'number', unit: '€', decimal: ',', group: null, decided_by: 'values' };
    expect(model.target_reading).toEqual(reading);
    expect(describeModel(model)).toMatch(/off by [\d.]+ € on average/);
    expect(decodeModel(encodeModel(model))).toEqual(model);
    const predictor = new Predictor(model);
    const [within, missed] = predictor.predict([
      { x: 3, y: '3,50 €' },
      { x: 3, y: '1.000,00 €' },
    ]);
    expect(within).toMatchObject({ anomaly: false, original: '3,50 €' });
    expect(missed).toMatchObject({ anomaly: true });
    expect(within?.value).toBeCloseTo(3.5, 0);
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

  test('is refused as a number if nothing says how to read it, or it is always the same', async () => {
    const undecided = () => targets(['1,234 kg', '2,500 kg'], 'regression');
    expect(await catchFaults(undecided)).toMatchObject([
      { column: 'y', message: expect.stringMatching(/cannot be read: .*1234\.5\. Or predict/) },
    ]);
    expect(await catchFaults(() => targets(['5 kg']))).toMatchObject([
      { message: expect.stringContaining('Every value of the target "y" is 5') },
    ]);
  });
});
