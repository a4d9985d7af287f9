import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  catchFaults,
  csvStream,
  QUICK,
  readCsv,
  readRows,
  toRows,
  withoutMissing,
  writeCsv,
} from '../../../../testkit/prediction/sample-tables.js';
import { readCsvTable, train } from '../../index.js';

const plain = writeCsv('x,y', (index) => `${index % 7},${index}`);

describe('ordinary CSV', () => {
  test('is read whatever its line ends, its BOM, its blank lines and its chunks', async () => {
    const expected = await readCsv(plain);
    expect(expected.rowCount).toBe(60);
    const variants = [
      plain.replaceAll('\n', '\r\n'),
      plain.replaceAll('\n', '\r'),
      `\uFEFF${plain}`,
      `\n${plain}\n\n`,
      plain.trimEnd(),
      plain.replace('x,y', ' x , "y" '),
    ];
    for (const variant of variants) expect(await readCsv(variant)).toEqual(expected);
    const bytewise = csvStream(`\uFEFF${plain.replaceAll('\n', '\r\n')}`, 1);
    expect(await readCsvTable(bytewise, 'y')).toEqual(expected);
  });

  test('may hold commas, quotes and line breaks in quoted fields, and any letters', async () => {
    const cells = ['a "big" one', 'first, second', 'above\nbelow', 'Zürich 東京 🏠'];
    const csv = writeCsv('x,y', (index) => {
      const quoted = cells[index % 4]?.replaceAll('"', '""');
      return `"${quoted}",${index}`;
    });
    const table = await readCsvTable(csvStream(csv, 3), 'y');
    expect(table.columns[0]).toMatchObject({ texts: cells });
  });

  test('may leave out targets: those rows are left out', async () => {
    const table = await readCsv(writeCsv('x,y', (i) => `${i},${i}`, '5,', '6,NA', '7,null'));
    expect(table.rowCount).toBe(60);
  });

  test('gives the same table as the same rows in JSON', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => ({
      size: index / 4,
      kind: index % 3 === 0 ? null : `k${index % 3}`,
      open: index % 2 === 0,
      y: index % 11,
    }));
    const csv = writeCsv('size,kind,open,y', (index) => {
      const { size, kind, open, y } = rows[index] ?? {};
      return `${size},${kind ?? 'N/A'},${open ? 'TRUE' : 'false'},${y}`;
    });
    expect(withoutMissing(await readCsv(csv))).toEqual(withoutMissing(readRows(rows, 'y')));
  });

  test('writes numbers as people do', async () => {
    const written: [string, number][] = [
      ['"944,98"', 944.98],
      ['"1,234.5"', 1234.5],
      ['"1.234,5"', 1234.5],
      ['"1,234,567"', 1234567],
      ['1.234.567', 1234567],
      [' 12 ', 12],
      ['-.5', -0.5],
      ['+3.', 3],
      ['1e3', 1000],
      ['"2,5e1"', 25],
    ];
    for (const [text, value] of written) {
      const table = await readCsv(writeCsv('x,y', (index) => `${index % 5},${index}`, `1,${text}`));
      expect(table.targetValues.at(-1), text).toBe(value);
    }
  });

  test.each(['"1,2,3"', '1.2.3', '0x10', '12 m', '"12,34.5"', '1e400', 'Infinity'])(
    'takes %s for no finite number',
    async (text) => {
      const csv = writeCsv('x,y', (index) => `${index % 5},${index}`, `1,${text}`);
      expect(await catchFaults(() => readCsv(csv))).toMatchObject([{ column: 'y', line: 62 }]);
    },
  );

  test('writes missing values in many ways', async () => {
    const missing = ['', ' ', 'NA', 'na', 'NaN', 'null', 'NULL', 'N/A', '-NaN', '#N/A', '<NA>'];
    const more = missing.map((text) => `${text},1`);
    const table = await readCsv(writeCsv('x,y', (index) => `${index % 5},${index}`, ...more));
    expect(toRows(table).slice(60)).toEqual(missing.map(() => ({ x: null, y: 1 })));
  });

  test('keeps None as a text', async () => {
    const table = await readCsv(writeCsv('x,y', (index) => `${index % 2 ? 'None' : 'Minor'},${index}`));
    expect(toRows(table).slice(0, 2)).toEqual([
      { x: 'Minor', y: 0 },
      { x: 'None', y: 1 },
    ]);
  });

  test('knows dates: with or without time and offset, in UTC', async () => {
    const texts = ['2024-02-28', '2024-02-29 12:30', '2024-03-01T00:00:00+01:00', '2024-03-02T00:00Z'];
    const csv = writeCsv('x,y', (index) => `${texts[index % 4]},${index % 4}`);
    const model = train(await readCsv(csv), QUICK);
    expect(model.columns[0]).toMatchObject({
      kind: 'date',
      min: '2024-02-28T00:00:00.000Z',
      max: '2024-03-02T00:00:00.000Z',
    });
    const noDates = writeCsv('x,y', (index) => `${index % 2 ? '2023-02-29' : '2023-13-01'},${index}`);
    expect(train(await readCsv(noDates), QUICK).columns[0]?.kind).toBe('category');
  });
});

