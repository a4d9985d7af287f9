import { readdirSync, readFileSync } from 'node:fs';
import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { writeWorkbook } from '../../../testkit/data/workbooks.js';
import { pieces } from '../../../testkit/prediction/answered-rows.js';
import { everyType, writeArrow } from '../../../testkit/prediction/arrow-columns.js';
import {
  changeBytes,
  MADE_FILES,
  type MadeNumbers,
  type MakeFile,
  makeHostile,
  type Outcomes,
  TIMEOUT,
  tryFiles,
} from '../../../testkit/prediction/hostile-files.js';
import { QUICK, readRows, rentRows } from '../../../testkit/prediction/sample-tables.js';
import { Predictor, readTable, train } from '../index.js';
import { TableError } from '../table/table-error.js';
import { DeclinedError, type RowFormat } from './answer-part.js';
import { answerRows } from './answer-rows.js';
import { FormatError, JsonShapeError, MalformedJsonError } from './columns/format-error.js';

const NAMES = ['rooms', 'place', 'index', 'rent'];

/** A count that is chosen. The largest ones are one more than the bytes, or the values, that a row may have. */
function countOf(numbers: MadeNumbers, value: number): number {
  const chosen = numbers.set(value);
  if (chosen >= 2 ** 63 && numbers.pick(8) === 0) return 1024 * 1024 + 1;
  if (chosen >= 2 ** 53) return 10_001;
  return Math.min(Math.max(chosen, 0), 300);
}

function times(numbers: MadeNumbers, text: string, value: number): string {
  return text.repeat(countOf(numbers, value));
}

/** The end of a line, with others before it that may be many. */
function lineEnd(numbers: MadeNumbers): string {
  return times(numbers, '\n', 0) + times(numbers, '\r', numbers.pick(2)) + times(numbers, '\n', 1);
}

function makeCsv(numbers: MadeNumbers): Uint8Array {
  const mark = times(numbers, '\ufeff', numbers.pick(2));
  const field = (text: string) => {
    const quotes = numbers.pick(3) === 0 ? 1 : 0;
    const inner = text + times(numbers, '""', 0) + times(numbers, '\n', 0);
    return times(numbers, '"', quotes) + inner + '"'.repeat(quotes);
  };
  const record = (cells: readonly string[]) => cells.map(field).join(',') + times(numbers, ',', 0) + lineEnd(numbers);
  const rows = Array.from({ length: 1 + numbers.pick(8) }, (_, row) =>
    record([String(row), times(numbers, 'x', 4), times(numbers, '9', 2), String(row)]),
  );
  return Buffer.from(mark + record(NAMES) + rows.join(''));
}

function jsonRow(numbers: MadeNumbers): string {
  const depth = countOf(numbers, numbers.pick(3));
  const values = [
    times(numbers, '9', 2) || '0',
    `"${times(numbers, 'n', 5)}${times(numbers, '\\u0041', 0)}${times(numbers, '\\', 0)}"`,
    `${'['.repeat(depth)}1${times(numbers, ',1', 0)}${times(numbers, ']', depth)}`,
    `1e${countOf(numbers, 2)}`,
  ];
  const members = NAMES.map((name, at) => `"${name}":${values[at] ?? 'null'}`);
  const more = times(numbers, ',"more":{}', 0);
  return times(numbers, '{', 1) + members.join(times(numbers, ',', 1)) + more + times(numbers, '}', 1);
}

function makeNdjson(numbers: MadeNumbers): Uint8Array {
  const rows = Array.from({ length: 1 + numbers.pick(8) }, () => jsonRow(numbers) + lineEnd(numbers));
  return Buffer.from(times(numbers, '\ufeff', numbers.pick(2)) + rows.join(''));
}

function makeJson(numbers: MadeNumbers): Uint8Array {
  const rows = Array.from({ length: 1 + numbers.pick(8) }, () => jsonRow(numbers));
  const list = rows.join(times(numbers, ',', 1) + times(numbers, ' ', 0));
  return Buffer.from(times(numbers, '[', 1) + list + times(numbers, ']', 1));
}

const rows = rentRows(60);
const predictor = new Predictor(train(readRows(rows, 'rent'), QUICK));

