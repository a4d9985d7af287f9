/** Tests of tables that are large or hostile. Against the server alone. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settled } from '../../testkit/service/train-prices.js';
import { objectOf, ownProject, roster, send } from '../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';

let path: { projectName: string; modelName: string };
beforeEach(async () => {
  path = { projectName: await ownProject(), modelName: 'm' };
});
afterEach(() => roster.DELETE(ONE, { params: { path } }));

const MEBIBYTE = 1024 * 1024;

/** Sends a table whose target is y, in pieces. */
function train(type: 'text/csv' | 'application/json', pieces: Iterable<string>) {
  const texts = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = texts.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  return send(`/api/projects/${path.projectName}/models/m?target=y`, {
    method: 'PUT',
    duplex: 'half',
    headers: { 'Content-Type': type },
    body,
  });
}

function* lines(count: number, line: (row: number) => string): Generator<string> {
  for (let row = 0; row < count; row += 1000) {
    const some = Array.from({ length: Math.min(1000, count - row) }, (_, index) =>
      line(row + index),
    );
    yield `${some.join('\n')}\n`;
  }
}

function* csv(header: string, count: number, line: (row: number) => string) {
  yield `${header}\n`;
  yield* lines(count, line);
}

const good = Array.from({ length: 60 }, (_, row) => ({ x: row % 7, y: row }));
const goodRows = JSON.stringify(good).slice(1, -1);
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const wide = (count: number) => Array.from({ length: count }, (_, column) => `c${column}`);

test('a CSV table may be larger than other bodies', async () => {
  const long = 'x'.repeat(400);
  const response = await train(
    'text/csv',
    csv('text,x,y', 100_000, (row) => `${long} ${row % 500},${row % 7},${row % 100}`),
  );
  expect(response.status).toBe(202);
  const model = await objectOf(response);
  expect(model).toMatchObject({ row_count: 100_000 });
});

test('a column of 200,000 distinct categories is recognised as an identifier', async () => {
  const response = await train(
    'text/csv',
    csv('id,y', 200_000, (row) => `id ${row},${row % 7}`),
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
    { line: 62, message: expect.stringContaining('longer than 4 MiB') },
  ],
  [
    'with too many cells',
    () => csv(`${wide(999)},y`, 25_100, (row) => `${','.repeat(999)}${row}`),
    { message: expect.stringContaining('25,000,000 cells') },
  ],
  [
    'whose rows are wider than its header, in CRLF and behind a byte order mark',
    () => ['\uFEFFx,y\r\n', ...Array(60).fill('1,"2 ""3"""\r\n'), '1,2,3\r\n'],
    { line: 62 },
  ],
  ['of NUL characters', () => ['\0'.repeat(MEBIBYTE)], {}],
  ['of commas', () => [','.repeat(MEBIBYTE), '\n', ','.repeat(MEBIBYTE)], {}],
  ['of quotes', () => ['"'.repeat(8 * MEBIBYTE)], {}],
])('CSV %s is unusable', async (_what, pieces, fault) => {
  const response = await train('text/csv', pieces());
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    type: '/problems/unusable-table',
    errors: [fault],
  });
});

test.each([
  [
    'with a cell of 10 MB',
    () => [`[${goodRows},{"x":"`, 'x'.repeat(10_000_000), '","y":1}]'],
    { row: 60, message: expect.stringContaining('longer than 4 MiB') },
  ],
  [
    'with a row of 100,000 columns',
    () => [`[${goodRows},{${wide(100_000).map((name) => `"${name}":1`)}}]`],
    { message: expect.stringContaining('more than 1,000 columns') },
  ],
])('JSON %s is unusable', async (_what, pieces, fault) => {
  const response = await train('application/json', pieces());
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: [fault] });
});

test.each([
  [
    'of ten million empty arrays',
    () => ['[', ...Array(10).fill('[],'.repeat(MEBIBYTE)), '[]]'],
    'must have at most 1000000 items',
  ],
  [
    'nested 10,000 deep',
    () => [`[${goodRows},{"x":${nested(10_000)},"y":1}]`],
    'must not nest deeper than 100 levels',
  ],
  [
    'of an object',
    () => [`{"data":[${goodRows}]}`],
    'must be an array of rows, or an object {"source": {"database": …, "query": …}}',
  ],
])('JSON %s does not fit the contract', async (_what, pieces, message) => {
  const response = await train('application/json', pieces());
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ pointer: '/body', message }] });
});

test.each([
  ['that breaks off', [`[${goodRows}`]],
  ['with text after its end', [`[${goodRows}]]`]],
  ['with NaN', [`[${goodRows},{"x":NaN,"y":1}]`]],
])('JSON %s is malformed', async (_what, pieces) => {
  const response = await train('application/json', pieces);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    type: '/problems/malformed-body',
    detail: expect.stringMatching(/^The body is not valid JSON: .* Correct the text/),
  });
});

test('many concurrent tables are all read, and other requests are served meanwhile', async () => {
  const models = Array.from({ length: 6 }, (_, index) => ({ ...path, modelName: `m${index}` }));
  const trained = await Promise.all(
    models.map(async (model) => {
      const params = { path: model, query: { target: 'y' } };
      const { data } = await roster.PUT(ONE, { params, body: good });
      if (data === undefined) throw new Error('The table was refused');
      return settled(roster, model, data);
    }),
  );
  expect(trained.map(({ status }) => status)).toEqual(models.map(() => 'ready'));
});

test('a training can be cancelled while its table is uploaded, and another one can begin at once', async () => {
  const row = (index: number) => `${index % 977},${index / 7},${index % 89}`;
  for (let round = 0; round < 3; round++) {
    const response = await train('text/csv', csv('a,b,y', 100_000, row));
    expect(response.status).toBe(202);
    const removed = await roster.DELETE(ONE, { params: { path } });
    expect(removed.response.status).toBe(204);
  }
  const { data } = await roster.PUT(ONE, {
    params: { path, query: { target: 'y' } },
    body: good,
  });
  if (data === undefined) throw new Error('The table was refused');
  expect(await settled(roster, path, data)).toMatchObject({ status: 'ready', version: 1 });
});
