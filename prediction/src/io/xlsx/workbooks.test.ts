/** Tests of Excel workbooks as tables: what is read of them, and what is made to harm. */
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import writeExcelFile from 'write-excel-file/node';
import {
  type WorkbookParts,
  workbookFiles,
  writeWorkbook,
  writeZip,
  type ZipFile,
} from '../../../../testkit/data/workbooks.js';
import type { TableForm } from '../answer-part.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { previewTable } from '../preview-table.js';
import { readTable } from '../read-table.js';
import { readSheetTable, type SheetOptions } from './sheet-table.js';
import { ZipArchive } from './zip.js';

const MIB = 1024 * 1024;

async function* stream(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

const inMemory = (bytes: Uint8Array) => ({
  length: bytes.length,
  read: async (start: number, end: number) => bytes.subarray(start, end),
});

/** Returns the names and the rows of a sheet. */
async function read(bytes: Uint8Array, options: SheetOptions = {}) {
  let names: readonly string[] = [];
  const rows: (readonly unknown[])[] = [];
  const parts = readSheetTable(inMemory(bytes), new ByteBudget(), options, {
    begin: (sent) => {
      names = sent;
    },
  });
  for await (const part of parts) rows.push(...part.map(({ cells }) => cells));
  return { names, rows };
}

const preview = (bytes: Uint8Array, form: TableForm = {}) => previewTable(stream(bytes), 'xlsx', form);

const withRows = (rows: string, parts: Partial<WorkbookParts> = {}) =>
  writeZip(workbookFiles({ sheets: { Data: rows }, ...parts }));

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const header = (...names: string[]) => `<row>${names.map(text).join('')}</row>`;

test('reads what another program writes', async () => {
  const cell = fc.oneof(
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.boolean(),
    fc.string({ minLength: 1, maxLength: 20 }).filter((value) => /^[ -~äß]+$/.test(value) && !(value in {})),
    fc.date({ min: new Date('1900-03-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
  );
  const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(table, async (cells) => {
      const rows = cells.filter((row) => row.some((value) => value !== null));
      const sheet = [['one', 'two', 'three'], ...rows];
      const file = await writeExcelFile(
        sheet.map((row) =>
          row.map((value) =>
            value instanceof Date
              ? { value, type: Date, format: 'yyyy-mm-dd hh:mm:ss' }
              : value === null
                ? null
                : { value },
          ),
        ),
      ).toBuffer();
      const found = await read(file);
      const close = (value: unknown) =>
        typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : value;
      const expected = rows.map((row) => row.map((value) => (value instanceof Date ? value.getTime() : value)));
      expect(found.names).toEqual(['one', 'two', 'three']);
      expect(found.rows.map((row) => row.map(close))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('trains the same table as CSV', async () => {
  const rows = Array.from({ length: 80 }, (_, row) => [row / 4, `kind ${row % 3}`, row % 2 === 0]);
  const csv = ['x,kind,fair', ...rows.map((row) => row.join())].join('\n');
  const sheet = writeWorkbook([['x', 'kind', 'fair'], ...rows]);
  expect(await readTable('xlsx', stream(sheet), 'x')).toEqual(await readTable('csv', stream(Buffer.from(csv)), 'x'));
});

describe('a cell', () => {
  const STYLES =
    '<numFmts><numFmt numFmtId="164" formatCode="[$-407]d. mmm yyyy"/><numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="10"/><xf numFmtId="166"/><xf numFmtId="22"/></cellXfs>';
  const one = async (cell: string, parts: Partial<WorkbookParts> = {}) =>
    (await read(withRows(`${header('a')}<row>${cell}</row>`, { styles: STYLES, ...parts }))).rows[0];

  test.each([
    ['a date', '<c s="1"><v>45351</v></c>', '2024-02-29'],
    ['a date of its own format', '<c s="2"><v>1</v></c>', '1900-01-01'],
    ['a moment', '<c s="6"><v>45351.5</v></c>', '2024-02-29T12:00:00.000Z'],
    ['a number with a unit', '<c s="3"><v>45351</v></c>', 45351],
    ['a percentage', '<c s="4"><v>0.25</v></c>', 0.25],
    ['a duration', '<c s="5"><v>1.5</v></c>', 1.5],
    ['a number beyond the calendar', '<c s="1"><v>1e300</v></c>', 1e300],
    ['a truth value', '<c t="b"><v>1</v></c>', true],
    ['a formula', '<c><f>A1*2</f><v>8</v></c>', 8],
    ['a formula of text', '<c t="str"><f>A1</f><v>x_x0041_</v></c>', 'xA'],
    ['rich text', '<c t="s"><v>1</v></c>', 'red and blue'],
  ])('may be %s', async (_, cell, value) => {
    const texts =
      '<si><t>0</t></si><si><r><t>red </t></r><r><rPr><b/></rPr><t>and blue</t></r><rPh><t>spoken</t></rPh></si>';
    expect(await one(cell, { texts })).toEqual([value]);
  });

  test('of a workbook that counts from 1904 is four years later', async () => {
    const properties = 'date1904="1"';
    expect(await one('<c s="1"><v>0</v></c>', { properties })).toEqual(['1904-01-01']);
  });

  test('is missing if it is a formula of an empty text', async () => {
    const rows = `${header('a', 'b')}<row><c t="str"><f>""</f><v></v></c><c><v>1</v></c></row>`;
    expect((await read(withRows(rows))).rows).toEqual([[null, 1]]);
  });

  test('is missing if it is an error, empty or covered by a merged one', async () => {
    const rows = `${header('a', 'b', 'c')}<row r="2"><c r="A2" t="e"><v>#N/A</v></c><c r="B2" s="1"/><c r="C2"><v>1</v></c></row>`;
    expect((await read(withRows(rows))).rows).toEqual([[null, null, 1]]);
  });
});

describe('a sheet', () => {
  const two = writeZip(
    workbookFiles({
      sheets: {
        Notes: header('note'),
        'Sales & more': `<row r="4"><c r="C4" t="inlineStr"><is><t>Sales of 2026</t></is></c></row><row r="6"><c r="C6" t="inlineStr"><is><t> city </t></is></c><c r="D6"><v>2026</v></c></row><row r="7"><c r="D7"><v>5</v></c></row><row r="9"><c r="C9" t="str"><v>Bonn</v></c><c r="D9"><v>6</v></c></row>`,
      },
    }),
  );

  test('is chosen by its name, with the row of the names', async () => {
    expect(await preview(two, { sheet: 'Sales & more', headerLine: 6 })).toMatchObject({
      header_line: 6,
      sheet: 'Sales & more',
      sheets: ['Notes', 'Sales & more'],
      columns: [{ name: 'city' }, { name: '2026', kind: 'number' }],
      rows: [
        [null, '5'],
        ['Bonn', '6'],
      ],
    });
    await expect(preview(two, { sheet: 'sales' })).rejects.toThrow(
      'There is no sheet "sales", which sheet names. The sheets are: "Notes", "Sales & more".',
    );
  });

  test.each([
    ['a header line below the data', { headerLine: 99 }, 'header_line is 99, but the last row'],
    ['an empty header line', { headerLine: 5 }, 'row 5: it is empty'],
    ['a title as its header', { headerLine: 4 }, 'cell D6: it has a value, but its column has no'],
  ])('is refused with %s', async (_, form, message) => {
    const { fault } = await preview(two, { sheet: 'Sales & more', ...form });
    expect(fault).toContain(message);
  });

  test.each([
    [
      'beside the first',
      [
        ['a', 'b', null, 'c'],
        [1, 2, null, 3],
      ],
      'cell C1: the column has no name, but others follow',
    ],
    ['below the first', [['a', 'b'], [1, 2], [], ['c', 'd'], [3, 4]], 'row 4: it follows an empty'],
  ])('with a second table %s is refused where it begins', async (_, rows, message) => {
    await expect(read(writeWorkbook(rows))).rejects.toThrow(message);
  });

  test('may have an index before its names, as pandas writes it, and may begin at any column', async () => {
    const indexed = [[null, 'x', 'y'], ...Array.from({ length: 60 }, (_, row) => [row, row / 2, row])];
    const table = await readTable('xlsx', stream(writeWorkbook(indexed)), 'y');
    expect(table.columns).toMatchObject([{ name: 'column_1', chosen: 'index' }, { name: 'x' }]);
    const shifted = indexed.map(([first, ...others], row) => [row === 9 ? (first ?? null) : null, ...others]);
    await expect(readTable('xlsx', stream(writeWorkbook(shifted)), 'y')).rejects.toThrow(
      'cell A10: it has a value, but its column has no name',
    );
    const begun = indexed.map(([, ...others]) => [null, ...others]);
    expect((await read(writeWorkbook(begun))).names).toEqual(['x', 'y']);
    expect((await read(writeWorkbook([[null, 'x', 'y']]))).names).toEqual(['x', 'y']);
  });

  test('names itself in the faults of its rows', async () => {
    const rows = Array.from({ length: 60 }, (_, row) => [row === 9 ? 'many' : row, row]);
    const table = readTable('xlsx', stream(writeWorkbook([['a', 'b'], ...rows])), 'a', { task: 'regression' });
    await expect(table).rejects.toThrow(/a/);
    const chosen = readTable('xlsx', stream(writeWorkbook([['a', 'b'], ...rows])), 'nothing');
    await expect(chosen).rejects.toThrow('Sheet "Sheet1": There is no column "nothing"');
  });
});

describe('refuses', () => {
  const rows = `${header('a')}<row><c><v>1</v></c></row>`;
  const files = workbookFiles({ sheets: { Data: rows } });
  const SHEET = 'xl/worksheets/sheet1.xml';
  const withSheet = (sheet: string | ZipFile) => writeZip({ ...files, [SHEET]: sheet });
  const good = writeZip(files);
  const blanks = Buffer.alloc(16 * MIB, 0x20);

  test.each<[string, () => Buffer, string]>([
    ['what is not a workbook', () => Buffer.from('a,b\n1,2\n'), 'does not begin with PK'],
    ['an empty body', () => Buffer.alloc(0), 'does not begin with PK'],
    ['.xls and passwords', () => Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'without a password'],
    ['an archive of other files', () => writeZip({ 'a.txt': 'a' }), 'it has no sheets'],
    ['a file that is cut off', () => good.subarray(0, -60), 'cut off'],
    ['files that share bytes', () => withSheet({ content: rows, start: 0 }), 'shares bytes with another'],
    ['a size beyond the file', () => withSheet({ content: rows, size: 200 * MIB }), 'not where its directory says'],
    [
      'bytes that are not deflated',
      () => withSheet({ content: rows, stored: Buffer.from('nonsense') }),
      'cannot be decompressed',
    ],
    ['encrypted files', () => withSheet({ content: rows, flags: 1 }), 'without a password'],
    ['other compressions', () => withSheet({ content: rows, method: 14 }), 'Excel does not use'],
    ['a bomb of blanks', () => withSheet({ content: blanks, stored: deflateRawSync(blanks) }), 'more than 2 MiB'],
    [
      'references that are not addresses',
      () => {
        const name = 'xl/_rels/workbook.xml.rels';
        return writeZip({ ...files, [name]: files[name].replace('worksheets/', 'http://[/') });
      },
      'a target that is not an address',
    ],
    [
      'entities',
      () => withSheet(`<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>`),
      'DTD',
    ],
    ['deep XML', () => withSheet('<a>'.repeat(100_000)), 'deeper than 64 levels'],
    ['a tag without an end', () => withSheet(`<a ${'b'.repeat(6 * MIB)}`), 'more than 64 KiB'],
    ['a tag of 2 MiB', () => withSheet(`<a b="${'b'.repeat(2 * MIB)}"/>`), 'more than 64 KiB'],
    ['a comment without an end', () => withSheet(`<!--${'b'.repeat(6 * MIB)}`), 'more than 2 MiB'],
    ['XML that ends early', () => withSheet('<worksheet><sheetData>'), 'it ends within <sheetData>'],
    ['bytes that are not UTF-8', () => withSheet({ content: Buffer.from([0x3c, 0xff]) }), 'UTF-8'],
    [
      'a text that is not there',
      () => withRows(`${header('a')}<row><c t="s"><v>7</v></c></row>`),
      'Sheet "Data", cell A2: It refers to text 7 of the workbook, which has 0',
    ],
    [
      'a number that is none',
      () => withRows(`${header('a')}<row><c><v>one</v></c></row>`),
      'cell A2: "one" is not a number',
    ],
    ...['', '<v/>', '<v></v>'].flatMap((value) =>
      ['', ' t="b"', ' t="e"'].map((type): [string, () => Buffer, string] => [
        `a formula without a value (${type}${value})`,
        () => withRows(`${header('a')}<row><c${type}><f>1+1</f>${value}</c></row>`),
        'cell A2: The formula has no value',
      ]),
    ),
    [
      'cells out of their order',
      () => withRows(`${header('a', 'b')}<row><c r="B2"/><c r="A2"/></row>`),
      'The cell "A2" is out of its order',
    ],
    [
      'a cell beyond the sheet',
      () => withRows(`${header('a')}<row><c r="ZZZ2"><v>1</v></c></row>`),
      'out of its order',
    ],
    [
      'a row number of a billion',
      () => withRows(`${header('a')}<row r="1000000000"/>`),
      'followed by a row numbered 1000000000',
    ],
    ['a sheet without values', () => withRows('<row/>'.repeat(1000)), 'has no values'],
    ['a header without rows', () => withRows(header('a')), 'Sheet "Data": The table has no rows'],
    [
      'a text of 1 MiB that a thousand rows repeat',
      () =>
        withRows(header('a') + '<row><c t="s"><v>0</v></c></row>'.repeat(1000), {
          texts: `<si><t>${'x'.repeat(MIB - 1)}</t></si>`,
        }),
      'may become',
    ],
    [
      'a text of 2 MiB',
      () => withRows(rows, { texts: `<si>${`<t>${'x'.repeat(MIB)}</t>`.repeat(2)}</si>` }),
      'longer than 1 MiB',
    ],
  ])('%s, with the place', async (_, make, message) => {
    await expect(readTable('xlsx', stream(make()), 'a')).rejects.toThrow(message);
  });

  test('changed bytes, or reads them', async () => {
    const sheet = writeWorkbook([['a', 'b'], ...Array.from({ length: 60 }, (_, row) => [row, `t${row % 5}`])]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(sheet.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const changed = Buffer.from(sheet);
          for (const [at, byte] of changes) changed[at] = byte;
          const result = await readTable('xlsx', stream(changed), 'a').catch((error: Error) => error);
          expect(result instanceof Error ? result.name : 'table').toMatch(/^(TableError|table)$/);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('reads what is cut into many pieces: long comments and values, tags and entities', async () => {
  const comment = `<!--${'<a> '.repeat(MIB / 4)}-->`;
  const long = `${'&lt;é\r\n'.repeat(50_000)}`;
  const sheet = withRows(
    `${header('a &amp; b')}${comment}<row>${text(long)}</row><row  r = '7' ><c s="${' '.repeat(60_000)}" ><v>1</v></c></row>`,
  );
  const table = await read(sheet);
  expect(table).toEqual({ names: ['a & b'], rows: [['<é\n'.repeat(50_000)], [1]] });
});

test('an archive becomes no more than its bytes allow', async () => {
  const bomb = deflateRawSync(Buffer.alloc(160 * MIB));
  const archive = writeZip({ bomb: { content: '', stored: bomb } });
  const zip = await ZipArchive.open(inMemory(archive), new ByteBudget());
  const inflate = async () => {
    for await (const _ of zip.read('bomb'));
  };
  await expect(inflate()).rejects.toThrow('the limit for a workbook of');
});

test('a million empty cells and rows take no memory', async () => {
  const empty = `<row>${'<c s="1"/>'.repeat(1000)}</row>`.repeat(1000);
  const sheet = withRows(`${header('a')}${empty}${'<row/>'.repeat(100_000)}<row><c><v>1</v></c></row>`);
  expect((await read(sheet)).rows).toEqual([[1]]);
});

test('a workbook is previewed without a row, so that another sheet or header line can be chosen', async () => {
  const sheets = {
    Cover: `<row r="1">${text('Sales of 2026')}</row>`,
    Data: `<row r="1">${text('Sales')}</row><row r="2">${text('city')}${text('sold')}</row><row r="3">${text('Bonn')}<c><v>4</v></c></row>`,
  };
  const bytes = writeZip(workbookFiles({ sheets }));
  const none = { rows_read: 0, rows: [], sheets: ['Cover', 'Data'] };
  const has = (words: string) => expect.stringContaining(words);
  const cover = await preview(bytes, { sheet: 'Cover' });
  expect(cover).toMatchObject({ ...none, sheet: 'Cover', fault: has('no rows') });
  expect(await preview(bytes, { sheet: 'Data', headerLine: 1 })).toMatchObject({
    ...none,
    sheet: 'Data',
    header_line: 1,
    columns: [{ name: 'Sales' }],
    fault: has('its column has no name'),
  });
  const shown = await preview(bytes, { sheet: 'Data', headerLine: 2 });
  expect(shown).toMatchObject({ fault: null, rows: [['Bonn', '4']], header_line: 2 });
  expect(await preview(bytes)).toEqual(shown);
  const broken = { ...sheets, Cover: `${header('a', 'b')}<row><c><f>1</f></c></row>` };
  expect(await preview(writeZip(workbookFiles({ sheets: broken })))).toEqual(shown);
  const first = await preview(writeZip(workbookFiles({ sheets: { Cover: broken.Cover } })));
  expect(first).toMatchObject({ sheet: 'Cover', rows: [], fault: has('no value beside it') });
  expect(shown.first_lines).toEqual([
    { line: 1, text: 'Sales' },
    { line: 2, text: 'city | sold' },
    { line: 3, text: 'Bonn | 4' },
  ]);
});