function isTableFault(error: unknown): boolean {
  return error instanceof TableError || error instanceof MalformedJsonError || error instanceof JsonShapeError;
}

/** Reads files as tables and as rows to predict. Each is read, or refused with a fault. */
function tryFormat(from: RowFormat, make: (seed: number) => Uint8Array): Promise<Outcomes> {
  return tryFiles(
    make,
    async (bytes, _budget, seed) => {
      const to = (['json', 'csv', 'arrow-stream', 'ndjson'] as const)[seed % 4] ?? 'json';
      // Vitest keeps what it is given to await until the test ends.
      const fault: unknown = await readTable(from, pieces(bytes, 30_000), 'rent').then(
        () => undefined,
        (error) => error,
      );
      if (fault !== undefined && !isTableFault(fault)) throw fault;
      for await (const part of answerRows(predictor, pieces(bytes, 30_000), { from, to })) {
        if (part.kind === 'fault') expect(part.message).not.toBe('');
      }
    },
    (error) => error instanceof FormatError || error instanceof DeclinedError,
  );
}

test.each<[RowFormat, MakeFile]>([
  ['csv', makeCsv],
  ['ndjson', makeNdjson],
  ['json', makeJson],
])(
  'counts in %s that are chosen to harm are read or refused',
  async (from, make) => {
    const outcomes = await tryFormat(from, (seed) => makeHostile(make, seed));
    expect(outcomes.read).toBeGreaterThan(MADE_FILES / 8);
    if (from !== 'ndjson') expect(outcomes.refused).toBeGreaterThan(MADE_FILES / 20);
  },
  TIMEOUT,
);

const cells = (name: string) => rows.map((row) => row[name]);
const COLUMNS: ColumnSource[] = [
  { name: 'rooms', data: cells('rooms'), type: 'INT32' },
  { name: 'place', data: cells('place'), type: 'STRING' },
  { name: 'index', data: cells('index'), type: 'DOUBLE' },
  { name: 'rent', data: cells('rent'), type: 'DOUBLE' },
];
const TABLE = arrow.tableFromArrays(Object.fromEntries(NAMES.map((name) => [name, cells(name)])));
const [EVERY_TYPE = []] = fc.sample(everyType(16), { numRuns: 1, seed: 3 });

/** Returns the files in a folder of samples. */
function samples(folder: string, end: string): Uint8Array[] {
  const url = new URL(folder, import.meta.url);
  const names = readdirSync(url).filter((name) => name.endsWith(end));
  return names.map((name) => readFileSync(new URL(name, url)));
}

const FILES: Readonly<Record<RowFormat, readonly Uint8Array[]>> = {
  csv: [Buffer.from([NAMES, ...rows.map((row) => Object.values(row))].join('\r\n'))],
  json: [Buffer.from(JSON.stringify(rows))],
  ndjson: [Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))],
  xlsx: [
    writeWorkbook([
      NAMES,
      ...rows.map((row) => Object.values(row).map((cell) => (cell === null ? null : String(cell)))),
    ]),
  ],
  'arrow-stream': [
    arrow.tableToIPC(TABLE, 'stream'),
    writeArrow(EVERY_TYPE, 'stream'),
    ...samples('./arrow/samples/', '.arrows'),
  ],
  'arrow-file': [
    arrow.tableToIPC(TABLE, 'file'),
    writeArrow(EVERY_TYPE, 'file'),
    ...samples('./arrow/samples/', '.arrow'),
  ],
  parquet: [
    new Uint8Array(parquetWriteBuffer({ columnData: COLUMNS, rowGroupSize: 25 })),
    ...samples('./parquet/samples/', '.parquet'),
  ],
};

test.each(['csv', 'json', 'ndjson', 'arrow-stream', 'arrow-file', 'parquet'] as const)(
  'files of %s with changed bytes are read or refused',
  async (from) => {
    const outcomes = await tryFormat(from, (seed) => changeBytes(FILES[from], seed));
    expect(outcomes.read).toBeGreaterThan(MADE_FILES / 20);
    if (from !== 'ndjson') expect(outcomes.refused).toBeGreaterThan(MADE_FILES / 100);
  },
  TIMEOUT,
);