describe('the separator', () => {
  const decimals = (index: number) => `${index % 7},0;${index}`;

  test.each([
    ['semicolons', plain.replaceAll(',', ';'), {}],
    ['tabs', plain.replaceAll(',', '\t'), {}],
    ['semicolons and decimal commas', writeCsv('x;y', decimals), {}],
    ['decimal commas below a name with a comma', writeCsv('"x";y', decimals), {}],
    ['a quoted name with other separators', plain.replace('x,y', '" x";"y"').replaceAll(',', ';'), {}],
    ['what is given', plain.replaceAll(',', ';'), { delimiter: ';' }],
  ] as const)('is reported: %s', async (_, csv, options) => {
    const table = await readCsvTable(csvStream(csv), 'y', options);
    const model = train(table, QUICK);
    expect(model.columns).toMatchObject([{ name: 'x', kind: 'number', min: 0, max: 6 }]);
    expect(table.rowCount).toBe(60);
    for (const size of [1, 5]) {
      expect(await readCsvTable(csvStream(csv, size), 'y', options)).toEqual(table);
    }
  });

  test('is recognised by the rows where the header has two kinds', async () => {
    const names = writeCsv('"x";size, in cm;y', (index) => `${index % 7};${index % 3},5;${index}`);
    const { columns } = await readCsv(names);
    expect(columns.map(({ name }) => name)).toEqual(['x', 'size, in cm']);
    const words = writeCsv('x;a,y', (index) => (index % 2 ? `a;b,${index}` : `a,${index}`));
    expect((await readCsv(words)).columns[0]).toMatchObject({ name: 'x;a', texts: ['a', 'a;b'] });
  });

  test('of one kind in the header is taken at once', async () => {
    const csv = writeCsv('x;y', (index) => `a,b,c;${index}`, 'x,y;1');
    expect((await readCsv(csv)).columns[0]).toMatchObject({ texts: ['a,b,c', 'x,y'] });
  });
});

test('a table without a header has numbered columns', async () => {
  const rows = plain.slice(plain.indexOf('\n') + 1);
  const table = await readCsvTable(csvStream(rows), 'column_2', { header: false });
  const named = await readCsv(plain);
  expect(table).toEqual({ ...named, target: 'column_2', columns: [{ ...named.columns[0], name: 'column_1' }] });
  const short = () => readCsvTable(csvStream(`${rows}1\n`), 'column_2', { header: false });
  expect(await catchFaults(short)).toMatchObject([
    { line: 61, message: expect.stringContaining('the first row has 2') },
  ]);
});

