/** Tests of previews: the beginning of a table in every format, as a training would read it. */
import { MEDIA_TYPES } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { FILE_FORMATS, type TestColumn, writeFile } from '../../testkit/data/table-files.js';
import { workbookOfSheets } from '../../testkit/data/workbooks.js';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send } from '../target.js';

const PREVIEW = '/api/projects/{projectName}/tables/preview';

const COLUMNS: readonly TestColumn[] = [
  { kind: 'number', name: 'carat', values: row((index) => (index % 7 ? index / 8 : null)) },
  { kind: 'text', name: 'cut', values: row((index) => `cut ${index % 3}`) },
  { kind: 'text', name: 'sold', values: row((index) => `2026-01-${10 + (index % 20)}`) },
  { kind: 'boolean', name: 'fair', values: row((index) => index % 2 === 0) },
  { kind: 'text', name: 'nothing', values: row(() => null) },
];

function row<T>(make: (index: number) => T): T[] {
  return Array.from({ length: 1500 }, (_, index) => make(index));
}

let project: string;
beforeAll(async () => {
  project = await ownProject();
});

const at = (query = '') => `/api/projects/${project}/tables/preview${query}`;

function preview(
  body: string | Uint8Array | ReadableStream,
  query = '',
  type: string = MEDIA_TYPES.csv,
): Promise<Response> {
  const init = { method: 'POST', headers: { 'Content-Type': type }, body, duplex: 'half' } as const;
  return send(at(query), init);
}

test.each(FILE_FORMATS)('shows the columns and the first rows of %s', async (format) => {
  const { data } = await roster.POST(PREVIEW, {
    params: { path: { projectName: project } },
    headers: { 'Content-Type': MEDIA_TYPES[format] },
    body: new Blob([new Uint8Array(writeFile(format, COLUMNS))]),
    bodySerializer: (body: unknown) => body,
  });
  expect(data).toMatchObject({
    format: MEDIA_TYPES[format],
    header_line: format === 'csv' || format === 'xlsx' ? 1 : null,
    sheet: format === 'xlsx' ? 'Sheet1' : null,
    columns: [
      { name: 'carat', kind: 'number', examples: ['0.125', '0.25', '0.375'] },
      { name: 'cut', kind: 'category', examples: ['cut 0', 'cut 1', 'cut 2'] },
      { name: 'sold', kind: 'date', examples: ['2026-01-10', '2026-01-11', '2026-01-12'] },
      { name: 'fair', kind: 'category', examples: ['true', 'false'] },
      { name: 'nothing', kind: 'empty', examples: [] },
    ],
    rows_read: 1000,
    fault: null,
  });
  expect(data?.rows).toHaveLength(20);
  expect(data?.rows[1]).toEqual(['0.125', 'cut 1', '2026-01-11', 'false', null]);
  expect(data?.rows[0]?.[0]).toBeNull();
});

test('reads CSV as its parameters say', async () => {
  const titled = 'Sales of 2026\n\ncity;zip\nBonn;05311\n';
  const body = await (await preview(titled, '?header_line=3')).json();
  expect(body).toMatchObject({
    header_line: 3,
    columns: [{ name: 'city' }, { name: 'zip', kind: 'number' }],
    rows: [['Bonn', '05311']],
  });
  const bare = await (await preview('a|1\nb|2\n', '?header=false&delimiter=pipe')).json();
  expect(bare).toMatchObject({
    header_line: null,
    columns: [{ name: 'column_1' }, { name: 'column_2' }],
    rows_read: 2,
  });
});

test('finds the names below a title, and the sheet of the table, and shows the lines to choose from', async () => {
  const titled = 'Sales of 2026\n\ncity;sold\nBonn;4\nUlm;5\n';
  expect(await (await preview(titled)).json()).toMatchObject({
    header_line: 3,
    first_lines: [
      { line: 1, text: 'Sales of 2026' },
      { line: 2, text: '' },
      { line: 3, text: 'city | sold' },
      { line: 4, text: 'Bonn | 4' },
      { line: 5, text: 'Ulm | 5' },
    ],
    columns: [{ name: 'city' }, { name: 'sold' }],
    rows_read: 2,
  });
  const sheets = { Cover: [['Sales']], Data: [['Sales'], ['city', 'sold'], ['Bonn', 4]] };
  const found = await preview(workbookOfSheets(sheets), '', MEDIA_TYPES.xlsx);
  expect(await found.json()).toMatchObject({
    sheet: 'Data',
    header_line: 2,
    first_lines: [{ text: 'Sales' }, { text: 'city | sold' }, { text: 'Bonn | 4' }],
    columns: [{ name: 'city' }, { name: 'sold' }],
  });
});

test('shows names that a training refuses, so that a caller can choose another header line', async () => {
  const body = await (await preview('a,,a\n1,2,3\n')).json();
  expect(body).toMatchObject({ columns: [{ name: 'a' }, { name: '' }, { name: 'a' }] });
});

test('names the texts that count as missing, with their rows', async () => {
  const rows = [...Array(6).fill('3,NA'), ...Array(4).fill(',n/a'), 'NaN, null '];
  const body = await (await preview(`a,b\n${rows.join('\n')}\n`)).json();
  expect(body).toMatchObject({
    columns: [
      {
        name: 'a',
        missing: [
          { text: '', rows: 4 },
          { text: 'NaN', rows: 1 },
        ],
      },
      {
        name: 'b',
        kind: 'empty',
        missing: [
          { text: 'NA', rows: 6 },
          { text: 'n/a', rows: 4 },
          { text: 'null', rows: 1 },
        ],
      },
    ],
  });
  const lines = '{"a": 1, "b": "NA"}\n{"a": 1}\n{"a": 1, "b": null}';
  const listed = await (await preview(lines, '', MEDIA_TYPES.ndjson)).json();
  const missing = [
    { text: '', rows: 2 },
    { text: 'NA', rows: 1 },
  ];
  expect(listed).toMatchObject({ columns: [{}, { name: 'b', missing }] });
});

