/** Tests of what is found odd in tables: clean ones of datasets/, and copies that are spoiled in one way each. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { csvStream } from '../../../testkit/prediction/sample-tables.js';
import { previewTable } from '../io/preview-table.js';
import { readTableWithPlaces } from '../io/read-table.js';
import { RowPlaces } from '../table/rows-read.js';
import { seededRandom } from '../trees/random.js';
import type { Finding } from './finding.js';
import { inspectTable } from './inspect-table.js';
import { reportTable } from './report-table.js';

async function inspect(lines: readonly string[], target: string, task?: 'classification'): Promise<Finding[]> {
  const { table, places, targetAt } = await readTableWithPlaces('csv', csvStream(lines.join('\n')), target, { task });
  return inspectTable(table, places, targetAt);
}

/** Returns the findings of a training, which a preview has, too. */
async function findingsOf(lines: readonly string[]): Promise<Finding[]> {
  const { table, places } = await readTableWithPlaces('csv', csvStream(lines.join('\n')), 'price');
  const preview = await previewTable(csvStream(lines.join('\n')), 'csv', {});
  const { findings } = reportTable(table, places);
  expect(preview.findings).toEqual(findings);
  return findings;
}

const kindsOf = (findings: readonly Finding[]) => findings.map(({ kind }) => kind);

async function linesOf(name: string, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const text = await readFile(new URL(`../../../datasets/${name}`, import.meta.url), 'utf8');
  return text.trim().split('\n').slice(0, most);
}

describe('of a clean public table', () => {
  test.each([
    // Five diamonds are there twice.
    ['diamonds.csv', 'price', ['duplicate_rows']],
    // Mixtures that were tested more than once, with the same result.
    ['concrete.csv', 'compressive_strength', ['duplicate_rows']],
    ['seattle-weather.csv', 'weather', ['time_order']],
    ['seattle-weather.csv', 'temp_max', ['time_order']],
    ['chicago.csv', 'ridership', ['time_order']],
    ['txhousing.csv', 'volume', []],
  ])('%s, with the target %s, nothing is said that is not so', async (name, target, kinds) => {
    expect(kindsOf(await inspect(await linesOf(name), target))).toEqual(kinds);
  });
});

/** A table of sales: 300 rows of two numbers, a category and a target that depends on them, with noise. */
function salesLines(
  change: (row: string[], index: number) => string[] = (row) => row,
  header: string[] = [],
): string[] {
  const random = seededRandom(4);
  const names = ['size', 'age', 'kind', 'price'];
  const rows = Array.from({ length: 300 }, (_, index) => {
    const [size, age] = [50 + 100 * random(), 40 * random()];
    const kind = ['flat', 'house', 'loft'][Math.floor(3 * random())] ?? '';
    const price = 3 * size - 2 * age + (kind === 'house' ? 50 : 0) + 60 * random();
    return change([size.toFixed(1), age.toFixed(2), kind, price.toFixed(2)], index);
  });
  return [[...names, ...header], ...rows].map((row) => row.join());
}

const sum = (lines: readonly string[], column: number) =>
  lines.slice(1).reduce((total, line) => total + Number(line.split(',')[column]), 0);

