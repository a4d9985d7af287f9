/**
 * Tests of tables that are refused while they are read. The reader knows no store, so that one target proves
 * it; `behaviour/models/training.test.ts` proves on each that nothing of a refused table is stored.
 */
import { beforeAll, expect, test } from 'vitest';
import { csv, sendTable } from '../sent-tables.js';
import { ownProject } from '../target.js';

const MEBIBYTE = 1024 * 1024;

let path: { projectName: string; modelName: string };
beforeAll(async () => {
  path = { projectName: await ownProject(), modelName: 'm' };
});

const good = Array.from({ length: 60 }, (_, row) => ({ x: row % 7, y: row }));
const goodRows = JSON.stringify(good).slice(1, -1);
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const wide = (count: number) => Array.from({ length: count }, (_, column) => `c${column}`);

test('a column of 70,000 distinct categories is recognised as an identifier', async () => {
  const response = await sendTable(
    path,
    'text/csv',
    csv('id,y', 70_000, (row) => `id ${row},${row % 7}`),
  );
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    errors: [{ column: 'id', message: expect.stringContaining('identifier') }],
  });
});

test.each([
  ['of 100,000 columns', () => [`${wide(100_000).join()},y\n`, `${'1,'.repeat(100_000)}1\n`], {}],
  [
    'with a cell of 10 MB',
    () => [...csv('x,y', 60, (row) => `${row},${row}`), `${'x'.repeat(10_000_000)},1\n`],
    { line: 62, message: expect.stringContaining('longer than 1 MiB') },
  ],
  [
    'whose rows are wider than its header, in CRLF and behind a byte order mark',
    () => ['\uFEFFx,y\r\n', ...Array(60).fill('1,"2 ""3"""\r\n'), '1,2,3\r\n'],
    { line: 62 },
  ],
  [
    'of more than a million rows',
    () => ['x,y\n', ...Array(100).fill('1,1\n'.repeat(10_000)), '1,1\n'],
    { message: expect.stringContaining('1,000,000 rows') },
  ],
  ['of NUL characters', () => ['\0'.repeat(MEBIBYTE)], {}],
  ['of commas', () => [','.repeat(MEBIBYTE), '\n', ','.repeat(MEBIBYTE)], {}],
  ['of quotes', () => ['"'.repeat(8 * MEBIBYTE)], {}],
])('CSV %s is unusable', async (_what, pieces, fault) => {
  const response = await sendTable(path, 'text/csv', pieces());
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ type: '/problems/unusable-table', errors: [fault] });
});

test.each([
  [
    'with a cell of 10 MB',
    () => [`[${goodRows},{"x":"`, 'x'.repeat(10_000_000), '","y":1}]'],
    { row: 60, message: expect.stringContaining('longer than 1 MiB') },
  ],
  [
    'with a row of 100,000 columns',
    () => [`[${goodRows},{${wide(100_000).map((name) => `"${name}":1`)}}]`],
    { message: expect.stringContaining('more than 1,000 columns') },
  ],
  [
    'with too many cells, most of them not there',
    () => [`[{"y":0,${wide(999).map((name) => `"${name}":1`)}}`, ',{"y":1}'.repeat(25_100), ']'],
    { message: expect.stringContaining('25,000,000 cells') },
  ],
])('JSON %s is unusable', async (_what, pieces, fault) => {
  const response = await sendTable(path, 'application/json', pieces());
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: [fault] });
});

test.each([
  [
    'of ten million empty arrays',
    () => ['[', ...Array(10).fill('[],'.repeat(MEBIBYTE)), '[]]'],
    'must have at most 1000000 items',
  ],
  ['nested 10,000 deep', () => [`[${goodRows},{"x":${nested(10_000)},"y":1}]`], 'must not nest deeper than 100 levels'],
  [
    'of an object',
    () => [`{"data":[${goodRows}]}`],
    'must be an array of rows, or an object {"source": {"database": …, "query": …}}',
  ],
])('JSON %s does not fit the contract', async (_what, pieces, message) => {
  const response = await sendTable(path, 'application/json', pieces());
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ pointer: '/body', message }] });
});

test.each([
  ['that breaks off', [`[${goodRows}`]],
  ['with text after its end', [`[${goodRows}]]`]],
  ['with NaN', [`[${goodRows},{"x":NaN,"y":1}]`]],
])('JSON %s is malformed', async (_what, pieces) => {
  const response = await sendTable(path, 'application/json', pieces);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    type: '/problems/malformed-body',
    detail: expect.stringMatching(/^The body is not valid JSON: .* Correct the text/),
  });
});
