import * as arrow from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { answer, pieces } from '../../../testkit/prediction/answered-rows.js';
import { catchFaults, makeRows, QUICK } from '../../../testkit/prediction/sample-tables.js';
import { Predictor, readCsvTable, readRowsTable, readTable, type Table, train } from '../index.js';
import type { RowFormat } from './answer-part.js';

const rows = makeRows(500, (random, index) => ({
  size: Math.round(10_000 * random()) / 100,
  rooms: index % 7 === 3 ? null : 1 + (index % 5),
  place: index % 11 === 0 ? null : (['centre', 'north', 'south'][index % 3] ?? null),
  isNew: index % 4 === 0,
  since: new Date(Date.UTC(2020, 0, 1 + (index % 300))).toISOString(),
  rent: index % 50 === 9 ? null : Math.round(1000 * random()),
}));

const NAMES = ['size', 'rooms', 'place', 'isNew', 'since', 'rent'];
const cells = <T>(of: (row: (typeof rows)[number]) => T) => rows.map(of);

function csv(): string {
  const lines = rows.map((row) => NAMES.map((name) => row[name] ?? '').join(','));
  return `${[NAMES.join(','), ...lines].join('\n')}\n`;
}

function table(): arrow.Table {
  const vector = (name: string, type: arrow.DataType) =>
    arrow.vectorFromArray(
      cells((row) => row[name]),
      type,
    );
  const since = cells((row) => new Date(String(row['since'])));
  return new arrow.Table({
    size: vector('size', new arrow.Float64()),
    rooms: vector('rooms', new arrow.Int8()),
    place: vector('place', new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8())),
    isNew: vector('isNew', new arrow.Bool()),
    since: arrow.vectorFromArray(since, new arrow.TimestampMicrosecond()),
    rent: vector('rent', new arrow.Float64()),
  });
}

function parquet(): Buffer {
  const column = (name: string, type: 'DOUBLE' | 'INT32' | 'STRING' | 'BOOLEAN') => {
    return { name, data: cells((row) => row[name] ?? null), type };
  };
  const since = cells((row) => new Date(String(row['since'])));
  const buffer = parquetWriteBuffer({
    columnData: [
      column('size', 'DOUBLE'),
      column('rooms', 'INT32'),
      column('place', 'STRING'),
      column('isNew', 'BOOLEAN'),
      { name: 'since', data: since, type: 'TIMESTAMP' },
      column('rent', 'DOUBLE'),
    ],
    rowGroupSize: 120,
  });
  return Buffer.from(buffer);
}

const lines = () => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

describe('a table is the same in all formats', () => {
  const withoutPlaces = ({ leftOut, ...table }: Table) => {
    return { ...table, leftOut: leftOut?.map((left) => ({ ...left, places: left.places.length })) };
  };
  const expected = withoutPlaces(readRowsTable(rows, 'rent'));

  test.each<[string, () => Promise<Table>]>([
    ['CSV', () => readCsvTable(pieces(Buffer.from(csv())), 'rent')],
    ['NDJSON', () => readTable('ndjson', pieces(lines()), 'rent')],
    ['an Arrow stream', () => readTable('arrow-stream', pieces(arrow.tableToIPC(table(), 'stream')), 'rent')],
    ['an Arrow file', () => readTable('arrow-file', pieces(arrow.tableToIPC(table(), 'file')), ' rent')],
    ['Parquet', () => readTable('parquet', pieces(parquet()), 'rent')],
  ])('%s', async (_, read) => {
    expect(withoutPlaces(await read())).toEqual(expected);
  });
});