describe('of a table that was spoiled', () => {
  test.each([
    ['days of a spreadsheet', 'sale_date', (at: number) => 45_292 + (at % 200), '45292 is 2024-01-01'],
    ['milliseconds since 1970', 'time', (at: number) => 1_704_067_200_000 + 1e6 * at, '1704067200000 is 2024-01-01T'],
  ])('by dates that are %s, they are named', async (as, column, momentAt, words) => {
    const lines = salesLines((row, index) => [...row, String(momentAt(index))], [column]);
    const found = (await inspect(lines, 'price')).filter(({ kind }) => kind === 'undecided_column');
    expect(found).toMatchObject([{ column, message: expect.stringContaining(words) }]);
    expect(found[0]?.message).toContain(as);
    const preview = await previewTable(csvStream(lines.join('\n')), 'csv', {});
    expect(preview.findings).toMatchObject([{ kind: 'undecided_column', column }]);
  });

  test.each([
    ['numbers', (day: string, month: number, year: string) => `${day}/${month}/${year}`],
    [
      'names of months',
      (day: string, month: number, year: string) => `${day}-${['Jan', 'Feb', 'Mar'][month % 3]}-${year}`,
    ],
  ])('by births with years of two digits, in %s, both centuries are named', async (_, write) => {
    const linesOf = (first: number) => {
      const yearOf = (index: number) => String((first + (index % 60)) % 100).padStart(2, '0');
      const born = (index: number) => write(String(13 + (index % 7)), 1 + (index % 12), yearOf(index));
      return salesLines((row, index) => [...row, born(index)], ['born']);
    };
    const [found, ...others] = await findingsOf(linesOf(43));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: 'undecided_column', column: 'born', places: [{ line: 28 }, { line: 2 }] });
    expect(found?.message).toMatch(/"18.*69" in line 28, and "13.*43" in line 2/);
    expect(await findingsOf(linesOf(69))).toEqual([]);
  });

  test.each([
    ['fractions', (share: number) => (share / 100).toFixed(3), [{ line: 2 }, { line: 32 }]],
    ['percentages without the unit', (share: number) => share.toFixed(1), []],
    ['percentages as the others', (share: number) => `${share.toFixed(1)}%`, []],
  ])('by %s in a column of percentages, only fractions are named', async (_, write, places) => {
    const lines = salesLines(
      (row, index) => {
        const share = 5 + ((index * 37) % 90);
        return [...row, index % 30 ? `${share.toFixed(1)}%` : write(share)];
      },
      ['rate'],
    );
    const found = await findingsOf(lines);
    expect(found.map(({ kind, column, rows }) => [kind, column, rows])).toEqual(
      places.length > 0 ? [['mixed_units', 'rate', 10]] : [],
    );
    expect(found[0]?.places.slice(0, 2) ?? []).toEqual(places);
  });

  test.each(['time', 'distance'])('by a %s of the size of dates, nothing is said', async (column) => {
    const lines = salesLines((row, index) => [...row, String(45_292 + ((index * 37) % 200))], [column]);
    expect(kindsOf(await inspect(lines, 'price'))).not.toContain('undecided_column');
  });

  test('by nothing, nothing is said', async () => {
    expect(await inspect(salesLines(), 'price')).toEqual([]);
  });

  test.each([
    ['with a label', 'Total'],
    ['with a label in German', 'Summe'],
    ['without a label', ''],
  ])('by a row of totals %s, its line is named, and how to leave it out', async (_, label) => {
    const lines = salesLines();
    const total = [sum(lines, 0), '', label, sum(lines, 3)].join();
    expect(await inspect([...lines, total], 'price')).toMatchObject([
      { kind: 'totals_row', rows: 1, places: [{ line: 302 }], remedies: [{ parameter: 'drop_lines', value: '302' }] },
    ]);
  });

  test('by a row of means, its line is named', async () => {
    const lines = salesLines();
    const means = [sum(lines, 0) / 300, sum(lines, 1) / 300, 'Average', sum(lines, 3) / 300].join();
    expect(await inspect([...lines, means], 'price')).toMatchObject([{ kind: 'totals_row', places: [{ line: 302 }] }]);
  });

  test('by a category such as a total, nothing is said', async () => {
    const lines = salesLines((row, index) => (index % 9 === 0 ? row.with(2, 'Total loss') : row));
    expect(await inspect(lines, 'price')).toEqual([]);
  });

  test('by a total behind each group, all of them are named', async () => {
    const [header = '', ...rows] = salesLines();
    const groups = Array.from({ length: 10 }, (_, group) => rows.slice(30 * group, 30 * group + 30));
    const lines = groups.flatMap((group) => [...group, `,,Subtotal,${sum(['', ...group], 3)}`]);
    const [found] = await inspect([header, ...lines], 'price');
    expect(found).toMatchObject({ kind: 'totals_row', rows: 10 });
    expect(found?.places[1]).toEqual({ line: 63 });
  });

  test('by a lost decimal point, the value of the target is named', async () => {
    const lines = salesLines((row, index) => (index === 9 ? row.with(3, String(100 * Number(row[3]))) : row));
    expect(await inspect(lines, 'price')).toMatchObject([
      {
        kind: 'outliers',
        column: 'price',
        places: [{ line: 11 }],
        remedies: [{ parameter: 'drop_lines', value: '11' }],
      },
    ]);
  });

  test('by prices of a heavy tail, nothing is said', async () => {
    const random = seededRandom(11);
    const lines = salesLines((row) => row.with(3, (100 * (1 - random()) ** -0.9).toFixed(2)));
    expect(await inspect(lines, 'price')).toEqual([]);
  });

  test('by a code for missing values, the code is named', async () => {
    const lines = salesLines((row, index) => (index % 17 === 0 ? row.with(1, '-999') : row));
    expect(await inspect(lines, 'price')).toMatchObject([
      { kind: 'outliers', column: 'age', rows: 18, remedies: [{ parameter: 'missing_in', value: 'age=-999' }] },
    ]);
  });

  test('by an account number of many digits, nothing is said', async () => {
    const lines = salesLines(
      (row, index) => [...row, String(index === 4 ? 7e9 : 1000 + ((index * 37) % 211))],
      ['account_id'],
    );
    expect(await inspect(lines, 'price')).toEqual([]);
  });

  test('by rows whose cells moved, their columns are named together', async () => {
    const moved = new Set([20, 90, 200]);
    const lines = salesLines(
      (row, index) => {
        const codes = [1000 + (index % 37), 2e6 + 7 * index].map(String);
        return [...row, ...(moved.has(index) ? codes.reverse() : codes)];
      },
      ['zip', 'account'],
    );
    expect(await inspect(lines, 'price')).toContainEqual(
      expect.objectContaining({
        kind: 'outliers',
        column: null,
        rows: 3,
        places: [22, 92, 202].map((line) => ({ line })),
      }),
    );
  });

  const moved = (row: string[], from: number, direction: 1 | -1) =>
    direction === 1 ? row.toSpliced(from, 0, '').slice(0, row.length) : [...row.toSpliced(from, 1), ''];
  // The price stands first, so that it is kept.
  const pricesFirst = (change: (row: string[], index: number) => string[]) => [
    'price,size,kind,age,zip,sold',
    ...salesLines()
      .slice(1)
      .map((line, index) => {
        const [size = '', age = '', kind = '', price = ''] = line.split(',');
        const date = new Date(Date.UTC(2026, 0, 1 + ((7 * index) % 300))).toISOString().slice(0, 10);
        return change([price, size, kind, age, String(80_000 + ((index * 37) % 211)), date], index).join();
      }),
  ];

  test.each([
    ['right', 1, 2],
    ['right', 1, 1],
    ['left', -1, 1],
    ['left', -1, 2],
  ] as const)(
    'by a line whose cells moved to the %s, its line is named, and how to leave it out',
    async (side, by, from) => {
      const lines = pricesFirst((row, index) => (index === 40 ? moved(row, from, by) : row));
      const findings = await inspect(lines, 'price');
      expect(findings[0]).toMatchObject({
        kind: 'shifted_rows',
        rows: 1,
        places: [{ line: 42 }],
        message: expect.stringContaining(`one column too far to the ${side}`),
        remedies: [{ parameter: 'drop_lines', value: '42' }],
      });
      expect(kindsOf(findings)).not.toContain('outliers');
      const shown = await previewTable(csvStream(lines.join('\n')), 'csv', { target: 'price' });
      expect(shown.findings[0]).toMatchObject({ kind: 'shifted_rows', places: [{ line: 42 }] });
    },
  );

  test('by lines that moved either way, there is a finding for each', async () => {
    const lines = pricesFirst((row, index) => {
      if (index % 100 === 3) return moved(row, 2, 1);
      return index === 77 ? moved(row, 2, -1) : row;
    });
    expect((await inspect(lines, 'price')).slice(0, 2)).toMatchObject([
      { kind: 'shifted_rows', places: [5, 105, 205].map((line) => ({ line })) },
      { kind: 'shifted_rows', places: [{ line: 79 }] },
    ]);
  });

  test('by rows that are large in all of their columns, no shift is named', async () => {
    const lines = salesLines(
      (row, index) => [...row.map((cell) => (index === 9 && Number(cell) ? String(10 * Number(cell)) : cell))],
      [],
    );
    expect(kindsOf(await inspect(lines, 'price'))).not.toContain('shifted_rows');
  });

  test('by rows that are there twice, those are named that came later', async () => {
    const [header = '', ...rows] = salesLines();
    expect(await inspect([header, ...rows, ...rows.slice(0, 2)], 'price')).toMatchObject([
      { kind: 'duplicate_rows', rows: 2, places: [{ line: 302 }, { line: 303 }] },
    ]);
  });

  test('by few different rows, which must repeat, nothing is said', async () => {
    const random = seededRandom(8);
    const digit = () => Math.floor(3 * random());
    const rows = Array.from({ length: 400 }, () => [digit(), digit(), digit()].join());
    expect(kindsOf(await inspect(['a,b,y', ...rows], 'y', 'classification'))).toEqual([]);
  });

  test('by rows without values, they are named', async () => {
    const lines = salesLines((row, index) => (index % 100 === 5 ? ['', '', '', row[3] ?? ''] : row));
    expect(await inspect(lines, 'price')).toMatchObject([
      { kind: 'empty_rows', rows: 3, places: [{ line: 7 }, { line: 107 }, { line: 207 }] },
    ]);
  });

  test.each([
    ['another unit', (size: number) => size / 1000, '1,000 times'],
    ['a shift', (size: number) => size + 5000, 'larger than'],
  ])('by %s in a part of the rows, the column is named', async (_, change, words) => {
    const lines = salesLines((row, index) => (index > 250 ? row.with(0, String(change(Number(row[0])))) : row));
    expect(await inspect(lines, 'price')).toMatchObject([
      { kind: 'mixed_units', column: 'size', rows: 49, message: expect.stringContaining(words) },
    ]);
  });

  test('by columns that say nothing, or nothing more, they are named', async () => {
    const extra = (row: string[], index: number) => [...row, 'EUR', String(501 + index), `${3 + 2 * Number(row[0])}`];
    const findings = await inspect(salesLines(extra, ['currency', 'customer_id', 'twice']), 'price');
    expect(findings.map(({ kind, column }) => [kind, column])).toEqual([
      ['copied_column', 'twice'],
      ['identifier_column', 'customer_id'],
      ['constant_column', 'currency'],
    ]);
  });

  test.each<[string, string, (row: string[], index: number) => string]>([
    [
      'follows from it',
      'alone explains',
      ([, , , price]) => (1.2 * Number(price) + 20 * seededRandom(Number(price))()).toFixed(2),
    ],
    ['is a copy of it', 'is a linear function of the target', ([, , , price]) => String(1.2 * Number(price) + 5)],
    ['makes it up with another one', 'is the sum of', ([size, , , price]) => String(Number(price) - Number(size))],
  ])('by a column that %s, a leak is named', async (_, words, leak) => {
    const lines = salesLines((row, index) => [...row, leak(row, index)], ['after']);
    expect(await inspect(lines, 'price')).toMatchObject([
      { kind: 'leak', message: expect.stringContaining(words), remedies: expect.anything() },
    ]);
  });

  test('by a column that a sorted table orders, no leak is named', async () => {
    const [header = '', ...rows] = salesLines();
    const sorted = rows.sort((one, other) => Number(one.split(',')[3]) - Number(other.split(',')[3]));
    const numbered = sorted.map((row, index) => `${row},${index + 1}`);
    expect(kindsOf(await inspect([`${header},nr`, ...numbered], 'price'))).toEqual(['identifier_column']);
  });

  test('by a column that has values for one class alone, it is named', async () => {
    const random = seededRandom(3);
    const rows = Array.from({ length: 400 }, () => {
      const churned = random() < 0.3;
      return [(60 * random()).toFixed(1), churned ? `R${Math.floor(4 * random())}` : '', churned ? 'Yes' : 'No'].join();
    });
    expect(await inspect(['tenure,cancel_reason,churned', ...rows], 'churned')).toMatchObject([
      {
        kind: 'one_class_column',
        column: 'cancel_reason',
        remedies: [{ parameter: 'exclude', value: 'cancel_reason' }],
      },
    ]);
  });

  test('by a class of few rows, it is named', async () => {
    const lines = salesLines(
      (row, index) => [...row, index % 25 === 0 ? 'rare' : (['a', 'b'][index % 2] ?? '')],
      ['class'],
    );
    expect(await inspect(lines, 'class')).toMatchObject([{ kind: 'rare_classes', rows: 12, column: 'class' }]);
  });

  test('by a drift in the order of its dates, it is named, with a way to measure by time', async () => {
    const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
    const lines = salesLines(
      (row, index) => [...row.with(3, String(Number(row[3]) + 2 * index)), day(index)],
      ['sold'],
    );
    const findings = await inspect(lines, 'price');
    expect(findings).toMatchObject([{ kind: 'time_order', column: 'sold' }]);
    expect(findings[0]?.remedies).toContainEqual({ parameter: 'validate', value: 'last' });
  });
});

