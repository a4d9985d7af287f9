/** Tests of ids of remembered rows in every format: they keep their digits and meet each other, or are refused. */
import { Table as ArrowTable, Float64, Int64, tableToIPC, Uint64, vectorFromArray } from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type FileFormat, MEDIA_TYPES } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { workbookFiles, writeZip } from '../../testkit/data/workbooks.js';
import { ownProject, readObject, send } from '../target.js';
import { NONE, trainRows } from './promised-rows.js';

let address: string;
beforeAll(async () => {
  const rows = Array.from({ length: 60 }, (_, x) => ({ x, y: 3 * x }));
  address = await trainRows(await ownProject(), 'ids', 'target=y', rows);
});

/** Writes rows of an id, an input and a target, with the id as the format has whole numbers. */
type Write = (ids: readonly bigint[]) => Uint8Array | string;

const arrow =
  (type: Int64 | Uint64 | Float64): Write =>
  (ids) => {
    const cells = type instanceof Float64 ? ids.map(Number) : ids;
    const table = new ArrowTable({
      ref: vectorFromArray(cells, type),
      y: vectorFromArray(
        ids.map((_, row) => row),
        new Float64(),
      ),
    });
    return tableToIPC(table, 'stream');
  };

const parquet =
  (type: 'INT64' | 'DOUBLE'): Write =>
  (ids) =>
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'ref', data: type === 'DOUBLE' ? ids.map(Number) : [...ids], type },
          { name: 'y', data: ids.map((_, row) => row), type: 'DOUBLE' },
        ],
      }),
    );

const json: Write = (ids) => `[${ids.map((id, row) => `{"ref":${id},"y":${row}}`)}]`;

const NUMBERS: readonly (readonly [name: string, format: FileFormat, write: Write])[] = [
  ['JSON', 'json', json],
  ['JSON with decimals', 'json', (ids) => `[${ids.map((id, row) => `{"ref":${id}.0,"y":${row}}`)}]`],
  ['NDJSON', 'ndjson', (ids) => ids.map((id, row) => `{"ref":${id},"y":${row}}\n`).join('')],
  ['Int64 of Arrow', 'arrow-stream', arrow(new Int64())],
  ['Uint64 of Arrow', 'arrow-stream', arrow(new Uint64())],
  ['Float64 of Arrow', 'arrow-stream', arrow(new Float64())],
  ['INT64 of Parquet', 'parquet', parquet('INT64')],
  ['DOUBLE of Parquet', 'parquet', parquet('DOUBLE')],
  [
    'numbers of a workbook',
    'xlsx',
    (ids) => {
      const names = '<row><c t="str"><v>ref</v></c><c t="str"><v>y</v></c></row>';
      const rows = ids.map((id, row) => `<row><c><v>${id}</v></c><c><v>${row}</v></c></row>`);
      return writeZip(workbookFiles({ sheets: { Sheet1: names + rows.join('') } }));
    },
  ],
];

/** Formats of texts, as pandas writes ids beside missing ones, too. */
const TEXTS: typeof NUMBERS = [
  ['CSV', 'csv', (ids) => `ref,y\n${ids.map((id, row) => `${id},${row}\n`).join('')}`],
  ['CSV with decimals', 'csv', (ids) => `ref,y\n${ids.map((id, row) => `${id}.0,${row}\n`).join('')}`],
  ['texts of JSON', 'json', (ids) => `[${ids.map((id, row) => `{"ref":"${id}","y":${row}}`)}]`],
];

function post(operation: string, format: FileFormat, body: Uint8Array | string): Promise<Response> {
  return send(`${address}/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': MEDIA_TYPES[format], Accept: 'application/json' },
    body: new Uint8Array(Buffer.from(body)),
  });
}

const remember = (format: FileFormat, body: Uint8Array | string) => post('predict?remember=true&id=ref', format, body);
const meet = (format: FileFormat, body: Uint8Array | string) => post('actuals?id=ref', format, body);

let last = 0n;

test.each([...NUMBERS, ...TEXTS])(
  'ids that are %s meet those of CSV, and are met by them',
  async (_, format, write) => {
    const [one, other] = [++last, ++last];
    expect((await remember(format, write([one]))).status).toBe(200);
    expect(await readObject(await meet('csv', `ref,y\n${one},1\n`))).toEqual({ ...NONE, matched: 1 });
    expect((await remember('csv', `ref,y\n${other},1\n`)).status).toBe(200);
    expect(await readObject(await meet(format, write([other])))).toEqual({ ...NONE, matched: 1 });
  },
);

/** Two that are one double. */
const LARGE = [2n ** 53n, 2n ** 53n + 1n];

describe.each(NUMBERS)('ids beyond 2^53 that are %s', (_, format, write) => {
  test('are refused, with the reason, as promises and as truths', async () => {
    for (const response of [await remember(format, write(LARGE)), await meet(format, write(LARGE))]) {
      expect(await readObject(response)).toMatchObject({
        status: 400,
        errors: [{ pointer: '/query/id', message: expect.stringMatching(/"ref".* beyond 2\^53.*as texts/) }],
      });
    }
  });
});

test('ids beyond 2^53 that are texts keep their digits', async () => {
  for (const [at, [, format, write]] of TEXTS.entries()) {
    const [one = 0n, other = 0n] = LARGE.map((id) => id + BigInt(10 * at));
    expect((await remember(format, write([one]))).status).toBe(200);
    for (const [, truths, writeTruths] of TEXTS) {
      expect(await readObject(await meet(truths, writeTruths([other])))).toMatchObject({ matched: 0, unmatched: 1 });
    }
    expect(await readObject(await meet(format, write([one])))).toEqual({ ...NONE, matched: 1 });
  }
});