describe('an infinite number is a number', () => {
  const sizes = Float64Array.from({ length: 200 }, (_, index) => (index % 4 === 0 ? 1 / 0 : index));
  const rents = Float64Array.from({ length: 200 }, (_, index) => (index % 4 === 0 ? 500 + (index % 5) : index));
  const made = new arrow.Table({ size: arrow.makeVector(sizes), rent: arrow.makeVector(rents) });
  const columnData = [
    { name: 'size', data: sizes, type: 'DOUBLE' as const },
    { name: 'rent', data: rents, type: 'DOUBLE' as const },
  ];
  const lines = ['size,rent', ...Array.from(sizes, (size, row) => `${size === 1 / 0 ? 'inf' : size},${rents[row]}`)];
  const csvBytes = Buffer.from(`${lines.join('\n')}\n`);
  const formats: readonly [RowFormat, Uint8Array][] = [
    ['arrow-stream', arrow.tableToIPC(made, 'stream')],
    ['parquet', Buffer.from(parquetWriteBuffer({ columnData }))],
  ];

  test.each(formats)('of %s, as in CSV', async (format, bytes) => {
    const trained = async (read: Promise<Table>) => {
      const table = await read;
      if (table.task !== 'regression') throw new Error('The target is no number');
      return train(table, QUICK);
    };
    const model = await trained(readTable(format, pieces(bytes), 'rent'));
    const expected = await trained(readTable('csv', pieces(csvBytes), 'rent'));
    expect(model.columns).toEqual(expected.columns);
    expect(model.columns[0]).toMatchObject({ kind: 'number', missing_share: 0, max: 199 });
    const predictor = new Predictor(model);
    const read = async (from: RowFormat, sent: Uint8Array) => {
      const { bytes: answered } = await answer(predictor, sent, { from, to: 'json' });
      return JSON.parse(answered.toString());
    };
    const [first] = await read(format, bytes);
    const [inCsv] = await read('csv', csvBytes);
    // JSON has no infinity.
    expect(first).toMatchObject({ rent: inCsv.rent, size: null });
  });
});

describe('a table that cannot be read is reported, and its source is read to the end', () => {
  const few = new arrow.Table({ x: arrow.makeVector(new Float64Array(3)) });

  test.each<[string, Uint8Array, (source: AsyncIterable<Uint8Array>) => Promise<Table>, object]>([
    [
      'Arrow without the target',
      arrow.tableToIPC(few, 'stream'),
      (source) => readTable('arrow-stream', source, 'y'),
      { column: 'y', message: expect.stringContaining('no column "y"') },
    ],
    [
      'Arrow with few rows',
      arrow.tableToIPC(few, 'file'),
      (source) => readTable('arrow-file', source, 'x'),
      { column: 'x', message: expect.stringContaining('Only 3 rows') },
    ],
    [
      'JSON as Arrow',
      Buffer.from('[1]'.repeat(1000)),
      (source) => readTable('arrow-stream', source, 'x'),
      { message: expect.stringContaining('Arrow') },
    ],
    [
      'JSON as Parquet',
      Buffer.from('[1]'.repeat(1000)),
      (source) => readTable('parquet', source, 'x'),
      { message: expect.stringContaining('not a Parquet file') },
    ],
    [
      'a line that is not valid JSON',
      Buffer.from('{"x": 1, "y": 2}\n\n{"x": 1,}\n'),
      (source) => readTable('ndjson', source, 'y'),
      { line: 3, message: expect.stringContaining('Line 3 is not valid JSON') },
    ],
    [
      'a line that is not an object',
      Buffer.from('{"x": 1, "y": 2}\n[1]\n'),
      (source) => readTable('ndjson', source, 'y'),
      { line: 2, message: expect.stringContaining('Line 2 is not an object') },
    ],
  ])('%s', async (_, bytes, read, fault) => {
    let given = 0;
    const source = async function* () {
      for (const byte of bytes) {
        given++;
        yield Buffer.of(byte);
      }
    };
    expect(await catchFaults(() => read(source()))).toMatchObject([fault]);
    expect(given).toBe(bytes.length);
  });

  test('the error of a source that breaks off is passed on', async () => {
    const source = async function* () {
      yield Buffer.from('PAR1');
      throw new Error('broken off');
    };
    await expect(readTable('parquet', source(), 'x')).rejects.toThrow('broken off');
    await expect(readTable('ndjson', source(), 'x')).rejects.toThrow('broken off');
    await expect(readTable('arrow-stream', source(), 'x')).rejects.toThrow('broken off');
  });
});

test('columns of numbers become texts, as those of CSV are, only while there is room for them', async () => {
  const count = 60_000;
  const column = (index: number) => Float64Array.from({ length: count }, (_, row) => row + index / 7);
  const columns = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${at}`, column(at)]));
  const bytes = arrow.tableToIPC(arrow.tableFromArrays(columns), 'stream');
  const table = await readTable('arrow-stream', pieces(bytes, 1 << 20), 'x0');
  const kinds = table.columns.map(({ kind }) => kind);
  expect(kinds).toContain('text');
  expect(kinds).toContain('number');
});

test('a source that is not to be drained ends with a refusal', async () => {
  let isEnded = false;
  const source = async function* () {
    try {
      for (;;) yield Buffer.from('no JSON\n');
    } finally {
      isEnded = true;
    }
  };
  await catchFaults(() => readTable('ndjson', source(), 'y', { drain: false }));
  expect(isEnded).toBe(true);
});
