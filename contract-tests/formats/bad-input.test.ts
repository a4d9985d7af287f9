/** Tests that faulty files are refused with a problem that names the place of the fault. */
import { type FileFormat, MEDIA_TYPES } from 'roster-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { fewDiamonds } from '../../testkit/data/diamonds.js';
import { type TestColumn, writeFile } from '../../testkit/data/table-files.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send } from '../target.js';

const COLUMNS: readonly TestColumn[] = [
  { kind: 'number', name: 'carat', values: Array.from({ length: 100 }, (_, row) => row / 100) },
  { kind: 'text', name: 'cut', values: Array.from({ length: 100 }, (_, row) => `cut ${row % 3}`) },
  { kind: 'number', name: 'price', values: Array.from({ length: 100 }, (_, row) => 100 + row) },
];
const OTHERS: readonly TestColumn[] = [
  { kind: 'text', name: 'carat', values: Array.from({ length: 100 }, (_, row) => `${row}!`) },
];

/** A faulty file, and what the problem says of the place. */
interface Fault {
  readonly name: string;
  readonly format: FileFormat;
  readonly file: () => Buffer;
  readonly place: RegExp;
  /** Rows come before it. Their answer may have begun, and is then cut off. */
  readonly isAfterRows?: true;
}

const good = (format: FileFormat) => writeFile(format, COLUMNS);
const cut = (format: FileFormat) => good(format).subarray(0, good(format).length - 100);
const text = (csv: string) => () => Buffer.from(csv);

/** Replaces the length of the footer, which stands before the magic bytes at the end. */
function lying(format: 'arrow-file' | 'parquet', magicBytes: number): Buffer {
  const file = Buffer.from(good(format));
  file.writeInt32LE(0x7fff_fff0, file.length - magicBytes - 4);
  return file;
}

/** A stream whose second half has other columns than its schema: the batches of two streams. */
function twoSchemas(): Buffer {
  const END_OF_STREAM = 8;
  const first = good('arrow-stream');
  return Buffer.concat([first.subarray(0, -END_OF_STREAM), writeFile('arrow-stream', OTHERS)]);
}

const FAULTS: readonly Fault[] = [
  ...(['arrow-stream', 'arrow-file', 'parquet'] as const).flatMap((format): Fault[] => [
    {
      name: 'cut off',
      format,
      file: () => cut(format),
      place: /cut|end|all/i,
      ...(format === 'arrow-file' && { isAfterRows: true }),
    },
    { name: 'not this format', format, file: () => good('csv'), place: /magic|begin|PAR1|Arrow/ },
    { name: 'empty', format, file: () => Buffer.alloc(0), place: /empty|begin|cut|ends|no /i },
  ]),
  {
    name: 'another schema in the middle',
    format: 'arrow-stream',
    file: twoSchemas,
    place: /schema|message|batch/i,
    isAfterRows: true,
  },
  {
    name: 'a footer that lies',
    format: 'arrow-file',
    file: () => lying('arrow-file', 6),
    place: /footer|end/i,
    isAfterRows: true,
  },
  { name: 'a footer that lies', format: 'parquet', file: () => lying('parquet', 4), place: /footer|metadata|end/i },
  {
    name: 'a quote that never ends',
    format: 'csv',
    file: text('carat,cut,price\n0.7,"Ideal,300\n0.8,Good,310\n'),
    place: /line 2/,
  },
  {
    name: 'a separator that cannot be recognised',
    format: 'csv',
    file: text('a,b\tc\n1,2\t3\n'),
    place: /delimiter|separator/i,
  },
  {
    name: 'UTF-16 without a byte order mark',
    format: 'csv',
    file: () => Buffer.from('carat,price\n0.7,300\n', 'utf16le'),
    place: /UTF-16/,
  },
  {
    name: '100,000 columns',
    format: 'csv',
    file: text(`${Array.from({ length: 100_000 }, (_, at) => `c${at}`).join(',')}\n`),
    place: /line 1|columns|fields/,
  },
];

let model: string;
beforeAll(async () => {
  const projectName = await ownProject();
  await trainPrices(roster, { projectName, modelName: 'prices' }, fewDiamonds);
  model = `/api/projects/${projectName}/models/prices`;
});

/** Sends a file, and returns the problem as text. */
async function problemOf(method: string, path: string, { format, file }: Fault): Promise<string> {
  const headers = { 'Content-Type': MEDIA_TYPES[format] };
  const body = new Blob([new Uint8Array(file())]);
  const answer = await send(path, { method, headers, body });
  expect([400, 413, 422]).toContain(answer.status);
  expect(answer.headers.get('Content-Type')).toContain('application/problem+json');
  return answer.text();
}

describe.each(FAULTS)('$format: $name', (fault) => {
  test('is not a body of rows', async () => {
    const problem = problemOf('POST', `${model}/predict`, fault);
    if (fault.isAfterRows) await problem.catch((error) => expect(error).toBeInstanceOf(TypeError));
    else expect(await problem).toMatch(fault.place);
  });

  test('is not a table', async () => {
    expect(await problemOf('PUT', `${model}?target=price`, fault)).toMatch(fault.place);
  });
});