describe('bad CSV is refused with its line and a remedy', () => {
  test.each(['\n', '\r\n', '\r'])('lines with too few and too many fields, ended by %j', async (end) => {
    const csv = writeCsv('x,y', (index) => `"${index}\n",${index}`, '1', '2,2', '', '3,"3",3');
    expect(await catchFaults(() => readCsv(csv.replaceAll('\n', end)))).toEqual([
      { line: 122, message: expect.stringContaining('Line 122 has 1 fields, the header has 2') },
      { line: 125, message: expect.stringContaining('Line 125 has 3 fields, the header has 2') },
    ]);
  });

  test('at most ten faults', async () => {
    const csv = writeCsv('x,y', () => '1');
    const faults = await catchFaults(() => readCsv(csv));
    expect(faults.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await expect(readCsv(csv)).rejects.toThrow('(and 9 more)');
  });

  test('a quote that is never closed, or that stands inside a field', async () => {
    const unclosed = writeCsv('x,y', (index) => `${index},${index}`, '1,"2', '3,4');
    expect(await catchFaults(() => readCsv(unclosed))).toMatchObject([{ line: 62 }]);
    const inside = writeCsv('x,y', (index) => `${index},${index}`, '1,2"', '3,4');
    expect(await catchFaults(() => readCsv(inside))).toMatchObject([{ line: 62 }]);
    const behind = writeCsv('x,y', (index) => `${index},${index}`, '1,"2"3', '3,4');
    expect(await catchFaults(() => readCsv(behind))).toMatchObject([{ line: 62 }]);
  });

  test('a quote that swallows the rest of a large table', async () => {
    const csv = writeCsv('x,y', (index) => `${index},${index}`, `1,"2${'\n3,4'.repeat(2_000_000)}`);
    expect(await catchFaults(() => readCsv(csv))).toMatchObject([{ line: 62 }]);
  });

  test.each([
    ['commas on the second line', 'x,y\n', ','],
    ['commas in the header', 'x,y', ','],
    ['blanks, which are trimmed', 'x,y\n', ' '],
    ['quotes', 'x,y\n"', '""'],
    ['quoted line ends', 'x,y\n"', '\r\n'],
  ])('a record of endless %s, before it is held', async (_, begin, rest) => {
    const chunk = Buffer.from(rest.repeat(65_536));
    let sent = 0;
    async function* endless() {
      yield Buffer.from(begin);
      for (; sent < 200; sent++) yield chunk;
    }
    const faults = await catchFaults(() => readCsvTable(endless(), 'y'));
    expect(faults).toEqual([
      {
        line: begin.includes('\n') ? 2 : 1,
        message: expect.stringMatching(/longer than 1 MiB|more than 10,000 fields/),
      },
    ]);
  });

  test('a row of too many fields, at its line, whatever the ends of lines and the chunks', async () => {
    const long = `${'1,'.repeat(10_000)}1`;
    for (const end of ['\n', '\r\n', '\r']) {
      const rows = writeCsv('x,y', (index) => `"a${end}${index}",${index}`, long);
      const source = csvStream(rows.replaceAll(/(?<!\r)\n/g, end), 1);
      expect(await catchFaults(() => readCsvTable(source, 'y'))).toEqual([
        { line: 122, message: expect.stringContaining('more than 10,000 fields') },
      ]);
    }
  });

  test('an empty body, and a header without rows', async () => {
    for (const text of ['', '\uFEFF', '\n\n']) {
      expect(await catchFaults(() => readCsv(text))).toMatchObject([{ message: expect.stringContaining('empty') }]);
    }
    expect(await catchFaults(() => readCsv('x,y\n'))).toMatchObject([
      { message: expect.stringContaining('one line of 2 fields') },
    ]);
  });

  test('the ends of lines, which curl -d removes', async () => {
    const advice = expect.stringContaining('use --data-binary @FILE: -d removes the ends of lines');
    const joined = (csv: string) => catchFaults(() => readCsv(csv.replaceAll('\n', '')));
    expect(await joined(plain)).toEqual([{ message: advice }]);
    expect(await joined(plain)).toMatchObject([
      { message: expect.stringContaining('The table is one line of 62 fields.') },
    ]);
    expect(await joined(writeCsv('x', (index) => `"${index}"`))).toMatchObject([{ message: advice }]);
    expect(await joined(writeCsv('x,y', (i) => `${i},"${i}"`))).toMatchObject([{ message: advice }]);
    const long = writeCsv('x,y', (i) => `${i},${i}`, '3,4\n'.repeat(1_500_000));
    expect(await joined(long)).toMatchObject([{ message: advice }]);
    const lines = writeCsv('x,y', (index) => `${index},${index}`, '1,2"');
    const [fault] = await catchFaults(() => readCsv(lines));
    expect(fault?.message).not.toContain('curl');
  });

  test('a single row, in the singular', async () => {
    expect(await catchFaults(() => readCsv('x,y\n1,2\n'))).toMatchObject([
      { message: expect.stringContaining('Only 1 row has a value') },
    ]);
  });

  test('headers with double names', async () => {
    const csv = writeCsv('x,y,,x,y', (index) => `1,${index},2,3,4`);
    expect(await catchFaults(() => readCsv(csv))).toEqual([
      { column: 'x', message: expect.stringContaining('Two columns are named "x"') },
      { column: 'y', message: expect.stringContaining('Two columns are named "y"') },
    ]);
  });

  test('other separators than commas, semicolons and tabs', async () => {
    const csv = writeCsv('x|y', (index) => `${index}|${index}`);
    expect(await catchFaults(() => readCsv(csv))).toMatchObject([
      { column: 'y', message: expect.stringContaining('Separate the fields by commas, semi') },
    ]);
  });

  test('separators that cannot be reported', async () => {
    const csv = writeCsv('x,a;y', (index) => `${index},a;${index}`);
    expect(await catchFaults(() => readCsv(csv))).toMatchObject([
      { message: expect.stringContaining('Set the parameter delimiter') },
    ]);
  });

  test('UTF-16 without a BOM', async () => {
    const utf16 = Buffer.from(plain, 'utf16le');
    for (const bytes of [utf16, Buffer.from(utf16).swap16()]) {
      const faults = await catchFaults(() => readCsvTable(Readable.from([bytes]), 'y'));
      expect(faults).toEqual([{ message: expect.stringContaining('UTF-16') }]);
    }
  });

  test('the character U+0000', async () => {
    const csv = writeCsv('x,y', (index) => `"${index}\n",${index}`, '1\0,2');
    expect(await catchFaults(() => readCsv(csv))).toEqual([
      { line: 122, message: expect.stringContaining('Line 122 has the character U+0000') },
    ]);
  });

  test('text that is not UTF-8', async () => {
    const latin1 = Buffer.from(
      writeCsv('x,y', (index) => `Zürich,${index}`),
      'latin1',
    );
    const faults = await catchFaults(() => readCsvTable(Readable.from([latin1]), 'y'));
    expect(faults).toMatchObject([{ message: expect.stringContaining('UTF-8') }]);
  });
});

describe('a table of many lines', () => {
  async function* lines(count: number, after = '') {
    yield Buffer.from('x,y\n');
    const chunk = Buffer.from('1,2\n3,\n'.repeat(1000));
    for (let sent = 0; sent < count; sent += 2000) yield chunk;
    yield Buffer.from(after);
  }

  test('may have a million rows', async () => {
    const table = await readCsvTable(lines(998_000, '5,6\n'.repeat(2000)), 'y');
    expect(table.rowCount).toBe(501_000);
  });

  test('may have no more, with a target or without: the rest is drained, not parsed', async () => {
    const source = lines(1_000_000, `1,2\n${'"not CSV" at all\n'.repeat(100)}`);
    expect(await catchFaults(() => readCsvTable(source, 'y'))).toEqual([
      { line: 1_000_002, message: expect.stringMatching(/more than 1,000,000 rows.*Send/) },
    ]);
    expect(await source.next()).toMatchObject({ done: true });
  });

  test('may have any number of blank ones, which are counted as lines only', async () => {
    const blank = '\n \n'.repeat(600_000);
    const csv = writeCsv('x,y', (index) => `${index % 7},${index}`, `${blank}1,60`, '2', `${blank}"`);
    expect(await catchFaults(() => readCsv(csv))).toMatchObject([{ line: 2_400_064 }]);
    const faulty = writeCsv('x,y', (index) => `${index},${index}`, `${blank}1,60`, '2');
    expect(await catchFaults(() => readCsv(faulty))).toMatchObject([{ line: 1_200_063 }]);
    const sound = writeCsv('x,y', (index) => `${index % 7},${index}`, blank);
    expect(await readCsv(sound)).toEqual(await readCsv(plain));
  });
});

describe('the source', () => {
  test('is read to its end before a table is refused, and is not destroyed', async () => {
    const source = csvStream(`x,x\n${'1,2\n'.repeat(100_000)}`, 1024);
    let destroyedEarly = false;
    source.on('close', () => {
      destroyedEarly ||= !source.readableEnded;
    });
    await expect(readCsvTable(source, 'y')).rejects.toThrow('Two columns');
    expect(source.readableEnded).toBe(true);
    expect(destroyedEarly).toBe(false);
  });

  test('that breaks off rejects with its own error', async () => {
    const broken = new Error('connection lost');
    async function* chunks() {
      yield Buffer.from(plain.slice(0, 50));
      throw broken;
    }
    await expect(readCsvTable(chunks(), 'y')).rejects.toBe(broken);
    await expect(readCsvTable(Readable.from(chunks()), 'y')).rejects.toBe(broken);
  });
});

test('a line of blanks of any script, such as a form feed at the end of a file, is passed over', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `${index},${2 * index}`);
  const csv = ['x,y', ...lines.slice(0, 30), '\u00a0', ...lines.slice(30), '\f', ''].join('\n');
  const table = await readCsvTable(csvStream(csv, 7), 'y');
  expect(table.rowCount).toBe(60);
});