test('says what a parameter would make of a column whose meaning nothing shows', async () => {
  const body = 'price,sold\n"1,234",05/06/2025\n"2,718",01/02/2025\n"4,815",01/01/2025\n';
  const price = [
    { parameter: 'decimal_point', value: 'price', text: '1,234', becomes: '1234' },
    { parameter: 'decimal_comma', value: 'price', text: '1,234', becomes: '1.234' },
  ];
  const sold = [
    { parameter: 'date_order', value: 'day-first', text: '05/06/2025', becomes: '2025-06-05' },
    { parameter: 'date_order', value: 'month-first', text: '05/06/2025', becomes: '2025-05-06' },
  ];
  expect(await (await preview(body)).json()).toMatchObject({
    columns: [
      { reading: { kind: 'undecided' }, alternatives: price },
      { reading: { kind: 'undecided' }, alternatives: sold },
    ],
  });
  const stated = await preview(body, '?decimal_comma=price&date_order=day-first');
  expect(await stated.json()).toMatchObject({
    columns: [
      { kind: 'number', reading: { decimal: ',' }, alternatives: [] },
      { kind: 'date', reading: { order: 'day-first' }, alternatives: [] },
    ],
  });
  const contradicting = await (await preview('price,b\n"1,234.5",1\n"1.234,5",2\n')).json();
  expect(contradicting).toMatchObject({ columns: [{ reading: { kind: 'undecided' }, alternatives: [] }, {}] });
});

test('answers while the table still arrives', async () => {
  const line = Buffer.from('1,x\n'.repeat(100_000));
  let isFirst = true;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isFirst) controller.enqueue(Buffer.from('a,b\n'));
      isFirst = false;
      controller.enqueue(line);
    },
  });
  const response = await preview(endless);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ rows_read: 1000 });
});

test('shows the rows before a fault, and says it', async () => {
  const cases = [
    ['text/csv', 'a,b\n1,2\n3\n', 'Line 3 has 1 fields, the header has 2.'],
    ['application/json', '[{"a":1},{"a":', 'It ends before its array does.'],
    ['application/x-ndjson', '{"a":1}\n{"a":', 'Line 2'],
  ] as const;
  for (const [type, text, fault] of cases) {
    const body = await (await preview(text, '', type)).json();
    expect(body).toMatchObject({ rows_read: 1, fault: expect.stringContaining(fault) });
  }
});

test('cuts what is long, and shows fewer rows of it', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `column ${index}`);
  const cells = names.map(() => '😀'.repeat(110)).join();
  const response = await preview(`${names.join()}\n${`${cells}\n`.repeat(30)}`);
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  expect(text.length).toBeLessThan(2 << 20);
  const { columns, rows } = JSON.parse(text);
  expect(columns[0].examples).toEqual([`${'😀'.repeat(29)}…`]);
  expect(rows.length).toBeLessThan(20);
  expect(rows[0][99]).toBe(`${'😀'.repeat(99)}…`);
});

test('reads the sheet of a workbook that is named, as a training and a prediction do', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => [index % 7, 2 * (index % 7)]);
  const body = workbookOfSheets({ Cover: [['2026']], Sales: [['size', 'price'], ...rows] });
  const shown = await (await preview(body, '?sheet=Sales', MEDIA_TYPES.xlsx)).json();
  expect(shown).toMatchObject({ sheet: 'Sales', sheets: ['Cover', 'Sales'], rows_read: 60 });
  const headers = { 'Content-Type': MEDIA_TYPES.xlsx };
  const model = `/api/projects/${project}/models/sales`;
  const training = { method: 'PUT', headers, body };
  expect((await send(`${model}?target=price&sheet=Sales`, training)).status).toBe(202);
  await settled(roster, { projectName: project, modelName: 'sales' });
  const answer = await send(`${model}/predict?sheet=Sales`, { method: 'POST', headers, body });
  expect(await answer.json()).toHaveLength(60);
});

describe('refuses', () => {
  test('JSON that is not valid', async () => {
    const response = await preview('[{"a":', '', 'application/json');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: '/problems/malformed-body' });
  });

  test.each([
    [
      'a title that is sent as the header line',
      'Sales\na,b,c\n1,2,3\n',
      '?header_line=1',
      'text/csv',
      'the header has 1',
    ],
    ['a header line below the table', 'a,b\n1,2\n', '?header_line=9', 'text/csv', 'has 2 lines'],
    ['no rows', '[]', '', 'application/json', 'has no rows'],
    ['rows that are not objects', '[1]', '', 'application/json', 'is not an object'],
    ['what is not Parquet', 'a,b\n1,2\n', '', MEDIA_TYPES.parquet, 'PAR1'],
  ])('%s, with the place of the fault', async (_, text, query, type, message) => {
    const response = await preview(text, query, type);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      type: '/problems/unusable-table',
      errors: expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining(message) })]),
    });
  });

  test.each([
    ['a query', '{"source":{"database":"a","query":"b"}}', '', '/body'],
    ['a header line of JSON', '[{"a":1}]', '?header_line=2', '/query/header_line'],
    ['a sheet of JSON', '[{"a":1}]', '?sheet=Data', '/query/sheet'],
  ])('%s', async (_, text, query, pointer) => {
    const response = await preview(text, query, 'application/json');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
  });
});
