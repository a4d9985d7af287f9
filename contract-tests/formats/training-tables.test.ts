/**
 * Tests of tables as they are sent: what a training understands, and what it refuses. The reader knows no
 * store; `behaviour/models/training.test.ts` proves on each that nothing of a refused table is stored.
 */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asArray, asRecord } from '../../contract/json-record.js';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { settled } from '../../testkit/service/train-prices.js';
import { hundredLines, putTable, trainTable } from '../sent-tables.js';
import { ownProject, roster, send, sendJson } from '../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';

const CSV = { 'Content-Type': 'text/csv' };

let path: { projectName: string; modelName: string };
beforeEach(async () => {
  path = { projectName: await ownProject(), modelName: 'prices' };
});
afterEach(() => roster.DELETE(ONE, { params: { path } }));

type Sent = Parameters<typeof putTable>[1];

const train = (body: Sent, target?: string) => putTable(path, body, target);
const trained = (body: Sent, target?: string) => trainTable(path, body, target);

const read = () => roster.GET(ONE, { params: { path } });

describe('a table', () => {
  test('trains the same model from JSON rows as from CSV', async () => {
    const fromCsv = await trained(
      hundredLines('x,y', (row) => `${row},${2 * row}`),
      'y',
    );
    const rows = Array.from({ length: 100 }, (_, row) => ({ x: row, y: 2 * row }));
    const fromRows = await trained(rows, 'y');
    expect(fromRows).toMatchObject({ version: 2, columns: fromCsv.columns });
    expect(fromRows.metrics).toEqual(fromCsv.metrics);
  });

  test('may have decimal commas, gaps, dates, quotes, a byte order mark and CRLF', async () => {
    const line = (row: number) =>
      `"${row},5",${['', 'NA', 'NaN', 'null', 'red'][row % 5]},2026-01-${10 + (row % 19)},"a ""b"", ${row % 3}",${row}`;
    const model = await trained(`\uFEFF${hundredLines('size,colour,day,note,y', line).replaceAll('\n', '\r\n')}`, 'y');
    expect(model.columns).toMatchObject([
      { name: 'size', kind: 'number', min: 0.5, max: 99.5 },
      { name: 'colour', kind: 'category', missing_share: 0.8 },
      { name: 'day', kind: 'date' },
      { name: 'note', kind: 'category', categories: expect.arrayContaining(['a "b", 0']) },
    ]);
  });

  test('may have rows without a target, which are left out', async () => {
    const model = await trained(
      hundredLines('x,y', (row) => `${row},${row % 4 === 0 ? 'NA' : row}`),
      'y',
    );
    expect(model).toMatchObject({ status: 'ready', row_count: 75 });
  });

  test('of real houses is accepted', async () => {
    const houses = await readFile(new URL('../../datasets/txhousing.csv', import.meta.url), 'utf8');
    const some = houses.split('\n').slice(0, 300).join('\n');
    expect(await trained(some, 'median')).toMatchObject({ status: 'ready' });
  });

  test('may name columns like inherited members of objects', async () => {
    const model = await trained(
      hundredLines('__proto__,constructor,toString,y', (row) => `${row},${row % 7},${row % 3},${row}`),
      'y',
    );
    expect(model.columns?.map(({ name }) => name)).toEqual(['__proto__', 'constructor', 'toString']);
  });

  const germanExport = [
    'Umsätze nach Ort, Stand 2025',
    '',
    'id;plz;menge;preis',
    ...Array.from({ length: 120 }, (_, row) => {
      const plz = ['05914', '5914', '80331'][row % 3];
      return `${1000 + row};${plz};${row % 7},5;${plz === '5914' ? 900 : 300 + (row % 9)}`;
    }),
  ].join('\r\n');
  const toPath = (operation: string, query: string) =>
    `/api/projects/${path.projectName}/models/prices${operation}?${query}`;
  const sendCsv = (query: string, method = 'PUT', operation = '', body = germanExport) =>
    send(toPath(operation, query), { method, headers: { ...CSV, Accept: 'application/json' }, body });

  test('may have a title above its header, an id and codes, and so may rows to predict', async () => {
    const query = 'target=preis&header_line=3&exclude=id&as_category=plz';
    const begun = await sendCsv(query);
    expect(begun.status).toBe(202);
    const model = await settled(roster, path, (await read()).data);
    expect(model.columns).toMatchObject([
      { name: 'id', used: false, chosen: 'unused', reason: expect.stringContaining('exclude') },
      { name: 'plz', kind: 'category', chosen: 'category' },
      { name: 'menge', kind: 'number' },
    ]);
    expect(model.columns?.[1]?.categories?.toSorted()).toEqual(['05914', '5914', '80331']);
    expect(model.columns?.[2]).not.toHaveProperty('chosen');

    const answer = await sendCsv('header_line=3&unknown=refuse', 'POST', '/predict');
    expect(answer.status).toBe(200);
    const [first, second, ...others] = asArray(await answer.json()).map(asRecord);
    expect(others).toHaveLength(118);
    expect(first).toMatchObject({ plz: '05914', id: '1000' });
    expect(Number(second?.['preis'])).toBeGreaterThan(2 * Number(first?.['preis']));
  });

  test.each([
    ['target=preis&header_line=130', 'header_line is 130, but the text has 123 lines'],
    ['target=preis', 'The columns are: "Umsätze nach Ort"'],
    ['target=preis&header_line=3&exclude=plzz', 'There is no column "plzz", which exclude names'],
    [
      'target=preis&header_line=3&exclude=id&exclude=plz&exclude=menge',
      'No input column can be used. Column "id": the training left it out (exclude).',
    ],
  ])('is refused with %s: %s', async (query, message) => {
    const refused = await sendCsv(query);
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      {
        type: '/problems/unusable-table',
        errors: expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining(message) })]),
      },
    ]);
  });

  test.each([
    ['exclude=preis', '/query/exclude', 'must not name "preis", which target names'],
    ['exclude=id&as_number=id', '/query/as_number', '"id", which exclude names'],
    ['header=false&header_line=2', '/query/header_line', 'header=false'],
    ['header_line=0', '/query/header_line', ''],
    ['header_line=1001', '/query/header_line', ''],
    ['as_date=', '/query/as_date', ''],
  ])('is not read with %s', async (query, pointer, message) => {
    const refused = await sendCsv(`target=preis&${query}`);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { errors: [{ pointer, message: expect.stringContaining(message) }] },
    ]);
  });

  test('of a format without lines has no line of a header', async () => {
    const refused = await sendJson('PUT', toPath('', 'target=y&header_line=2'), [{ x: 1 }]);
    const message = expect.stringContaining('is for CSV');
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { errors: [{ pointer: '/query/header_line', message }] },
    ]);
  });

  const good = (row: number) => `${row},${row}`;
  test.each([
    ['without the target', hundredLines('x,y', good), 'z', { column: 'z' }],
    ['whose target is text', hundredLines('x,y', (row) => `${row},high`), 'y', { column: 'y' }],
    ['whose target has one word among numbers', `${hundredLines('x,y', good)}\n1,high`, 'y', { column: 'y' }],
    ['whose target is missing throughout', hundredLines('x,y', (row) => `${row},NA`), 'y', { column: 'y' }],
    ['with too few rows', 'x,y\n1,2\n2,3', 'y', {}],
    ['with only a header', 'x,y', 'y', {}],
    ['without content', '', 'y', {}],
    ['with a field too few', `${hundredLines('x,y', good)}\n7`, 'y', { line: 102 }],
    ['with a field too many', `${hundredLines('x,y', good)}\n7,7,7`, 'y', { line: 102 }],
    ['with a quote that does not end', `${hundredLines('x,y', good)}\n"7,7`, 'y', {}],
    ['with only the target', hundredLines('y', (row) => `${row}`), 'y', {}],
    ['without a column that varies', hundredLines('x,y', (row) => `7,${row}`), 'y', {}],
    ['with two columns of one name', hundredLines('x,x,y', (row) => `${row},1,${row}`), 'y', { column: 'x' }],
    ['with a column name that the answer uses', hundredLines('y_min,y', good), 'y', { column: 'y_min' }],
    ['with a reserved column', hundredLines('when_data,y', good), 'y', { column: 'when_data' }],
  ])('%s is refused, and nothing of it is stored', async (_what, csv, target, fault) => {
    const { error } = await train(csv, target);
    expect(error).toMatchObject({ type: '/problems/unusable-table', errors: [fault] });
    expect((await read()).error?.type).toBe('/problems/model-not-found');
  });

  test('of JSON rows that is unusable is refused, and the error names the column', async () => {
    const rows = Array.from({ length: 100 }, (_, x) => ({ x, y: x === 50 ? 'high' : x }));
    const { error } = await train(rows, 'y');
    expect(error).toMatchObject({ type: '/problems/unusable-table', errors: [{ column: 'y' }] });
  });

  test.each([7, 'text', null, [7]])('of JSON rows is refused if one of them is %j', async (row) => {
    const rows = [...Array.from({ length: 100 }, (_, x) => ({ x, y: x })), row];
    const address = `/api/projects/${path.projectName}/models/prices?target=y`;
    const response = await sendJson('PUT', address, rows);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ row: 100 }] });
  });

  test.each([[7], ['text'], [null], [{}], [{ data: [] }]])('in JSON must be an array, not %j', async (body) => {
    const address = `/api/projects/${path.projectName}/models/prices?target=y`;
    expect((await sendJson('PUT', address, body)).status).toBe(400);
  });

  test.each(['', 'target=', 'target=a&target=b'])('requires one target, not "%s"', async (query) => {
    const address = `/api/projects/${path.projectName}/models/prices?${query}`;
    const response = await send(address, { method: 'PUT', headers: CSV, body: fewDiamonds });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: '/problems/invalid-request' });
  });
});