test('a preview finds what the first rows show, and of the target if it is named', async () => {
  const lines = salesLines((row) => [...row, String(2 * Number(row[3])), 'EUR'], ['after', 'currency']);
  const kinds = async (target?: string) =>
    kindsOf((await previewTable(csvStream(lines.join('\n')), 'csv', { target })).findings);
  expect(await kinds()).toEqual(['copied_column', 'constant_column']);
  expect(await kinds('price')).toEqual(['leak', 'constant_column']);
});

test('a preview names a column of names that do not repeat, of which a training says itself that it is not used', async () => {
  const lines = salesLines((row, index) => [...row, `A-${(index * 7919) % 1000}`], ['order']);
  const named = { kind: 'identifier_column', column: 'order', rows: 300 };
  const shown = await previewTable(csvStream(lines.join('\n')), 'csv', { target: 'price' });
  expect(shown.findings).toMatchObject([{ ...named, remedies: [{ parameter: 'exclude', value: 'order' }] }]);
  expect((await previewTable(csvStream(lines.join('\n')), 'csv', { target: 'order' })).findings).toEqual([]);
  expect(await inspect(lines, 'price')).toEqual([]);
});

test('a table of many cells is looked at in a sample of its rows, which the finding says', () => {
  const random = seededRandom(2);
  const rowCount = 700_000;
  const values = (value: (row: number) => number) => Float64Array.from({ length: rowCount }, (_, row) => value(row));
  const columns = [
    { kind: 'number' as const, name: 'weight', values: values((row) => (row % 4 === 0 ? 1000 : 1) * (1 + random())) },
    { kind: 'number' as const, name: 'b', values: values(random) },
    { kind: 'number' as const, name: 'c', values: values(random) },
  ];
  const places = new RowPlaces();
  for (let row = 0; row < rowCount; row++) places.add({ row });
  const table = { task: 'regression' as const, target: 'y', rowCount, columns, targetValues: values(random) };
  const findings = inspectTable(table, places);
  expect(findings).toMatchObject([{ kind: 'mixed_units', column: 'weight', share: expect.closeTo(0.25, 1) }]);
  expect(findings[0]?.message).toContain('a sample of 10,000 of the 700,000 rows');
});

describe('of a numeric code that determines the target', () => {
  const codeLines = (rows: number, perCode: number, ofTarget: (code: number) => string | number) => {
    const random = seededRandom(9);
    const codes = Math.floor(rows / perCode);
    const amounts = Array.from({ length: codes }, () => ofTarget(random()));
    return [
      'size,code,price',
      ...Array.from({ length: rows }, () => {
        const code = Math.floor(codes * random());
        return [(100 * random()).toFixed(2), 4000 + ((code * 7919) % codes), amounts[code]].join();
      }),
    ];
  };
  const leakOfCode = [expect.objectContaining({ kind: 'leak', column: 'code' })];

  test.each([
    [300, 2],
    [1000, 3],
    [20_000, 4],
    [100_000, 20],
  ])('in %i rows with %i a code, the column is named', async (rows, perCode) => {
    const amounts = codeLines(rows, perCode, (random) => (1000 * random).toFixed(2));
    expect(await inspect(amounts, 'price')).toEqual(leakOfCode);
    const classes = codeLines(rows, perCode, (random) => (random < 0.3 ? 'yes' : 'no'));
    expect(await inspect(classes, 'price', 'classification')).toEqual(leakOfCode);
  });

  test('and a target that does not follow it, nothing is said', async () => {
    const random = seededRandom(10);
    const lines = codeLines(1000, 3, () => 0).map((line, at) =>
      at === 0 ? line : `${line}${(99 * random()).toFixed(2)}`,
    );
    expect(await inspect(lines, 'price')).toEqual([]);
  });

  test('in a table that is there twice, only its repeated rows are named', async () => {
    const random = seededRandom(12);
    const rows = Array.from({ length: 400 }, () => [1, 2, 3].map(() => Math.floor(1e6 * random())).join());
    expect(kindsOf(await inspect(['one,other,price', ...rows, ...rows], 'price'))).toEqual(['duplicate_rows']);
  });
});

describe('of a column of two units', () => {
  /** Rows of which some have the value in another unit. */
  const measuredLines = (
    name: string,
    share: number,
    draw: (random: () => number) => number,
    convert: (value: number) => number,
  ) => {
    const random = seededRandom(21);
    const normal = () => Array.from({ length: 12 }, random).reduce((sum, each) => sum + each, -6);
    return [
      `age,${name},cost`,
      ...Array.from({ length: 400 }, () => {
        const value = draw(normal);
        const written = random() < share ? convert(value) : value;
        return [(20 + 50 * random()).toFixed(1), written.toFixed(1), (100 * random() + value).toFixed(2)].join();
      }),
    ];
  };
  const height = (normal: () => number) => 172 + 9 * normal();
  const cases: readonly [string, number, (normal: () => number) => number, (value: number) => number, string][] = [
    ['height', 0.4, height, (cm) => cm / 2.54, 'centimetres are to inches'],
    ['height', 0.03, height, (cm) => cm / 2.54, 'centimetres are to inches'],
    ['Größe', 0.5, height, (cm) => cm / 30.48, 'centimetres are to feet'],
    ['body_weight', 0.5, (normal) => 74 + 9 * normal(), (kg) => kg * 2.20462, 'pounds are to kilograms'],
    [
      'temperature',
      0.2,
      (normal) => 37 + 0.6 * normal(),
      (celsius) => 1.8 * celsius + 32,
      'degrees Fahrenheit are from degrees Celsius',
    ],
    ['altitude_m', 0.3, (normal) => 420 + 60 * normal(), (metres) => metres * 3.28084, 'feet are to metres'],
  ];

  test.each(cases)(
    '%s, of which a share of %d is converted, both units are named',
    async (name, share, draw, convert, as) => {
      expect(await inspect(measuredLines(name, share, draw, convert), 'cost')).toEqual([
        expect.objectContaining({ kind: 'mixed_units', column: name, message: expect.stringContaining(as) }),
      ]);
    },
  );

  test.each([
    // Petrol and diesel engines.
    ['compression', (normal: () => number) => (normal() > 0.8 ? 22.5 + 0.9 * normal() : 9 + 0.9 * normal())],
    // One group is another species, of another size.
    ['flipper_length', (normal: () => number) => (normal() > 0 ? 217 + 6 * normal() : 190 + 7 * normal())],
    ['weight', (normal: () => number) => Math.exp(4 + 0.8 * normal())],
    ['temperature', (normal: () => number) => (normal() > 0 ? 22 + 4 * normal() : -4 + 4 * normal())],
  ])('%s in one unit, nothing is said', async (name, draw) => {
    expect(
      await inspect(
        measuredLines(name, 0, draw, (value) => value),
        'cost',
      ),
    ).toEqual([]);
  });
});
